# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said of a smoke Pod that did not come to an end of its own, and of the layers that are to blame for it."""

from __future__ import annotations

from ._entry import Entry

_PODS = "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/"

ENTRIES = (
    Entry(
        code="SMK018",
        layer="smoke_pod",
        status="unknown",
        title="Somebody deleted the smoke Pod",
        message="The {which} Pod was deleted by somebody else before it had come to its end.",
        meaning="A controller, a clean-up job or a person removed it before it had ended. That says nothing about the "
        "GPU.",
        remedy="Find out who deletes Pods in the Namespace (the API server's audit log, descheduler, policy "
        "controllers), or set gpu_k8s_smoke_namespace.",
        mistaken_for="A node that lost the Pod.",
        sources=(
            _PODS,
            "lab",
        ),
    ),
    Entry(
        code="SMK019",
        layer="smoke_pod",
        status="unknown",
        title="The node evicted the smoke Pod",
        message="The node put the {which} Pod out: {reason}",
        meaning="The kubelet makes room under pressure of memory, disk or processes, or the node is shutting down.",
        remedy="Free what the reason names (`kubectl describe node`, conditions MemoryPressure, DiskPressure, "
        "PIDPressure); a large image may itself fill the disk.",
        mistaken_for="A GPU that failed.",
        sources=(
            "https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/",
            "https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/",
        ),
    ),
    Entry(
        code="SMK020",
        layer="smoke_pod",
        status="unknown",
        title="The smoke Pod had to make room",
        message="The {which} Pod was taken away for another purpose: {reason}",
        meaning="It was preempted by a Pod of higher priority, drained, or removed for a taint that came meanwhile. "
        "Whoever preempted it may now hold the GPU.",
        remedy="Run again when the node is calm, or give the Pods a priority (gpu_k8s_smoke_priority_class).",
        mistaken_for="A GPU that failed.",
        sources=("https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions",),
    ),
    Entry(
        code="SMK021",
        layer="smoke_pod",
        status="unknown",
        title="The smoke Pod ran out of memory",
        message="The {which} Pod reached its memory limit (exit code {exit_code}, OOMKilled).",
        meaning="A process in it was killed for memory; even with exit code 0 something was cut short. This is about "
        "the limit, not the GPU.",
        remedy="Raise gpu_k8s_smoke_memory.",
        mistaken_for="A pass, where the exit code is 0; else a GPU out of memory.",
        sources=("https://kubernetes.io/docs/tasks/configure-pod-container/assign-memory-resource/",),
    ),
    Entry(
        code="SMK022",
        layer="smoke_pod",
        status="unknown",
        title="The node fell silent while it had the smoke Pod",
        message="The {which} Pod was placed, and its node lost it: {reason}",
        meaning="The kubelet or the runtime stopped, was restarted, or the node went away. Whether the GPU did that is "
        "not known.",
        remedy="Look at the kubelet and the runtime on the node (`systemctl status kubelet containerd`) and at the "
        "kernel log before the last boot: a GPU can take its node with it (Xid 79).",
        mistaken_for="A Pod that is only slow.",
        sources=(
            _PODS,
            "lab",
        ),
    ),
    Entry(
        code="SMK023",
        layer="toolkit",
        status="fail",
        title="The node's runtime lacks the RuntimeClass's handler",
        message="The RuntimeClass {runtime_class} of the Pods names a handler that the node's runtime does not have: "
        "{says}",
        meaning="The Pod was placed, and the runtime can't even make its sandbox. The RuntimeClass and the runtime's "
        "settings were made for each other elsewhere, or the runtime was not restarted since it was configured.",
        remedy="Compare the handler of the RuntimeClass with those that the runtime has loaded (`crictl info`, and "
        "status.runtimeHandlers of the Node): configure the runtime with nvidia-ctk and restart it, correct the "
        "RuntimeClass, or name another one in gpu_k8s_runtime_class.",
        mistaken_for="A Pod that is only slow to start: it stays in ContainerCreating.",
        sources=("https://kubernetes.io/docs/concepts/containers/runtime-class/", "lab"),
    ),
    Entry(
        code="SMK024",
        layer="smoke_pod",
        status="unknown",
        title="The node refused the smoke Pod for something else than the GPU",
        message="The node refused the {which} Pod that the scheduler had placed there: {reason}",
        meaning="CPU, memory, ports or NUMA alignment were not there when it came, or the Node's labels had changed.",
        remedy="The reason names it. OutOf... passes when the scheduler has caught up; TopologyAffinityError is the "
        "topology manager's policy.",
        mistaken_for="A device plugin without devices.",
        sources=("https://kubernetes.io/docs/tasks/administer-cluster/topology-manager/",),
    ),
    Entry(
        code="SMK028",
        layer="smoke_pod",
        status="unknown",
        title="The image does not run on this node",
        message="The image {image} of the {which} Pod does not run here: {reason}",
        meaning="It is built for another architecture than the Node's, or lacks a shell. Nothing was tried.",
        remedy="Set gpu_k8s_smoke_image to one for the Node's architecture (`kubectl get node -o wide`, column of "
        "labels kubernetes.io/arch) that has /bin/sh; pin it by the digest of that architecture.",
        mistaken_for="A broken container runtime.",
        sources=("https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/pull/163",),
    ),
    Entry(
        code="SMK029",
        layer="smoke_pod",
        status="warning",
        title="The image is of a newer CUDA than the driver",
        message="The image {image} is of CUDA {cuda}, which needs a driver of branch {oldest} or newer; this one is of "
        "{branch}.",
        meaning="nvidia-smi works in it all the same; programs of that CUDA do not, and the toolkit may refuse to "
        "start it.",
        remedy="Take an image of an older CUDA (gpu_k8s_smoke_image, gpu_k8s_smoke_cuda_image), or a newer driver.",
        mistaken_for="A broken driver, when the Pod does not start.",
        sources=("https://docs.nvidia.com/deploy/cuda-compatibility/",),
    ),
    Entry(
        code="SMK039",
        layer="smoke_pod",
        status="unknown",
        title="The smoke Pod's own settings keep it from starting",
        message="The kubelet can't make the {which} Pod's container from its settings: {reason}",
        meaning="A user, a Secret or a ConfigMap does not fit the image or the Namespace. Nothing was tried.",
        remedy="The reason names it: gpu_k8s_smoke_user for an image's user, gpu_k8s_smoke_pull_secret for a Secret.",
        mistaken_for="A node that can't start Pods.",
        sources=(_PODS,),
    ),
    Entry(
        code="DPL060",
        layer="device_plugin",
        status="fail",
        title="The kubelet had no device for a Pod that was scheduled",
        message="The {which} Pod was placed for a free GPU, and the kubelet could not allocate it: {reason}",
        meaning="The device plugin is not registered, has no healthy device left, or fails when it is asked; what the "
        "Node advertises is out of date. A Pod that came after it met the same.",
        remedy="Restart the device plugin on this Node and read its log and the kubelet's (`journalctl -u kubelet | "
        "grep -i device`) of that second; after a GPU error (Xid) the node needs more than that.",
        mistaken_for="A scheduler that counts wrongly.",
        sources=(
            "https://github.com/kubernetes/kubernetes/issues/109595",
            "https://github.com/NVIDIA/k8s-device-plugin/issues/153",
        ),
    ),
    Entry(
        code="DPL061",
        layer="device_plugin",
        status="fail",
        title="The DRA driver could not prepare the Pod's claim",
        message="The {which} Pod's claim was allocated, and the node could not prepare it: {reason}",
        meaning="The scheduler chose a device of the ResourceSlices; the DRA driver's part on the node failed or is "
        "not registered.",
        remedy="Look at the DRA driver's kubelet plugin on this Node, at its log, and at `kubectl get resourceclaims`.",
        mistaken_for="A container runtime that can't start Pods.",
        sources=("https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",),
    ),
)
