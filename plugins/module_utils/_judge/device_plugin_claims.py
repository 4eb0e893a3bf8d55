# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""GPUs that are handed out by claims: a DRA driver offers this Node's GPUs in ResourceSlices."""

from __future__ import annotations

from collections.abc import Iterator

from .._catalogue import found
from .._chain import Finding
from .._evidence.device_plugin_facts import PluginFacts

_SLICES = "kubernetes.objects.resource_slices"


def offers_devices(facts: PluginFacts) -> Iterator[Finding]:
    """Judge the slices of the Node, where Pods ask by claim."""
    offer, name = facts.claimable, facts.node.name
    if offer.slices is None:
        yield found("PRE005", _SLICES, what="ResourceSlices", reason=offer.slices_error)
    elif not offer.slices:
        yield found("DPL034", _SLICES, "kubernetes.pods", node=name, driver=_the_drivers_pod(facts))
    elif not offer.devices:
        yield found("DPL035", _SLICES, node=name)
    elif not offer.usable:
        yield found("DPL038", _SLICES, node=name, devices=len(offer.devices))
    elif offer.classes == 0:
        yield found("DPL039", "kubernetes.objects.device_classes")
    else:
        yield from _the_hosts_gpus(facts)


def _the_drivers_pod(facts: PluginFacts) -> str:
    pods = facts.workload.claim_pods
    if pods is None:
        return "what runs there could not be read"
    if not pods:
        return "no Pod of such a driver is there"
    return f"{pods[0].name} is ready" if pods[0].ready else f"{pods[0].name} is not ready: {pods[0].why}"


def _the_hosts_gpus(facts: PluginFacts) -> Iterator[Finding]:
    """MIG devices are offered beside, or in place of, the GPU that they are cut from."""
    uuids = facts.host_uuids
    if uuids is None or facts.driver is None:
        return
    strangers = [uuid for uuid in facts.claimable.uuids if uuid.startswith("GPU-") and uuid not in uuids]
    if strangers:
        yield found("DPL037", _SLICES, "driver.nvidia_smi_list", node=facts.node.name, strangers=", ".join(strangers))
        return
    whole = [gpu for gpu in facts.driver.gpus or () if not gpu.mig_devices]
    types = {device.get("type") for device in facts.claimable.devices}
    offered = sum(1 for device in facts.claimable.devices if device.get("type") == "gpu")
    if types == {"gpu"} and offered < len(whole):
        name, in_nvml = facts.node.name, len(whole)
        yield found("DPL036", _SLICES, "driver.nvidia_smi_list", node=name, offered=offered, in_nvml=in_nvml)


def handed_out_twice(facts: PluginFacts) -> Iterator[Finding]:
    """No GPU is both advertised by a device plugin and offered in a slice."""
    if not facts.claimable.usable:
        return
    both = [uuid for uuid in facts.claimable.uuids if uuid in (facts.ids or ())]
    if both:
        pointers = (_SLICES, "device_plugin.kubelet_checkpoint")
        yield found("DPL023", *pointers, both=", ".join(both), resource=facts.resource)
    else:
        yield found(
            "DPL024",
            _SLICES,
            node=facts.node.name,
            capacity=facts.node.capacity,
            resource=facts.resource,
            devices=len(facts.claimable.usable),
        )


def seen_in_slices(facts: PluginFacts) -> str:
    """The proof in words."""
    return f"ResourceSlices: {len(facts.claimable.usable)} of {len(facts.claimable.devices)} devices can be allocated"
