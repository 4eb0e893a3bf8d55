# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about GPUs that are handed out by claims, DRA (checkpoint 3)."""

from __future__ import annotations

from ._entry import Entry

ENTRIES = (
    Entry(
        code="DPL023",
        layer="device_plugin",
        status="fail",
        title="A device plugin and a DRA driver hand out the same GPUs",
        message="{both} are advertised as {resource} and in a ResourceSlice.",
        meaning="The scheduler does not know that they are the same, and gives one GPU to two Pods.",
        remedy="Let one of them serve this Node: switch off the device plugin here, or the DRA driver's GPUs.",
        mistaken_for="More GPUs than there are.",
        sources=("https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",),
    ),
    Entry(
        code="DPL024",
        layer="device_plugin",
        status="warning",
        title="A device plugin and a DRA driver both offer GPUs on this Node",
        message="{node} advertises {capacity} {resource}, and {devices} devices in ResourceSlices.",
        meaning="If they are the same GPUs, one may be given to two Pods. Their names don't tell.",
        remedy="Let one of them serve this Node.",
        mistaken_for="More GPUs than there are.",
        sources=("https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",),
    ),
    Entry(
        code="DPL033",
        layer="device_plugin",
        status="unknown",
        title="The GPUs of this Node are handed out by claims",
        message="{node} advertises no {resource}, but {devices} devices in ResourceSlices.",
        meaning="A DRA driver serves this Node. Pods get a GPU by a ResourceClaim here, and not by the resource's "
        "name.",
        remedy="Verify that way: gpu_k8s_smoke_ask=dra.",
        mistaken_for="A Node without GPUs.",
        sources=("https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",),
    ),
    Entry(
        code="DPL034",
        layer="device_plugin",
        status="fail",
        title="No DRA driver offers GPUs of this Node",
        message="There is no ResourceSlice with GPUs of {node}; {driver}.",
        meaning="The DRA driver's Pod is not on this Node, or it could not start, or the cluster does not serve "
        "resource.k8s.io/v1.",
        remedy="Look at the Pod of the DRA driver's kubelet plugin on this Node, and at its log.",
        mistaken_for="Claims that are wrong: they stay pending.",
        sources=("https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",),
    ),
    Entry(
        code="DPL035",
        layer="device_plugin",
        status="fail",
        title="The DRA driver offers no device of this Node",
        message="The ResourceSlices of {node} hold no device.",
        meaning="The DRA driver looked for GPUs before the driver was ready, and does not look again.",
        remedy="Delete the Pod of the DRA driver's kubelet plugin on this Node.",
        mistaken_for="A DRA driver that works: it runs, and there is a ResourceSlice.",
        sources=("https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/issues/1008",),
    ),
    Entry(
        code="DPL036",
        layer="device_plugin",
        status="fail",
        title="The DRA driver offers fewer GPUs than the host has",
        message="The ResourceSlices of {node} hold {offered} GPUs, its driver recognises {in_nvml}.",
        meaning="Some GPUs were missing when the DRA driver started, or it leaves them out.",
        remedy="Read the log of the DRA driver's kubelet plugin, then delete its Pod on this Node.",
        mistaken_for="GPUs that are in use: those stay in the slice.",
        sources=("https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",),
    ),
    Entry(
        code="DPL037",
        layer="device_plugin",
        status="fail",
        title="The DRA driver offers GPUs that are not the host's",
        message="The ResourceSlices of {node} name {strangers}, which the driver does not know.",
        meaning="The slice is of another machine or from before a change of cards.",
        remedy="Delete the Pod of the DRA driver's kubelet plugin on this Node; if the slice stays, delete it.",
        mistaken_for="A broken driver.",
        sources=("https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",),
    ),
    Entry(
        code="DPL038",
        layer="device_plugin",
        status="fail",
        title="All devices of the ResourceSlices are tainted",
        message="Taints keep all {devices} devices of {node} from being allocated.",
        meaning="The DRA driver or an administrator has taken the devices out of service.",
        remedy="kubectl get resourceslices -o yaml shows the taints and since when; repair what they name.",
        mistaken_for="Claims that are wrong: they stay pending.",
        sources=("https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",),
    ),
    Entry(
        code="DPL039",
        layer="device_plugin",
        status="fail",
        title="The cluster has no DeviceClass for claims",
        message="The cluster has no DeviceClass.",
        meaning="A claim names the class of device that it wants. The DRA driver's installation makes those classes, "
        "and they are not there.",
        remedy="Install the DRA driver with its DeviceClasses (gpu.nvidia.com).",
        mistaken_for="A Node without GPUs.",
        sources=("https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",),
    ),
)
