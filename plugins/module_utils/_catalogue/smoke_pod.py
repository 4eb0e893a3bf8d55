# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about the smoke Pod and its control (checkpoints 5 and 6)."""

from __future__ import annotations

from ._entry import Entry
from .smoke_pod_end import ENTRIES as END
from .smoke_pod_log import ENTRIES as LOG

_PODS = "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/"

_FIRST = (
    Entry(
        code="SMK001",
        layer="smoke_pod",
        status="unknown",
        title="The smoke Pod could not be created",
        message="The {which} Pod could not be created: {reason}",
        meaning="The API refused the Pod (permission, quota, admission) or was not there, so nothing was tried.",
        remedy="The reason names the rule that refused it. Give the right to create Pods in the namespace "
        "{namespace}, or set gpu_k8s_smoke_namespace.",
        mistaken_for="A scheduler without GPUs.",
        sources=("lab",),
    ),
    Entry(
        code="SMK002",
        layer="smoke_pod",
        status="unknown",
        title="Nobody scheduled the smoke Pod",
        message="The {which} Pod waited {seconds:.0f} s and no scheduler has said anything about it.",
        meaning="The scheduler is not running, or another component gates the Pod. The GPUs may be fine.",
        remedy="Look at kube-scheduler in kube-system and at the Pod's schedulingGates and schedulerName.",
        mistaken_for="A Node without free GPUs: then the scheduler says so.",
        sources=(_PODS, "lab"),
    ),
    Entry(
        code="SMK003",
        layer="smoke_pod",
        status="fail",
        title="The node could not start the smoke Pod",
        message="The {which} Pod was placed, but the node could not start it: {reason}",
        meaning="Everything up to the scheduler agreed, and the kubelet or the runtime failed to make the Pod's "
        "sandbox or container. Other new Pods on this node meet the same.",
        remedy="The message names the part that failed: the network plugin, the runtime handler, the device plugin's "
        "allocation, a mount. Read `journalctl -u kubelet -u containerd` on the node around that time.",
        mistaken_for="A GPU without a driver.",
        sources=(_PODS, "lab"),
    ),
    Entry(
        code="SMK004",
        layer="smoke_pod",
        status="fail",
        title="The scheduler refuses to place the smoke Pod on the Node",
        message="The scheduler can't place the {which} Pod on the Node: {reason}",
        meaning="A GPU is free there by the numbers, and something else forbids it: a taint, an affinity, a port, "
        "CPU or memory.",
        remedy="The scheduler's sentence names it; most of what it says about other Nodes does not matter, since the "
        "Pod asks for this one only.",
        mistaken_for="Too few GPUs.",
        sources=("https://kubernetes.io/docs/concepts/scheduling-eviction/",),
    ),
    Entry(
        code="SMK005",
        layer="smoke_pod",
        status="busy",
        title="The last free GPU was taken before the smoke Pod came",
        message="The scheduler found no free {resource} on the Node any more: {reason}",
        meaning="Between the count and the Pod somebody else got the GPU.",
        remedy="Run again when a GPU is free.",
        mistaken_for="A broken device plugin.",
        sources=("https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",),
    ),
    Entry(
        code="SMK006",
        layer="smoke_pod",
        status="unknown",
        title="The smoke Pod's image could not be had",
        message="The image of the {which} Pod could not be had: {reason}",
        meaning="The Pod was placed and its image is missing: nothing was tried. This says nothing about the GPU.",
        remedy="Make the image available to the node, or set gpu_k8s_smoke_image (and gpu_k8s_smoke_pull_secret).",
        mistaken_for="A GPU that does not work.",
        sources=("https://kubernetes.io/docs/concepts/containers/images/", "lab"),
    ),
    Entry(
        code="SMK007",
        layer="smoke_pod",
        status="fail",
        title="The smoke Pod's command failed",
        message="nvidia-smi in the Pod failed with exit code {exit_code}: {says}",
        meaning="The Pod was given a GPU and could not use it.",
        remedy="Read the Pod's log in the evidence. Exit code 127 or a missing library means that the driver's files "
        "were not injected: does the Pod run with the right RuntimeClass (gpu_k8s_runtime_class)?",
        mistaken_for="A Pod that ran: its phase was Running before.",
        sources=(_PODS, "lab"),
    ),
    Entry(
        code="SMK008",
        layer="smoke_pod",
        status="fail",
        title="The smoke Pod saw another number of GPUs than it asked for",
        message="The Pod asked for {asked} GPUs and saw {seen}.",
        meaning="What the device plugin allocated is not what the runtime injected.",
        remedy="Look for NVIDIA_VISIBLE_DEVICES in the image, for privileged default settings, and for two ways of "
        "injection at once.",
        mistaken_for="A pass: the log does list a GPU.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin",),
    ),
    Entry(
        code="SMK009",
        layer="smoke_pod",
        status="fail",
        title="The smoke Pod saw a GPU that is not the host's",
        message="The Pod saw {strangers}, which the host's driver does not know.",
        meaning="The Pod ran on other hardware than the one that was examined.",
        remedy="Check which machine the Node is (PRE004), and whether a driver container serves another device list.",
        mistaken_for="A pass.",
        sources=("lab",),
    ),
    Entry(
        code="SMK010",
        layer="smoke_pod",
        status="unknown",
        title="The smoke Pod's log is missing or not whole",
        message="The {which} Pod ended with exit code {exit_code}, but its log {defect}.",
        meaning="Exit code and log must both say so; without the log nothing is proven.",
        remedy="Look at the kubelet's connection to the API server (port 10250, certificates) with `kubectl logs`, "
        "then run again.",
        mistaken_for="A pass: the exit code was 0.",
        sources=("lab",),
    ),
    Entry(
        code="SMK011",
        layer="smoke_pod",
        status="unknown",
        title="The smoke Pod did not come to an end of its own",
        message="The {which} Pod did not come to an end of its own: {reason}",
        meaning="It was killed, was restarted, was never seen, or was still at it when the time was up. That says "
        "nothing about the GPU, unless it hangs there.",
        remedy="Run again, with more time (gpu_k8s_smoke_timeout) where that was short; if it happens again, look at "
        "the reason and at the node's kernel log.",
        mistaken_for="A GPU that failed.",
        sources=(_PODS,),
    ),
    Entry(
        code="SMK012",
        layer="smoke_pod",
        status="fail",
        title="The smoke Pod's log speaks of a GPU error",
        message="The Pod ended with exit code 0, but its log says: {says}",
        meaning="nvidia-smi prints errors of single GPUs and can still end with 0.",
        remedy="Treat the GPU as broken: look for Xid lines in the node's kernel log.",
        mistaken_for="A pass: the exit code was 0.",
        sources=("https://docs.nvidia.com/deploy/nvidia-smi/",),
    ),
    Entry(
        code="SMK013",
        layer="smoke_pod",
        status="fail",
        title="A Pod that asked for no GPU saw one",
        message="The control Pod, which asked for no GPU, saw {seen}.",
        meaning="GPUs reach Pods without being allocated, so that the smoke Pod's GPU proves nothing about allocation, "
        "and two Pods may share one GPU unknowingly.",
        remedy="Look for a privileged default, mounted devices, or a second hook that injects every GPU.",
        mistaken_for="A pass: the smoke Pod saw its GPU.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin",),
    ),
    Entry(
        code="SMK014",
        layer="smoke_pod",
        status="warning",
        title="The image makes every Pod see all GPUs",
        message="The control Pod saw {seen}, because its image sets NVIDIA_VISIBLE_DEVICES={value}.",
        meaning="The runtime obeys an environment variable of the image, so that Pods get GPUs past the scheduler.",
        remedy="Set accept-nvidia-visible-devices-envvar-when-unprivileged = false in the toolkit's configuration and "
        "let the device plugin hand out devices by CDI or volume mounts.",
        mistaken_for="A fault of the device plugin.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin",),
    ),
    Entry(
        code="SMK015",
        layer="smoke_pod",
        status="unknown",
        title="The smoke Pod's evidence is incomplete",
        message="The evidence of the smoke Pod is incomplete: {missing}",
        meaning="What happened to the Pod was not seen to its end.",
        remedy="Run again; raise gpu_k8s_smoke_timeout when the node is slow.",
        mistaken_for="A pass.",
        sources=("lab",),
    ),
    Entry(
        code="SMK041",
        layer="smoke_pod",
        status="unknown",
        title="No smoke Pod was tried",
        message="No smoke Pod was tried on the Node: {why}.",
        meaning="A Pod would have shown nothing that the layers below have not shown already, or would have done harm. "
        "Without one nothing is proven.",
        remedy="Mend what the reason names, or wait for it; then run again.",
        mistaken_for="A Pod that failed.",
        sources=("lab",),
    ),
    Entry(
        code="SMK017",
        layer="smoke_pod",
        status="fail",
        title="The smoke Pod saw another GPU than the kubelet allocated to it",
        message="The kubelet allocated {allocated} to the Pod, and the Pod saw {seen}.",
        meaning="The runtime injects other GPUs than those that Kubernetes counts as given away, so that Pods can "
        "collide on one GPU.",
        remedy="Compare the device plugin's device ids and device list strategy with the runtime's mode: an index "
        "that is counted differently, or a CDI specification that is out of date.",
        mistaken_for="A pass: the number of GPUs is right.",
        sources=("https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/", "lab"),
    ),
    Entry(
        code="SMK016",
        layer="smoke_pod",
        status="unknown",
        title="The smoke Pod was not where it should be",
        message="The {which} Pod was placed on {placed}, not on {node}.",
        meaning="It proves something about another Node.",
        remedy="Look for a webhook that rewrites Pods, and whether the label kubernetes.io/hostname is unique.",
        mistaken_for="A pass.",
        sources=("https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetesiohostname",),
    ),
)

ENTRIES = (*_FIRST, *END, *LOG)
