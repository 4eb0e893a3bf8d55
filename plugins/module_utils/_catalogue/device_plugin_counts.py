# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about the names and numbers that a Node advertises (checkpoint 3)."""

from __future__ import annotations

from ._entry import Entry

ENTRIES = (
    Entry(
        code="DPL001",
        layer="device_plugin",
        status="fail",
        title="The Node advertises no GPU",
        message="The Node {node} advertises no {resource}.",
        meaning="No device plugin has registered this resource with the kubelet of this Node, so that the scheduler "
        "does not know of any GPU there. A plugin Pod that is Running is no proof of the contrary.",
        remedy="Look at the plugin's Pod on this Node and at its log: is one scheduled there (node selector, taints), "
        "and does it say that it found devices? If the resource has another name, set gpu_k8s_resource.",
        mistaken_for="The scheduler: a Pod stays Pending with `Insufficient {resource}`.",
        sources=(
            "https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/",
            "lab",
        ),
    ),
    Entry(
        code="DPL006",
        layer="device_plugin",
        status="unknown",
        title="The Node advertises its GPUs under another name",
        message="The Node {node} advertises no {resource}, but {others}.",
        meaning="MIG profiles, shared GPUs or a renamed resource: the plugin has registered, and Pods that ask for "
        "the usual name get nothing here.",
        remedy="Set gpu_k8s_resource to the resource that your Pods ask for.",
        mistaken_for="A Node without GPUs.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin",),
    ),
    Entry(
        code="DPL002",
        layer="device_plugin",
        status="fail",
        title="The Node advertises fewer GPUs than its driver recognises",
        message="The Node advertises {capacity} {resource}, its driver recognises {in_nvml} GPUs.",
        meaning="The device plugin left GPUs out: they were missing when it started, or are excluded by its settings.",
        remedy="Read the plugin's log on this Node, then restart its Pod so that it lists the devices again.",
        mistaken_for="GPUs that are in use: allocated GPUs still count in capacity.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin", "lab"),
    ),
    Entry(
        code="DPL003",
        layer="device_plugin",
        status="fail",
        title="The Node has GPUs that the kubelet holds to be unhealthy",
        message="Of {capacity} {resource} only {allocatable} can be allocated; the rest is unhealthy.",
        meaning="The device plugin has reported GPUs as unhealthy after a critical Xid, or it is gone and the kubelet "
        "still remembers its devices.",
        remedy="Read the plugin's log on this Node for the GPU and the Xid, and the kernel log. After repair restart "
        "the plugin's Pod: it does not take a GPU back by itself.",
        mistaken_for="GPUs that are in use: allocatable does not shrink when a GPU is allocated.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin", "lab"),
    ),
    Entry(
        code="DPL004",
        layer="device_plugin",
        status="unknown",
        title="The Node advertises more GPUs than its driver recognises",
        message="The Node advertises {capacity} {resource}, its driver recognises {in_nvml} GPUs.",
        meaning="The GPUs are shared (time-slicing, MPS), or the number is left over from before a change. Only the "
        "sharing says so, and nothing of it was seen.",
        remedy="If GPUs are meant to be shared, look at the plugin's sharing settings; otherwise restart the plugin's "
        "Pod and compare again.",
        mistaken_for="More hardware.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin",),
    ),
    Entry(
        code="DPL005",
        layer="device_plugin",
        status="fail",
        title="The kubelet's devices are not the host's GPUs",
        message="The kubelet's checkpoint names {strangers}, which the driver does not know.",
        meaning="The plugin registered devices that are not, or not any more, in this host: a replaced card, a copied "
        "disk image, a plugin that lists another machine's devices.",
        remedy="Restart the device plugin's Pod on this Node; if the names stay, remove the kubelet's checkpoint file "
        "and restart the kubelet while the node is drained.",
        mistaken_for="A broken driver.",
        sources=("https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/",),
    ),
)
