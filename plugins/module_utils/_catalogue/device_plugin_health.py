# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about devices that were taken out of service (checkpoint 3)."""

from __future__ import annotations

from ._entry import Entry

ENTRIES = (
    Entry(
        code="DPL025",
        layer="device_plugin",
        status="fail",
        title="The device plugin is gone, and the kubelet still remembers its devices",
        message="{node} still counts {capacity} {resource}, none of which can be allocated: no plugin serves them "
        "any more.",
        meaning="When a plugin goes, the kubelet marks its devices unhealthy at once, and sets the number to 0 some "
        "minutes later. The resource's name stays on the Node.",
        remedy="Find out why the plugin is not there (its DaemonSet, its node selector, its service) and bring it "
        "back.",
        mistaken_for="Broken GPUs.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin/issues/58", "lab"),
    ),
    Entry(
        code="DPL026",
        layer="device_plugin",
        status="fail",
        title="The device plugin took GPUs out of service after a critical Xid",
        message="Of {capacity} {resource} only {allocatable} can be allocated. The plugin says: Xid {xids}.",
        meaning="The driver reported an error of the GPU. The plugin does not take the GPU back by itself, and a "
        "restart of the plugin takes it back unseen, healthy or not.",
        remedy="Look the Xid up in NVIDIA's list and examine the GPU (kernel log, nvidia-smi -q); reset or replace "
        "it, and only then delete the plugin's Pod.",
        mistaken_for="GPUs that are in use: allocatable does not shrink when a GPU is allocated.",
        sources=(
            "https://docs.nvidia.com/deploy/xid-errors/",
            "https://github.com/NVIDIA/k8s-device-plugin/issues/75",
            "lab",
        ),
    ),
    Entry(
        code="DPL027",
        layer="device_plugin",
        status="fail",
        title="The device plugin lost sight of the GPUs",
        message="Of {capacity} {resource} only {allocatable} can be allocated. The plugin says: {said}.",
        meaning="The plugin can not receive the driver's events any more, as after the driver was loaded anew "
        "beneath it, and so takes all devices out of service.",
        remedy="Delete the plugin's Pod on this Node.",
        mistaken_for="Broken GPUs: on the host they work.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin/issues/669",),
    ),
)
