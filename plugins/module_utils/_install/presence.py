# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is there of each component on a host, whose it is, and whether it works: by the evidence of verifying."""

from __future__ import annotations

import typing as t
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .._chain import NodeVerdict
from .._evidence.device_plugin_facts import PluginFacts, read_plugin
from .._evidence.device_plugin_placement import labels_in_the_way
from .._evidence.device_plugin_workload import full_name
from .._evidence.driver import DriverFacts, read_driver
from .._evidence.host import HostLook, read_look
from .._evidence.kubernetes import read_node
from .._evidence.toolkit import read_toolkit
from .._evidence.toolkit_runtime import is_wrapper
from .._judge.node import judge_node
from .._judge.owner import Owner, owners, platform_of
from .wish import COMPONENTS, ClusterSeen, Component, Object

State = t.Literal["works", "absent", "broken", "not judged", "not known"]


@dataclass(frozen=True)
class Presence:
    """One component on one host.

    ``works``: its checkpoint has passed. ``absent``: it was looked for in all places and is in none. ``broken``: it is
    there and its checkpoint has not passed. ``not judged``: a layer below is not there yet, so that nobody can say.
    ``not known``: neither that it is there nor that it is not.
    ``ours``: a mark says that this collection installed it. ``unfinished``: it began to, and did not come to the end.
    """

    state: State
    because: str
    owner: Owner
    ours: bool = False
    unfinished: bool = False


@dataclass(frozen=True)
class Ground:
    """What an installation would build upon on one host.

    ``obstacles``: why nothing may be installed there at all, each as what was seen and what would have to be true.
    ``devices``: the PCI device ids of its GPUs. ``bound``: the kernel drivers, NVIDIA's apart, that hold them.
    """

    host: str
    node: str | None
    platform: str | None
    labels: Mapping[str, str]
    present: Mapping[Component, Presence]
    obstacles: tuple[tuple[str, str], ...]
    devices: tuple[int | None, ...]
    bound: tuple[str, ...]
    by_our_operator: bool = False


def read_ground(evidence: Object, registered: Object, cluster: ClusterSeen) -> Ground:
    """Read one host. ``registered``: install_marks and install_host of the role, of which either may be missing."""
    evidence = {**evidence, "chosen": COMPONENTS}
    verdict, kubernetes = judge_node(evidence), evidence.get("kubernetes") or {}
    look = read_look(evidence.get("driver")) or HostLook(kind="no_transcript", error="the driver was not looked at")
    facts, node = read_driver(look), kubernetes.get("node")
    plugin = read_plugin(evidence, read_node(node, evidence["expect"]["resource"]), facts) if node else None
    owned = owners(evidence)
    there = {
        "driver": _driver(look, facts),
        "toolkit": _toolkit(evidence),
        "device_plugin": _device_plugin(plugin),
    }
    marks = _our_marks(registered, cluster)
    if plugin is not None and _plugin_is_ours(plugin, cluster):
        marks["device_plugin"] = {"state": "done"}
    return Ground(
        host=evidence["host"],
        node=node["metadata"]["name"] if node else None,
        platform=platform_of(evidence),
        labels=(node["metadata"].get("labels") or {}) if node else {},
        present={name: _presence(name, verdict, there[name], owned[name], marks.get(name)) for name in COMPONENTS},
        obstacles=tuple(_obstacles(verdict, look, facts, registered.get("install_host") or {})),
        devices=tuple(gpu.device for gpu in facts.pci_gpus or ()),
        bound=tuple(dict.fromkeys(g.driver for g in facts.pci_gpus or () if g.driver not in ("nvidia", "none"))),
        by_our_operator=cluster.operator_is_ours,
    )


# ---- what is there: its signs in words; none in an empty list; None where it can't be told


def _driver(look: HostLook, facts: DriverFacts) -> list[str] | None:
    listing = look.records.get("nvidia_smi_list")
    signs = [
        *([f"its kernel module {facts.module_version} is loaded"] if facts.module_version else ()),
        *(["its kernel module lies on disk"] if facts.on_disk or look.stdout_of("module_builds") else ()),
        *(["nvidia-smi is there"] if listing and listing["exit_code"] != 127 else ()),
        *(["its libraries are there"] if look.stdout_of("nvml_libraries") else ()),
    ]
    places = ("module_version", "nvidia_smi_list", "nvml_libraries", "pci_devices")
    asked = (
        _answered(look, places, ("module_on_disk", "module_builds")) and look.stdout_of("nvml_libraries") is not None
    )
    return signs or ([] if asked else None)


def _toolkit(evidence: Object) -> list[str] | None:
    look = read_look(evidence.get("toolkit"))
    if look is None or look.kind not in (None, "incomplete"):
        return None
    facts = read_toolkit(look)
    handlers = [name for name, binary in (facts.runtime.handlers or {}).items() if is_wrapper(binary)]
    programs = [name for name in ("toolkit_version", "cli_version") if name in look.records]
    signs = [
        *(f"the runtime has loaded the handler {name}" for name in handlers),
        *(f"{file} defines the handler" for file in facts.runtime.defining_files()),
        *(f"{_program(look, name)} is there" for name in programs if look.records[name]["exit_code"] != 127),
        *(f"{file} is there" for file in (facts.host.files if facts.host else ()) if "kubernetes/bin/nvidia" in file),
        *(f"{hook} is there" for hook in (facts.host.hooks if facts.host else ())),
    ]
    asked = _answered(look, ("toolkit_version", "loaded_handlers"), ("cli_version", "handler_files", "host"))
    return signs or ([] if asked and facts.runtime.handlers is not None else None)


def _answered(look: HostLook, places: tuple[str, ...], where_asked: tuple[str, ...]) -> bool:
    """Whether all places were looked into, and no command there was abandoned: only then is nothing there."""
    ended = {name: record["exit_code"] is not None for name, record in look.records.items()}
    return (
        look.error is None and all(ended.get(n, False) for n in places) and all(ended.get(n, True) for n in where_asked)
    )


def _program(look: HostLook, record: str) -> str:
    return look.records[record]["command"].split()[-2].rpartition("/")[-1]


def _device_plugin(facts: PluginFacts | None) -> list[str] | None:
    if facts is None:
        return None
    signs = [
        *(f"DaemonSet {full_name(one)}" for one in _daemon_sets(facts)),
        *(f"Pod {pod.name}" for pod in (*(facts.workload.pods or ()), *(facts.workload.claim_pods or ()))),
        *(f"the service {unit}" for unit in facts.kubelet.units),
        *(["a plugin is connected to the kubelet"] if facts.kubelet.connected else ()),
        *(["a DRA driver offers its GPUs"] if facts.claimable.devices else ()),
    ]
    asked = facts.workload.daemon_sets is not None and facts.workload.pods is not None
    return signs or ([] if asked else None)


def _daemon_sets(facts: PluginFacts) -> list[Object]:
    """The plugins' DaemonSets, less those whose owner chose other Nodes: they serve some, and select this one not.

    One that serves none waits for labels that nobody has set yet, perhaps also for those of this Node.
    """
    return [
        one
        for one in facts.workload.daemon_sets or ()
        if not (labels_in_the_way(one, facts.node) and (one.get("status") or {}).get("desiredNumberScheduled"))
    ]


# ---- ours


def _our_marks(registered: Object, cluster: ClusterSeen) -> dict[Component, Object]:
    """A mark of another cluster is that of a host that has moved: what it tells of was not meant for this one."""
    marks = registered.get("install_marks") or {}
    return {
        name: marks[name]
        for name in COMPONENTS
        if isinstance(marks.get(name), dict) and cluster.uid and marks[name].get("cluster_uid") == cluster.uid
    }


def _plugin_is_ours(facts: PluginFacts, cluster: ClusterSeen) -> bool:
    sets = _daemon_sets(facts)
    return bool(sets) and all(one["metadata"].get("namespace") in cluster.our_namespaces for one in sets)


# ---- together

_BELOW: Mapping[Component, tuple[Component, ...]] = {
    "driver": (),
    "toolkit": ("driver",),
    "device_plugin": ("driver", "toolkit"),
}


def _presence(
    name: Component, verdict: NodeVerdict, there: list[str] | None, owner: Owner, mark: Object | None
) -> Presence:
    state, because = _state(name, verdict, there)
    return Presence(state, because, owner, mark is not None, mark is not None and mark.get("state") == "begun")


def _state(name: Component, verdict: NodeVerdict, there: list[str] | None) -> tuple[State, str]:
    checkpoint = next(c for c in verdict.checkpoints if c.layer == name)
    if checkpoint.status == "pass":
        return "works", checkpoint.seen or ""
    findings = [f"{f.code}: {f.message}" for f in checkpoint.findings if f.status in ("fail", "unknown", "busy")]
    why = (findings[0] if findings else "its checkpoint has not passed").rstrip(".")
    if there == []:
        return "absent", "it was looked for and is not there"
    if verdict.first_broken_layer in _BELOW[name]:
        said = f" ({', '.join(there)})" if there else ""
        return "not judged", f"the {verdict.first_broken_layer} below it does not work{said}"
    if there is None:
        return "not known", why
    return "broken", f"{', '.join(there)}; {why}"


# What makes it doubtful which host is which Node, or that the cluster was read.
_DOUBTS = {
    "PRE002": "the cluster answers",
    "PRE003": "the host is a Node of the cluster (gpu_k8s_node_name tells which)",
    "PRE004": "the host is the Node of that name",
    "PRE005": "the Nodes may be listed",
    "PRE008": "each Node is one host of the run",
    "PRE009": "the credentials of gpu_k8s_context are accepted",
    "PRE010": "the certificate of the cluster is trusted",
    "PRE011": "gpu_k8s_context leads to a Kubernetes API",
}


def _obstacles(verdict: NodeVerdict, look: HostLook, facts: DriverFacts, host: Object) -> Iterator[tuple[str, str]]:
    if look.error is not None:
        yield look.error, "the host can be examined as a whole, with root's rights"
        return
    if not facts.is_root or host.get("user") not in (None, "0"):
        yield "it was not examined as root", "gpu_k8s_become or the user of the connection gives root's rights"
    if host.get("python") == "":
        yield "it has no Python", "Python is on the host; Ansible's package modules need it"
    if facts.platform != "pci":
        yield (
            f"its platform is {facts.platform}",
            "its GPUs are on the PCI bus; elsewhere the driver is not installed so",
        )
    elif facts.pci_gpus is None:
        yield "its PCI bus could not be listed", "its GPUs are known"
    elif not facts.pci_gpus:
        yield "no NVIDIA GPU is on its PCI bus", "gpu_k8s_hosts names hosts with GPUs alone"
    told = {f.code: f.message for c in verdict.checkpoints if c.layer == "device_plugin" for f in c.findings}
    yield from ((told[code].rstrip("."), must_be) for code, must_be in _DOUBTS.items() if code in told)
