# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Why no device plugin serves a Node: the first cause that the evidence tells of."""

from __future__ import annotations

import typing as t
from collections.abc import Callable, Iterator, Mapping

from .._catalogue import found
from .._chain import Finding
from .._evidence.device_plugin_facts import PluginFacts
from .._evidence.device_plugin_placement import labels_asked_for, labels_in_the_way, taints_in_the_way
from .._evidence.device_plugin_workload import full_name

_LOGS = "device_plugin.plugin_logs"
_PODS = "kubernetes.pods"
_SETS = "kubernetes.objects.daemon_sets"
_LABELS = "kubernetes.node.metadata.labels"

# The GPU Operator's switch, GKE's, and the operator's word for Nodes that are set aside for virtual machines.
_OFF: Mapping[str, Callable[[str], bool]] = {
    "nvidia.com/gpu.deploy.device-plugin": lambda value: value != "true",
    "nvidia.com/gpu.deploy.operands": lambda value: value == "false",
    "gke-no-default-nvidia-gpu-device-plugin": lambda value: value == "true",
    "nvidia.com/gpu.workload.config": lambda value: value.startswith("vm-"),
}
_NO_GPU_NODE = ("NFDLabelsMissing", "NoGPUNodes")


def why_no_plugin(facts: PluginFacts) -> list[Finding]:
    """Return the first cause that is known. What the GPU Operator says comes last: it may be about another Node."""
    rules: tuple[Callable[[PluginFacts], Iterator[Finding]], ...] = (
        _the_plugin_says,
        _told_to_stay_away,
        _not_recognised,
        _not_deployed,
        _not_meant_for_the_node,
        _refused,
        _not_ready,
        _not_registered,
        _the_operator_says,
    )
    return next((causes for rule in rules if (causes := list(rule(facts)))), [])


def _the_plugin_says(facts: PluginFacts) -> Iterator[Finding]:
    """One that has registered in spite of what it said before is not at fault."""
    for saying, code in (
        ("no_config", "DPL031"),
        ("no_mps", "DPL032"),
        ("uneven_mig", "DPL030"),
        ("driver_error", "DPL009"),
        ("no_library", "DPL008"),
        ("denied", "DPL019"),
        ("no_devices", "DPL007"),
        ("unregistered", "DPL017"),
    ):
        for log in facts.logs:
            said = log.last(saying)
            if said is None or log.last("registered"):
                continue
            examined = facts.driver is not None and facts.driver.gpus is not None
            yield found(
                "DPL010" if code == "DPL009" and not examined else code,
                _LOGS,
                pod=log.source if log.source != "service" else log.container,
                node=facts.node.name,
                said=said.rstrip("."),
                listens=facts.kubelet.listens or "a folder that could not be seen",
            )
            return


def _has_no_pod(facts: PluginFacts) -> bool:
    """Whether it is known that no plugin's Pod is on the Node, and no service that takes its place."""
    return facts.workload.pods == () and not facts.kubelet.units


def _told_to_stay_away(facts: PluginFacts) -> Iterator[Finding]:
    if not _has_no_pod(facts):
        return
    for label, is_off in _OFF.items():
        value = facts.node.labels.get(label)
        if value is not None and is_off(value):
            yield found("DPL014", _LABELS, node=facts.node.name, label=f"{label}={value}")
            return


def _not_recognised(facts: PluginFacts) -> Iterator[Finding]:
    if _has_no_pod(facts):
        for reason, said in facts.workload.operator:
            if reason in _NO_GPU_NODE:
                pointer = "kubernetes.objects.cluster_policies"
                yield found("DPL041", pointer, _PODS, node=facts.node.name, reason=reason, said=said or "nothing more")
                return


def _not_deployed(facts: PluginFacts) -> Iterator[Finding]:
    stopped = [
        unit for unit, state in facts.kubelet.units.items() if state not in ("active", "activating", "reloading")
    ]
    if facts.workload.pods == () and stopped and len(stopped) == len(facts.kubelet.units):
        yield found("DPL040", "device_plugin.plugin_units", node=facts.node.name, units=", ".join(stopped))
    elif _has_no_pod(facts) and facts.workload.daemon_sets == () and facts.kubelet.now is not None:
        yield found("DPL011", _SETS, _PODS, node=facts.node.name)


def _not_meant_for_the_node(facts: PluginFacts) -> Iterator[Finding]:
    """Of several DaemonSets the one counts that comes nearest to the Node."""
    sets = facts.workload.daemon_sets or ()
    if not _has_no_pod(facts) or not sets:
        return
    in_the_way = [(one, labels_in_the_way(one, facts.node), taints_in_the_way(one, facts.node)) for one in sets]
    if any(not labels and not taints for _one, labels, taints in in_the_way):
        return
    for one, labels, taints in in_the_way:
        if not labels:
            code = "DPL043" if all(taint.of_startup for taint in taints) else "DPL013"
            pointers, told = (_SETS, "kubernetes.node.spec.taints"), ", ".join(map(str, taints))
            yield found(code, *pointers, **_names(facts, one), taints=told)
            return
    one, labels, _taints = min(in_the_way, key=lambda way: -len(labels_asked_for(way[0]) & set(facts.node.labels)))
    yield found("DPL012", _SETS, _LABELS, **_names(facts, one), missing=" and ".join(labels))


def _names(facts: PluginFacts, daemon_set: Mapping[str, t.Any]) -> dict[str, str]:
    return {"daemon_set": full_name(daemon_set), "node": facts.node.name}


def _refused(facts: PluginFacts) -> Iterator[Finding]:
    if not _has_no_pod(facts):
        return
    for one in facts.workload.daemon_sets or ():
        reason = facts.workload.refusals.get(full_name(one))
        if reason and not labels_in_the_way(one, facts.node) and not taints_in_the_way(one, facts.node):
            yield found("DPL015", "kubernetes.objects.daemon_set_events", daemon_set=full_name(one), reason=reason)
            return


def _not_ready(facts: PluginFacts) -> Iterator[Finding]:
    pods = facts.workload.pods or ()
    if pods and not any(pod.ready for pod in pods):
        yield found("DPL016", _PODS, pod=pods[0].name, why=pods[0].why)


def _not_registered(facts: PluginFacts) -> Iterator[Finding]:
    ready = [pod for pod in facts.workload.pods or () if pod.ready]
    if ready and facts.registered_since is False:
        yield found("DPL018", "device_plugin.plugin_connections", _PODS, pod=ready[0].name, node=facts.node.name)


def _the_operator_says(facts: PluginFacts) -> Iterator[Finding]:
    for reason, said in facts.workload.operator[:1]:
        values = {"node": facts.node.name, "resource": facts.resource, "reason": reason, "said": said or "nothing more"}
        yield found("DPL042", "kubernetes.objects.cluster_policies", **values)
