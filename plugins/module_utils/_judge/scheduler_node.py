# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What keeps Pods away from a Node: its conditions, a cordon, its taints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .._catalogue import found
from .._chain import Finding
from .._evidence.kubernetes import Condition, NodeFacts
from .._evidence.kubernetes_objects import Asked, Object, named
from .._evidence.kubernetes_taints import Taint, tolerated, tolerates

_CONDITIONS = "kubernetes.node.status.conditions"
_TAINTS = "kubernetes.node.spec.taints"
_PRESSURE = ("DiskPressure", "PIDPressure")
# The taints that follow a condition, and the status that makes them.
# Source: Kubernetes documentation, "Taints and Tolerations".
_FOLLOWS = {
    "node.kubernetes.io/not-ready": ("Ready", "False"),
    "node.kubernetes.io/unreachable": ("Ready", "Unknown"),
    "node.kubernetes.io/memory-pressure": ("MemoryPressure", "True"),
    "node.kubernetes.io/disk-pressure": ("DiskPressure", "True"),
    "node.kubernetes.io/pid-pressure": ("PIDPressure", "True"),
    "node.kubernetes.io/network-unavailable": ("NetworkUnavailable", "True"),
}
# Conditions that watchers of GPUs set. Of most, True is bad; of those whose name says that all is well, False is.
_OF_GPUS = re.compile(r"gpu|nvidia|xid|nvlink|accelerat|iblink|gridlicen", re.IGNORECASE)
_SAYS_WELL = re.compile(r"(Ready|Healthy|Available)$")
_SAYS_ILL = re.compile(
    r"Missing|Errors?$|Unhealthy|Inactive|Flapping|Throttling|Fail|Problem|Lost|Watch$", re.IGNORECASE
)


def pods_may_come(node: NodeFacts, asked: Asked, classes: Sequence[Object] | None) -> Iterator[Finding]:
    """Nothing keeps Pods that ask for a GPU away from the Node."""
    yield from _ready(node)
    yield from _healthy_enough(node)
    yield from _taints_let_pods_in(node, asked, classes)
    yield from _not_cordoned(node)
    yield from _nobody_warns(node)


def _ready(node: NodeFacts) -> Iterator[Finding]:
    ready = node.condition("Ready")
    if ready is None:
        yield found("SCH004", _CONDITIONS, missing="the Node has no Ready condition")
    elif ready.status != "True":
        yield found("SCH003", _CONDITIONS, node=node.name, reason=_told(ready))


def _healthy_enough(node: NodeFacts) -> Iterator[Finding]:
    for condition in node.conditions:
        if condition.status != "True":
            continue
        if condition.kind in _PRESSURE:
            yield found("SCH008", _CONDITIONS, node=node.name, condition=condition.kind, reason=_told(condition))
        elif condition.kind == "NetworkUnavailable":
            yield found("SCH009", _CONDITIONS, node=node.name, reason=_told(condition))
        elif condition.kind == "MemoryPressure":
            yield found("SCH010", _CONDITIONS, node=node.name, reason=_told(condition))


def _taints_let_pods_in(node: NodeFacts, asked: Asked, classes: Sequence[Object] | None) -> Iterator[Finding]:
    may_stay = tolerated(node.taints, asked.resource, node.architecture, asked.tolerate, asked.startup)
    # A RuntimeClass may bring tolerations of its own into the Pods that name it.
    runtime_class = named(classes or (), asked.class_name(classes)) or {}
    brought = (runtime_class.get("scheduling") or {}).get("tolerations") or ()
    for taint in node.taints:
        if not taint.repels or taint in may_stay or any(tolerates(own, taint) for own in brought):
            continue
        yield from judge_taint(node, taint)


def judge_taint(node: NodeFacts, taint: Taint) -> Iterator[Finding]:
    """What a taint means that Pods do not tolerate. Nothing where the condition that it follows says it already."""
    if taint.of_startup:
        yield found("SCH039", _TAINTS, node=node.name, taint=taint)
    elif taint.leaving:
        yield found("SCH012", _TAINTS, node=node.name, taint=taint)
    elif taint.arriving:
        yield found("SCH013", _TAINTS, node=node.name, taint=taint)
    elif not taint.of_trouble:
        yield found("SCH006", _TAINTS, node=node.name, taint=taint)
    elif not _is_explained(node, taint):
        yield found("SCH014", _TAINTS, _CONDITIONS, node=node.name, taint=taint)


def lags_behind(node: NodeFacts, taint: Taint) -> bool:
    """Whether the taint follows a condition, which by now says something else."""
    return taint.repels and taint.key in _FOLLOWS and not _is_explained(node, taint)


def _is_explained(node: NodeFacts, taint: Taint) -> bool:
    if taint.key == "node.kubernetes.io/unschedulable":
        return node.unschedulable
    kind, status = _FOLLOWS.get(taint.key, ("", ""))
    condition = node.condition(kind)
    # A Node that is not Ready changes between the two taints of it.
    return condition is not None and (condition.status == status or (kind == "Ready" and condition.status != "True"))


def _not_cordoned(node: NodeFacts) -> Iterator[Finding]:
    if node.unschedulable:
        yield found("SCH001", "kubernetes.node.spec.unschedulable", node=node.name, why=_cordoned_by(node))


def _cordoned_by(node: NodeFacts) -> str:
    """Who took the Node out of scheduling, where its labels or taints tell."""
    upgrade = node.labels.get("nvidia.com/gpu-driver-upgrade-state", "")
    if upgrade and upgrade not in ("upgrade-done", "unknown"):
        return f": the GPU Operator upgrades its driver (nvidia.com/gpu-driver-upgrade-state is {upgrade})"
    leaving = next((taint for taint in node.taints if taint.leaving), None)
    if leaving:
        return f": it is on its way out ({leaving})"
    mig = node.labels.get("nvidia.com/mig.config.state", "")
    if mig in ("pending", "rebooting"):
        return f": its MIG configuration is being changed (nvidia.com/mig.config.state is {mig})"
    return ""


def _nobody_warns(node: NodeFacts) -> Iterator[Finding]:
    """Conditions of a vendor's watcher are hints with a date: they are seen stale in both directions (SCH011)."""
    for condition in node.conditions:
        if _OF_GPUS.search(condition.kind) and condition.status == _bad(condition.kind):
            yield found(
                "SCH011", _CONDITIONS, condition=condition.kind, status=condition.status, reason=_told(condition)
            )


def _bad(kind: str) -> str | None:
    if _SAYS_ILL.search(kind):
        return "True"
    return "False" if _SAYS_WELL.search(kind) else None


def _told(condition: Condition) -> str:
    since = f" (since {condition.since})" if condition.since else ""
    return (condition.why or "no reason given") + since
