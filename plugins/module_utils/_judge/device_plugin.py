# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoint 3: a device plugin has registered the GPUs with this Node's kubelet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .._catalogue import found
from .._chain import Finding, Judgement
from .._evidence.kubernetes import NodeFacts

_NODE = "kubernetes.node.status"
_CHECKPOINT = "device_plugin.kubelet_checkpoint"


def judge_device_plugin(
    node: NodeFacts,
    resource: str,
    host_uuids: Sequence[str] | None,
    registered: Sequence[str] | None,
) -> Judgement:
    """Judge what the Node advertises.

    ``host_uuids`` are the GPUs that the host's driver lists, ``registered`` the kubelet's own record of the
    plugin's devices; each is None when it is not known, and then not compared.
    """
    findings = [*_advertises(node, resource)]
    if not findings:
        findings = [*_all_healthy(node, resource), *_all_counted(node, resource, host_uuids)]
        findings += [*_same_gpus(host_uuids, registered)]
    return Judgement(3, tuple(findings), None if findings else _seen(node, resource, registered))


def _advertises(node: NodeFacts, resource: str) -> Iterator[Finding]:
    if not node.capacity and node.others:
        others = ", ".join(f"{name}: {amount}" for name, amount in node.others.items())
        yield found("DPL006", f"{_NODE}.capacity", node=node.name, resource=resource, others=others)
    elif not node.capacity:
        yield found("DPL001", f"{_NODE}.capacity", node=node.name, resource=resource)


def _all_healthy(node: NodeFacts, resource: str) -> Iterator[Finding]:
    capacity, allocatable = node.capacity or 0, node.allocatable or 0
    if allocatable < capacity:
        yield found("DPL003", f"{_NODE}.allocatable", capacity=capacity, allocatable=allocatable, resource=resource)


def _all_counted(node: NodeFacts, resource: str, host_uuids: Sequence[str] | None) -> Iterator[Finding]:
    if host_uuids is None:
        return
    capacity, in_nvml = node.capacity or 0, len(host_uuids)
    if capacity != in_nvml:
        code = "DPL002" if capacity < in_nvml else "DPL004"
        yield found(
            code, f"{_NODE}.capacity", "driver.nvidia_smi_list", capacity=capacity, in_nvml=in_nvml, resource=resource
        )


def _same_gpus(host_uuids: Sequence[str] | None, registered: Sequence[str] | None) -> Iterator[Finding]:
    """The plugin's devices are the host's GPUs. MIG devices and ids that are not UUIDs are not compared."""
    if host_uuids is None or registered is None:
        return
    strangers = [device for device in registered if device.startswith("GPU-") and device not in host_uuids]
    if strangers:
        yield found("DPL005", _CHECKPOINT, "driver.nvidia_smi_list", strangers=", ".join(strangers))


def _seen(node: NodeFacts, resource: str, registered: Sequence[str] | None) -> str:
    known = "" if registered is None else f"; the kubelet has {len(registered)} devices on record"
    return f"{resource}: capacity {node.capacity}, allocatable {node.allocatable}{known}"
