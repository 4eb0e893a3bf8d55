# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoint 3: a device plugin, or a DRA driver, hands out this Node's GPUs through its kubelet."""

from __future__ import annotations

from collections.abc import Iterator

from .._catalogue import found
from .._chain import Finding, Judgement
from .._evidence.device_plugin_facts import PluginFacts
from .device_plugin_absent import why_no_plugin
from .device_plugin_claims import handed_out_twice, offers_devices, seen_in_slices
from .device_plugin_settling import settled

_CAPACITY = "kubernetes.node.status.capacity"
_ALLOCATABLE = "kubernetes.node.status.allocatable"
_CHECKPOINT = "device_plugin.kubelet_checkpoint"
_LOGS = "device_plugin.plugin_logs"
_LABELS = "kubernetes.node.metadata.labels"
_LIST = "driver.nvidia_smi_list"


def judge_device_plugin(facts: PluginFacts) -> Judgement:
    """Judge what the Node offers in the way that Pods will ask for it. The first cause that is known comes first."""
    if facts.by_claim or _stands_for_claims(facts):
        findings = [*offers_devices(facts)]
        findings = settled(facts, findings) if findings else []
        return Judgement(3, tuple(findings), None if findings else seen_in_slices(facts))
    if facts.node.capacity:
        findings = [*_mig_changing(facts), *_healthy(facts)]
        findings = findings or [
            *_counted(facts),
            *_the_hosts_gpus(facts),
            *_one_plugin(facts),
            *handed_out_twice(facts),
        ]
    else:
        findings = [*_mig_changing(facts)] or list(_advertises(facts))
    findings = settled(facts, findings)
    open_question = any(finding.status != "warning" for finding in findings)
    return Judgement(3, tuple(findings), None if open_question else _seen(facts))


def _stands_for_claims(facts: PluginFacts) -> bool:
    """Whether a DeviceClass stands for the resource's name: the scheduler then turns to it where the Node has none."""
    return not facts.node.capacity and facts.resource in facts.claimable.extended and bool(facts.claimable.devices)


def _advertises(facts: PluginFacts) -> Iterator[Finding]:
    node, resource = facts.node, facts.resource
    if node.others:
        others = ", ".join(f"{name}: {amount}" for name, amount in node.others.items())
        yield found("DPL006", _CAPACITY, node=node.name, resource=resource, others=others)
    elif facts.claimable.devices:
        devices, slices = len(facts.claimable.devices), "kubernetes.objects.resource_slices"
        yield found("DPL033", _CAPACITY, slices, node=node.name, resource=resource, devices=devices)
    else:
        yield from why_no_plugin(facts) or [found("DPL001", _CAPACITY, node=node.name, resource=resource)]


def _mig_changing(facts: PluginFacts) -> Iterator[Finding]:
    state, name = facts.node.labels.get("nvidia.com/mig.config.state"), facts.node.name
    if state in ("pending", "rebooting"):
        yield found("DPL028", _LABELS, node=name, state=state)
    elif state == "failed" and not facts.node.allocatable:
        yield found("DPL029", _LABELS, _ALLOCATABLE, node=name, seen=f"no {facts.resource} can be allocated")


def _healthy(facts: PluginFacts) -> Iterator[Finding]:
    """Every device that the kubelet knows can be allocated. Why not is in the plugin's log, if it still runs."""
    capacity, allocatable = facts.node.capacity or 0, facts.node.allocatable or 0
    if allocatable >= capacity:
        return
    counts = {"capacity": capacity, "allocatable": allocatable, "resource": facts.resource}
    xids = [what for log in facts.logs for _at, what in log.says("xid")]
    unwatched = [said for log in facts.logs if (said := log.last("unwatched"))]
    if xids:
        yield found("DPL026", _ALLOCATABLE, _LOGS, **counts, xids=", ".join(dict.fromkeys(xids)))
    elif unwatched:
        yield found("DPL027", _ALLOCATABLE, _LOGS, **counts, said=unwatched[0])
    elif not allocatable and (gone := _gone(facts)):
        yield from gone
    else:
        yield found("DPL003", _ALLOCATABLE, **counts)


def _gone(facts: PluginFacts) -> list[Finding]:
    """That nobody serves the devices any more, after the cause if that is known."""
    node = facts.node
    causes = [] if facts.registered_since else why_no_plugin(facts)
    if not causes and (facts.workload.pods != () or facts.kubelet.units or facts.registered_since):
        return []
    left = found("DPL025", _CAPACITY, _ALLOCATABLE, node=node.name, capacity=node.capacity, resource=facts.resource)
    return [*causes, left]


def _counted(facts: PluginFacts) -> Iterator[Finding]:
    """The Node advertises as many devices as the host has, each as often as it is shared."""
    host, capacity = facts.host_devices, facts.node.capacity or 0
    if host is not None and capacity != host * facts.replicas:
        code = "DPL002" if capacity < host * facts.replicas else "DPL004"
        in_nvml = f"{host} x {facts.replicas} shared" if facts.replicas > 1 else host
        yield found(code, _CAPACITY, _LIST, capacity=capacity, in_nvml=in_nvml, resource=facts.resource)


def _the_hosts_gpus(facts: PluginFacts) -> Iterator[Finding]:
    """The plugin's devices are the host's. Ids that are not UUIDs are not compared."""
    known = facts.host_uuids
    if known is None:
        return
    kinds = ("GPU-", "MIG-") if facts.mig_devices else ("GPU-",)
    strangers = [device for device in facts.ids or () if device.startswith(kinds) and device not in known]
    if strangers:
        yield found("DPL005", _CHECKPOINT, _LIST, strangers=", ".join(strangers))


def _one_plugin(facts: PluginFacts) -> Iterator[Finding]:
    """One plugin serves the resource, be it a Pod or a service."""
    owners = {pod.name: pod.owner for pod in facts.workload.pods or ()}
    registered = {
        owners.get(log.source, log.container)
        for log in facts.logs
        if any(what == facts.resource for _at, what in log.says("registered"))
    }
    there = {pod.owner for pod in facts.workload.pods or () if pod.ready}
    there |= {unit for unit, state in facts.kubelet.units.items() if state == "active"}
    if len(registered) > 1 and len(there) > 1:
        plugins = " and ".join(sorted(registered))
        yield found("DPL021", _LOGS, plugins=plugins, resource=facts.resource, node=facts.node.name)
    elif len(there) > 1:
        yield found("DPL022", "kubernetes.pods", plugins=" and ".join(sorted(there)), node=facts.node.name)


def _seen(facts: PluginFacts) -> str:
    said = f"{facts.resource}: capacity {facts.node.capacity}, allocatable {facts.node.allocatable}"
    if facts.replicas > 1:
        said += f", each device shared by {facts.replicas}"
    if facts.ids:
        said += f"; the kubelet has {len(facts.ids)} devices on record"
    if facts.kubelet.connected:
        said += " and is connected to their plugin"
    return said
