# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said where no device plugin serves the Node (checkpoint 3)."""

from __future__ import annotations

from ._entry import Entry

ENTRIES = (
    Entry(
        code="DPL007",
        layer="device_plugin",
        status="fail",
        title="The device plugin runs and found no devices",
        message="The device plugin {pod} runs on {node} and says that it found no devices.",
        meaning="The plugin looks for GPUs once, when it starts. If the driver was not ready then, or every device "
        "is filtered out by its settings, it waits for ever, and its Pod stays Running and Ready.",
        remedy="Delete the plugin's Pod on this Node, so that it looks again. If that does not help, compare its "
        "settings (MIG strategy, resources) with the host's GPUs. Let it fail instead: FAIL_ON_INIT_ERROR=true.",
        mistaken_for="A healthy plugin, since its Pod is Running, or a full cluster.",
        sources=(
            "https://github.com/NVIDIA/k8s-device-plugin/issues/1080",
            "https://github.com/NVIDIA/k8s-device-plugin/issues/414",
        ),
    ),
    Entry(
        code="DPL008",
        layer="device_plugin",
        status="fail",
        title="The device plugin can not load the driver's library",
        message="The device plugin {pod} can not load NVML. It says: {said}",
        meaning="The plugin's own container was started without the driver's files: its Pod does not name the "
        "RuntimeClass of the NVIDIA runtime, which is not the default here, or the plugin looks below another driver "
        "root.",
        remedy="Set runtimeClassName of the plugin's DaemonSet to the NVIDIA RuntimeClass (or make that runtime the "
        "default), and its driver root to where the driver lies. Then let its Pods start anew.",
        mistaken_for="A broken driver: on the host it works.",
        sources=(
            "https://github.com/NVIDIA/k8s-device-plugin",
            "https://github.com/NVIDIA/k8s-device-plugin/issues/856",
            "lab",
        ),
    ),
    Entry(
        code="DPL009",
        layer="device_plugin",
        status="fail",
        title="The device plugin met a driver error and has not looked since",
        message="The device plugin {pod} says: {said}. The host's driver works now.",
        meaning="The driver was changed or repaired while the plugin ran or started. The plugin does not look again.",
        remedy="Delete the plugin's Pod on this Node.",
        mistaken_for="A driver that is broken now.",
        sources=(
            "https://github.com/NVIDIA/k8s-device-plugin/issues/1431",
            "https://github.com/NVIDIA/k8s-device-plugin/issues/221",
        ),
    ),
    Entry(
        code="DPL010",
        layer="driver",
        status="fail",
        title="The device plugin tells of a broken driver",
        message="The device plugin {pod} says: {said}. The driver layer of this host was not examined.",
        meaning="The plugin's first step is to ask the driver, and the driver refuses it.",
        remedy="Verify the driver layer of this host (leave out --tags, or check that it can be reached), and repair "
        "what it names; then delete the plugin's Pod.",
        mistaken_for="A broken device plugin.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin/issues/1431",),
    ),
    Entry(
        code="DPL011",
        layer="device_plugin",
        status="fail",
        title="No device plugin is deployed",
        message="The cluster has no DaemonSet of a GPU device plugin, and no plugin's Pod or service is on {node}.",
        meaning="Nobody tells the kubelet of the GPUs. Drivers and toolkit alone don't make a GPU schedulable.",
        remedy="Deploy NVIDIA's device plugin or the GPU Operator, or switch on the vendor's own plugin.",
        mistaken_for="A broken plugin.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin",),
    ),
    Entry(
        code="DPL012",
        layer="device_plugin",
        status="fail",
        title="The device plugin is not meant for this Node, by its labels",
        message="{daemon_set} makes no Pod for {node}: it asks for {missing}.",
        meaning="The plugin's node selector or affinity does not match this Node's labels. Such labels are often set "
        "by Node Feature Discovery, which may be missing or write them in another form. The DaemonSet itself looks "
        "complete.",
        remedy="Find out why the label is missing (is Node Feature Discovery running here?), or set it: kubectl "
        "label node {node} nvidia.com/gpu.present=true, or what the DaemonSet asks for.",
        mistaken_for="A plugin that is fully rolled out, as kubectl get daemonset shows it.",
        sources=(
            "https://github.com/NVIDIA/k8s-device-plugin/issues/708",
            "https://github.com/NVIDIA/k8s-device-plugin/issues/1213",
            "https://github.com/NVIDIA/gpu-operator/issues/423",
            "lab",
        ),
    ),
    Entry(
        code="DPL013",
        layer="device_plugin",
        status="fail",
        title="A taint keeps the device plugin off this Node",
        message="{daemon_set} makes no Pod for {node}: it does not tolerate {taints}.",
        meaning="The plugin's DaemonSet lacks a toleration for a taint of this Node.",
        remedy="Add the toleration to the plugin's DaemonSet (and to that of Node Feature Discovery), or remove the "
        "taint.",
        mistaken_for="A plugin that is fully rolled out, as kubectl get daemonset shows it.",
        sources=("https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/", "lab"),
    ),
    Entry(
        code="DPL043",
        layer="device_plugin",
        status="fail",
        title="The startup taint keeps the device plugin off this Node",
        message="{daemon_set} makes no Pod for {node}: it does not tolerate {taints}.",
        meaning="The Node joined with gpu.k8s/unverified and waits for a verification to take it away. What makes its "
        "GPUs usable has to come before that, and so must tolerate the taint.",
        remedy="Add the toleration {{key: gpu.k8s/unverified, operator: Exists, effect: NoSchedule}} to the plugin's "
        "DaemonSet, and to everything else that the Node's GPUs need: the GPU Operator's DaemonSets, Node Feature "
        "Discovery. docs/startup-taint.md tells where each has it.",
        mistaken_for="A plugin that is fully rolled out, as kubectl get daemonset shows it.",
        sources=("https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/", "lab"),
    ),
    Entry(
        code="DPL014",
        layer="device_plugin",
        status="fail",
        title="A label keeps the device plugin off this Node on purpose",
        message="{node} has the label {label}, which keeps the device plugin away.",
        meaning="The GPU Operator or the vendor was told to run no plugin here, or pauses it while it changes the "
        "driver or MIG devices. A manager that dies in between leaves the pause behind.",
        remedy="If a change is under way, wait for it; look at the log of the driver or MIG manager if it does not "
        "end. Else set the label to what it should be (true), or choose another Node: one for virtual machines has "
        "no GPUs for Pods.",
        mistaken_for="A plugin that is fully rolled out, as kubectl get daemonset shows it.",
        sources=(
            "https://github.com/NVIDIA/gpu-operator/issues/316",
            "https://github.com/NVIDIA/gpu-operator/issues/470",
        ),
    ),
    Entry(
        code="DPL015",
        layer="device_plugin",
        status="fail",
        title="The cluster refuses to create the device plugin's Pods",
        message="The Pods of {daemon_set} can not be created: {reason}",
        meaning="A quota for the priority class, Pod Security, a security context constraint or a policy's webhook "
        "refuses the plugin's Pod, so that there is none to look at.",
        remedy="Allow what the message names: label the Namespace pod-security.kubernetes.io/enforce=privileged, add "
        "a ResourceQuota for the system priority classes (GKE), or a constraint (OpenShift).",
        mistaken_for="A plugin that is still starting.",
        sources=(
            "https://github.com/NVIDIA/gpu-operator/issues/660",
            "https://github.com/NVIDIA/gpu-operator/issues/48",
        ),
    ),
    Entry(
        code="DPL016",
        layer="device_plugin",
        status="fail",
        title="The device plugin's Pod on this Node is not ready",
        message="The device plugin {pod} is not ready: {why}.",
        meaning="The plugin can not start on this Node, or ends again and again, and registers nothing.",
        remedy="kubectl describe the Pod and read its log, also that of the container before (kubectl logs "
        "--previous).",
        mistaken_for="The scheduler: GPU Pods stay Pending.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin", "lab"),
    ),
    Entry(
        code="DPL040",
        layer="device_plugin",
        status="fail",
        title="The operating system's plugin service does not run",
        message="{units} is installed on {node} and not active.",
        meaning="This OS image brings the device plugin as a service, not as a Pod. It has ended or was never started.",
        remedy="systemctl status and journalctl -u of that service on the node; then start it.",
        mistaken_for="A cluster without a plugin: no DaemonSet is expected here.",
        sources=("https://github.com/bottlerocket-os/bottlerocket/issues/3132",),
    ),
    Entry(
        code="DPL041",
        layer="device_plugin",
        status="fail",
        title="The GPU Operator does not recognise this Node as one with GPUs",
        message="No plugin's Pod is on {node}; the GPU Operator says {reason}: {said}",
        meaning="The operator acts on Nodes with the labels of Node Feature Discovery. Without them it deploys "
        "nothing, and calls itself ready.",
        remedy="Let Node Feature Discovery run on this Node (its tolerations, its settings for PCI labels), until "
        "feature.node.kubernetes.io/pci-10de.present=true is there.",
        mistaken_for="An operator that works, since its ClusterPolicy is ready.",
        sources=("https://github.com/NVIDIA/gpu-operator/issues/423",),
    ),
    Entry(
        code="DPL042",
        layer="device_plugin",
        status="fail",
        title="The Node advertises no GPU, and the GPU Operator is not ready",
        message="The Node {node} advertises no {resource}. The GPU Operator says {reason}: {said}",
        meaning="The operator brings the driver, the toolkit and the plugin in turn, and waits for each. What it says "
        "may explain why no plugin has registered here; it may also be about another Node.",
        remedy="kubectl describe clusterpolicy, and look at the operand that it names on this Node.",
        mistaken_for="The scheduler: a Pod stays Pending with `Insufficient {resource}`.",
        sources=("https://github.com/NVIDIA/gpu-operator/issues/1567",),
    ),
)
