# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about a device plugin that runs and does not serve as it should (checkpoint 3)."""

from __future__ import annotations

from ._entry import Entry

ENTRIES = (
    Entry(
        code="DPL017",
        layer="device_plugin",
        status="fail",
        title="The device plugin can not register with the kubelet",
        message="The device plugin {pod} can not register: {said}.",
        meaning="The plugin calls the kubelet by a socket in a folder that it was given. The kubelet of this Node "
        "listens on {listens}; a kubelet with another root directory (k0s, MicroK8s, --root-dir) is not found where "
        "the plugin looks.",
        remedy="Let the DaemonSet's hostPath be the kubelet's device-plugins folder, then delete the plugin's Pod. "
        "{listens} is where this kubelet listens.",
        mistaken_for="A healthy plugin: its Pod is Running, and tries again every 30 seconds.",
        sources=(
            "https://github.com/NVIDIA/k8s-device-plugin/issues/82",
            "https://github.com/kubernetes/kubernetes/issues/120626",
        ),
    ),
    Entry(
        code="DPL018",
        layer="device_plugin",
        status="fail",
        title="The device plugin has not registered since the kubelet started",
        message="The device plugin {pod} is ready, but the kubelet of {node} has no connection to it.",
        meaning="The kubelet forgets its plugins when it starts. A plugin that does not notice that (it watches a "
        "folder that was replaced, or hangs) stays Running and is not asked any more.",
        remedy="Delete the plugin's Pod on this Node.",
        mistaken_for="A healthy plugin, since its Pod is Ready and its log says that it registered.",
        sources=(
            "https://github.com/NVIDIA/k8s-device-plugin/issues/368",
            "https://github.com/kubernetes/kubernetes/issues/63231",
            "lab",
        ),
    ),
    Entry(
        code="DPL019",
        layer="device_plugin",
        status="fail",
        title="The device plugin may not use its socket",
        message="The device plugin {pod} is denied: {said}.",
        meaning="SELinux, or a user without rights in the container, keeps the plugin from the kubelet's folder.",
        remedy="Look for denials (ausearch -m avc). Restore the label of the folder (restorecon), or let the plugin "
        "run with the rights that its manifest asks for.",
        mistaken_for="A kubelet that does not listen.",
        sources=(
            "https://github.com/NVIDIA/k8s-device-plugin/issues/1105",
            "https://github.com/kubernetes/kubernetes/issues/73240",
        ),
    ),
    Entry(
        code="DPL020",
        layer="device_plugin",
        status="unknown",
        title="What the Node advertises has not settled yet",
        message="{what} a moment ago, and what {node} advertises has not settled: {seen}.",
        meaning="Just after a start the numbers may be those from before, or 0, until the plugin has registered. "
        "Neither is an answer.",
        remedy="Verify again in two minutes, or wait longer: gpu_k8s_settle.",
        mistaken_for="A plugin that is broken, or one that works.",
        sources=(
            "https://github.com/kubernetes/kubernetes/issues/114422",
            "https://github.com/kubernetes/kubernetes/issues/128043",
            "lab",
        ),
    ),
    Entry(
        code="DPL021",
        layer="device_plugin",
        status="fail",
        title="Two device plugins serve the same resource on this Node",
        message="{plugins} have all registered {resource} on {node}.",
        meaning="The kubelet listens to whoever registered last. Devices are then handed out by one plugin under "
        "names of the other: some Pods are refused, or get the wrong GPU or none.",
        remedy="Keep one: take away the plugin that you deployed, or switch off the vendor's own.",
        mistaken_for="An occasional fault of Pods or GPUs, since the numbers look right.",
        sources=(
            "https://github.com/NVIDIA/aicr/issues/1998",
            "https://github.com/bottlerocket-os/bottlerocket/issues/1799",
        ),
    ),
    Entry(
        code="DPL022",
        layer="device_plugin",
        status="warning",
        title="More than one device plugin is on this Node",
        message="On {node} are {plugins}.",
        meaning="If both serve the same GPUs, they get in each other's way. Whether they do could not be seen.",
        remedy="Look at what each of them registers, and keep one for each resource.",
        mistaken_for="Redundancy.",
        sources=("https://github.com/NVIDIA/aicr/issues/1998",),
    ),
    Entry(
        code="DPL028",
        layer="device_plugin",
        status="unknown",
        title="MIG devices are being changed on this Node",
        message="{node} has the label nvidia.com/mig.config.state={state}.",
        meaning="The MIG manager is cutting the GPUs anew. What the Node advertises will change.",
        remedy="Wait until the label says success, and verify again.",
        mistaken_for="A plugin that is broken.",
        sources=("https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-operator-mig.html",),
    ),
    Entry(
        code="DPL029",
        layer="device_plugin",
        status="fail",
        title="The change of the MIG devices failed",
        message="{node} has the label nvidia.com/mig.config.state=failed, and {seen}.",
        meaning="The MIG manager could not cut the GPUs as the label nvidia.com/mig.config asks, often because a "
        "program held a GPU.",
        remedy="Read the MIG manager's log on this Node, stop what holds the GPUs, and set nvidia.com/mig.config "
        "again.",
        mistaken_for="A plugin that is broken.",
        sources=(
            "https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-operator-mig.html",
            "https://github.com/NVIDIA/gpu-operator/issues/1309",
        ),
    ),
    Entry(
        code="DPL030",
        layer="device_plugin",
        status="fail",
        title="The MIG devices don't fit the plugin's MIG strategy",
        message="The device plugin {pod} says: {said}.",
        meaning="With the strategy single all GPUs must be cut into the same MIG devices; the plugin ends or leaves "
        "them out if they are not.",
        remedy="Cut all GPUs alike, or set the strategy to mixed.",
        mistaken_for="A broken driver.",
        sources=("https://github.com/NVIDIA/gpu-operator/issues/460", "https://github.com/NVIDIA/k8s-device-plugin"),
    ),
    Entry(
        code="DPL031",
        layer="device_plugin",
        status="fail",
        title="The device plugin's configuration does not exist",
        message="The device plugin {pod} says: {said}.",
        meaning="A label of the Node names a configuration (nvidia.com/device-plugin.config) that the plugin's "
        "ConfigMap does not hold.",
        remedy="Correct the label, or add the configuration to the ConfigMap.",
        mistaken_for="A plugin that crashes.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin", "https://github.com/NVIDIA/gpu-operator/issues/2641"),
    ),
    Entry(
        code="DPL032",
        layer="device_plugin",
        status="fail",
        title="The device plugin waits for MPS",
        message="The device plugin {pod} says: {said}.",
        meaning="Sharing by MPS needs its control daemon on the Node, which is a DaemonSet of its own, and does not "
        "go with MIG.",
        remedy="Look at the Pod of the MPS control daemon on this Node (it needs the label "
        "nvidia.com/mps.capable=true), or share by time-slicing.",
        mistaken_for="A broken GPU.",
        sources=(
            "https://github.com/NVIDIA/k8s-device-plugin/issues/762",
            "https://github.com/NVIDIA/k8s-device-plugin/issues/712",
        ),
    ),
)
