# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The whole chain of one node: from its evidence to its verdict."""

from __future__ import annotations

import typing as t
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from .._catalogue import found
from .._chain import CHECKPOINTS, Finding, Judgement, Layer, NodeVerdict, conclude
from .._evidence.device_plugin_facts import read_plugin
from .._evidence.driver import DriverFacts, read_driver
from .._evidence.host import HostLook, read_look
from .._evidence.kubernetes import NodeFacts, read_node
from .._evidence.kubernetes_objects import read_asked
from .._evidence.kubernetes_pods import holders
from .access import with_permissions
from .device_plugin import judge_device_plugin
from .driver import judge_driver
from .expectation import hold_against
from .scheduler import judge_scheduler
from .smoke_pod import Trial, judge_smoke_pod
from .startup_taint import still_closed, with_startup_taint
from .toolkit import judge_toolkit

Evidence = Mapping[str, t.Any]

# What is wrong with the whole way to the API (_kube_errors.py).
_WAYS: Mapping[str | None, str] = {"credentials": "PRE009", "not_trusted": "PRE010", "not_kubernetes": "PRE011"}


def judge_node(evidence: Evidence) -> NodeVerdict:
    """Judge the six checkpoints of one node and conclude."""
    node = (evidence.get("kubernetes") or {}).get("node")
    name = node["metadata"]["name"] if node else evidence.get("node_name")
    judgements = list(judge_checkpoints(evidence))
    verdict = conclude(evidence["host"], name, judgements)
    closed = still_closed(verdict, evidence)
    if closed is None:
        return verdict
    told = (replace(one, findings=(closed, *one.findings)) if one.checkpoint == 4 else one for one in judgements)
    return conclude(evidence["host"], name, told)


def proven_node(evidence: Evidence) -> NodeFacts | None:
    """Return the Node that this host is proven to be: its boot_id is the host's, and no other host claims it.

    Where the user does without the driver's layer, and no other layer looked at the host, there is nothing to compare:
    the Node alone is what was judged.
    """
    reading = _Reading(evidence)
    try:
        node, _why_not = reading.node
        on_host = reading.driver.boot_id if reading.driver else None
    except Exception:  # strange evidence (PRE006) proves nothing
        return None
    if node is None or _look(evidence, "driver").waived:
        return node
    return node if on_host and on_host == node.boot_id else None


class _Reading:
    """The evidence, and what more than one layer reads from it: that is read once."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    @cached_property
    def driver(self) -> DriverFacts | None:
        look = read_look(self.evidence.get("driver"))
        return read_driver(look) if look else None

    @cached_property
    def node(self) -> tuple[NodeFacts | None, list[Finding]]:
        return _node(self.evidence)

    @property
    def uuids(self) -> Sequence[str] | None:
        return None if self.driver is None or self.driver.gpus is None else [gpu.uuid for gpu in self.driver.gpus]


def judge_checkpoints(evidence: Evidence) -> Iterator[Judgement]:
    """Judge each checkpoint by itself. One that was not chosen is skipped, one without evidence is unknown."""
    reading = _Reading(evidence)
    for layer, judge in (
        ("driver", _driver),
        ("toolkit", _toolkit),
        ("device_plugin", _device_plugin),
        ("scheduler", _scheduler),
        ("smoke_pod", _smoke_pod),
    ):
        if layer in evidence["chosen"]:
            yield from _guarded(t.cast(Layer, layer), judge, reading)
        else:
            yield from _skipped(t.cast(Layer, layer), "not chosen")


def _guarded(layer: Layer, judge: Callable[[_Reading], Iterator[Judgement]], reading: _Reading) -> Iterator[Judgement]:
    """One node's strange evidence must not keep the others from being judged (PRE006)."""
    try:
        judged = with_permissions(layer, reading.evidence, judge(reading))
        yield from list(hold_against(judged, reading.evidence, layer))
    except Exception as error:  # whatever a rule trips over
        strange = found("PRE006", judged=layer, error=f"{type(error).__name__}: {error}")
        yield from (Judgement(c.number, (strange,)) for c in CHECKPOINTS if c.layer == layer)


def _skipped(layer: Layer, why: str) -> Iterator[Judgement]:
    for checkpoint in CHECKPOINTS:
        if checkpoint.layer == layer:
            yield Judgement(checkpoint.number, skipped=why)


def _driver(reading: _Reading) -> Iterator[Judgement]:
    yield judge_driver(_look(reading.evidence, "driver"), reading.evidence["host"])


def _toolkit(reading: _Reading) -> Iterator[Judgement]:
    expect = reading.evidence["expect"]
    yield judge_toolkit(_look(reading.evidence, "toolkit"), expect["image"], expect["runtime_handler"])


def _device_plugin(reading: _Reading) -> Iterator[Judgement]:
    node, why_not = reading.node
    if node is None:
        yield Judgement(3, tuple(why_not))
        return
    yield judge_device_plugin(read_plugin(reading.evidence, node, reading.driver))


def _scheduler(reading: _Reading) -> Iterator[Judgement]:
    node, why_not = reading.node
    if node is None:
        yield Judgement(4, tuple(why_not))
        return
    kubernetes, expect = reading.evidence["kubernetes"], reading.evidence["expect"]
    if kubernetes.get("pods") is None:
        reason = kubernetes.get("pods_error") or "it was not read"
        yield Judgement(4, (found("PRE005", "kubernetes.pods_error", what="Pods", reason=reason),))
        return
    yield with_startup_taint(judge_scheduler(node, kubernetes, read_asked(expect)), node, reading.evidence)


def _smoke_pod(reading: _Reading) -> Iterator[Judgement]:
    evidence = reading.evidence
    smoke = evidence.get("smoke_pod") or {"not_tried": "the run did not come to it"}
    node, why_not = reading.node
    if "not_tried" in smoke:
        if evidence.get("check_mode"):
            yield from _skipped("smoke_pod", "no Pod is created in check mode")
            return
        reason = tuple(why_not) or (found("SMK041", "smoke_pod", why=smoke["not_tried"]),)
        yield Judgement(5, reason)
        yield Judgement(6, reason)
        return
    expect, kubernetes, facts = evidence["expect"], evidence.get("kubernetes") or {}, reading.driver
    resource, pods, uuids = expect["resource"], kubernetes.get("pods"), reading.uuids
    advertised = node.allocatable or 0 if node else 0
    trial = Trial(
        asked=read_asked(expect),
        node=node.name if node else evidence.get("node_name"),
        host_uuids=uuids,
        facts=node,
        kubernetes=kubernetes,
        image=expect.get("image") or "",
        driver=facts.module_version if facts else None,
        cuda_image=expect.get("smoke_cuda_image") or "",
        cuda_passes=expect.get("smoke_cuda_passes") or (),
        every_gpu=expect.get("smoke_scope") == "every_gpu",
        taken=None if pods is None or node is None else sum(h.amount for h in holders(pods, node.name, resource)),
        shared=resource != "nvidia.com/gpu" or _more_devices_than_gpus(reading, node, advertised),
        advertised=advertised,
    )
    smokes = [smoke, *(evidence.get("smoke_pods_more") or ())]
    yield from judge_smoke_pod(smokes, evidence.get("control_pod"), trial)


def _more_devices_than_gpus(reading: _Reading, node: NodeFacts | None, advertised: int) -> bool:
    """Whether GPUs are shared. Where the host's are not known, kubelet and labels may tell of replicas."""
    if reading.uuids is not None:
        return advertised > len(reading.uuids)
    return node is not None and read_plugin(reading.evidence, node, reading.driver).replicas > 1


def _look(evidence: Evidence, layer: str) -> HostLook:
    look = read_look(evidence.get(layer))
    return look or HostLook(kind="no_transcript", error="there is no evidence of it")


def _node(evidence: Evidence) -> tuple[NodeFacts | None, list[Finding]]:
    """Return the Node that is this host, or why there is none that may be judged."""
    kubernetes = evidence.get("kubernetes")
    if kubernetes is None or kubernetes.get("error"):
        reason = (kubernetes or {}).get("error") or "it was not asked"
        code = _WAYS.get((kubernetes or {}).get("error_kind"), "PRE002")
        return None, [found(code, "kubernetes.error", reason=reason)]
    if kubernetes.get("node") is None:
        if kubernetes.get("node_error"):
            return None, [found("PRE005", "kubernetes.node_error", what="Nodes", reason=kubernetes["node_error"])]
        return None, [found("PRE003", "kubernetes.node", host=evidence["host"])]
    node = read_node(kubernetes["node"], evidence["expect"]["resource"])
    hosts = kubernetes.get("hosts") or ()
    doubts = [
        *_is_the_host(evidence, node),
        *([found("PRE008", "kubernetes.hosts", hosts=", ".join(hosts), node=node.name)] if len(hosts) > 1 else ()),
    ]
    return (None, doubts) if doubts else (node, [])


def _is_the_host(evidence: Evidence, node: NodeFacts) -> Iterator[Finding]:
    """machine-id and boot_id on the host, at each look that was taken, equal those that the Node's kubelet reports."""
    for layer in ("driver", "toolkit", "device_plugin"):
        look = read_look(evidence.get(layer)) or HostLook()
        for field, record, on_node in (
            ("machine-id", "machine_id", node.machine_id),
            ("boot_id", "boot_id", node.boot_id),
        ):
            on_host = (look.stdout_of(record) or "").strip()
            if on_host and on_node and on_host != on_node:
                pointers, told = (f"{layer}.{record}", "kubernetes.node.status.nodeInfo"), {"field": field}
                told |= {"host": evidence["host"], "node": node.name, "on_host": on_host, "on_node": on_node}
                yield found("PRE004", *pointers, **told)
                return
