# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said of what a smoke Pod saw, beside the first things (smoke_pod.py)."""

from __future__ import annotations

from ._entry import Entry

ENTRIES = (
    Entry(
        code="SMK030",
        layer="smoke_pod",
        status="fail",
        title="CUDA does not work in the smoke Pod",
        message="{image} failed on the GPU that nvidia-smi shows, exit code {exit_code}: {says}",
        meaning="The GPU is there and listed, and computing on it fails.",
        remedy="Read the log in the evidence. Look at the kernel log for Xid, at /dev/nvidia-uvm in the Pod, and on "
        "machines with NVSwitch at the fabric manager.",
        mistaken_for="A pass: nvidia-smi lists the GPU.",
        sources=(
            "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html",
            "https://github.com/NVIDIA/cuda-samples",
        ),
    ),
    Entry(
        code="SMK031",
        layer="smoke_pod",
        status="unknown",
        title="The CUDA image proved nothing",
        message="{image} proved nothing: {why}",
        meaning="It was not had, does not fit the GPU or the driver, was stopped, or ended without a word of success.",
        remedy="Set gpu_k8s_smoke_cuda_image to one for this GPU, driver and architecture, gpu_k8s_smoke_cuda_passes "
        "to what it prints on success, or leave both out.",
        mistaken_for="A GPU that can't compute, or a pass for exit code 0.",
        sources=("https://github.com/NVIDIA/cuda-samples/issues/170",),
    ),
    Entry(
        code="SMK033",
        layer="smoke_pod",
        status="warning",
        title="CUDA will miss something in the Pod",
        message="nvidia-smi works in the Pod, and CUDA will not: {missing} is not there.",
        meaning="The driver's compute library or the node of unified memory was not injected, although compute was "
        "asked for.",
        remedy="Install the driver's compute libraries on the host; `nvidia-modprobe -u -c 0` there and write the CDI "
        "specification again, so that it knows /dev/nvidia-uvm.",
        mistaken_for="A fault of the program that says CUDA unknown error (999).",
        sources=(
            "https://github.com/NVIDIA/nvidia-container-toolkit/issues/50",
            "https://github.com/NVIDIA/gpu-operator/issues/415",
        ),
    ),
    Entry(
        code="SMK034",
        layer="smoke_pod",
        status="fail",
        title="Two smoke Pods saw the same GPU",
        message="Pods that ran at the same time and asked for one GPU each saw the same: {twice}.",
        meaning="What the kubelet counts as different devices is one GPU, without time-slicing or MPS being set up.",
        remedy="Compare the device plugin's ids (kubelet checkpoint) with the CDI specification: indexes that are "
        "counted differently, or two plugins for one resource.",
        mistaken_for="Enough GPUs for everybody.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin",),
    ),
    Entry(
        code="SMK035",
        layer="smoke_pod",
        status="unknown",
        title="A GPU reached no smoke Pod",
        message="{tried} of {total} GPUs were seen by Pods; nobody is known to hold the others: {missing}.",
        meaning="Every GPU that the Node offers was asked for, and these did not come.",
        remedy="Compare what the driver lists with what the device plugin registers; a GPU that is held outside "
        "Kubernetes is free to the scheduler.",
        mistaken_for="A node whose GPUs are all proven.",
        sources=("lab",),
    ),
    Entry(
        code="SMK036",
        layer="smoke_pod",
        status="warning",
        title="Not every GPU was tried",
        message="{tried} of {total} GPUs were tried. Others hold the rest: {missing}.",
        meaning="What other Pods hold can't be asked for.",
        remedy="Run again when they are free; that they work for their holders is not proven here.",
        mistaken_for="A node whose GPUs are all proven.",
        sources=("lab",),
    ),
    Entry(
        code="SMK037",
        layer="smoke_pod",
        status="warning",
        title="The smoke Pod passed only at the second try",
        message="The {which} Pod came to its end only at the second try. The first: {first}",
        meaning="What stopped the first Pod was not the GPU's proof; it may stop other Pods as well.",
        remedy="If it happens again, look at what the first one says; it is in the evidence.",
        mistaken_for="A node without any trouble.",
        sources=(
            "https://github.com/kubernetes/kubernetes/issues/128043",
            "lab",
        ),
    ),
    Entry(
        code="SMK038",
        layer="smoke_pod",
        status="unknown",
        title="The smoke Pod does not ask for a GPU any more",
        message="The live smoke Pod does not ask for {wanted}: something took that out of it.",
        meaning="A mutating webhook changed the Pod on its way. What it shows is no proof of allocation.",
        remedy="Look at the cluster's mutating webhooks and policies (`kubectl get mutatingwebhookconfigurations`), "
        "and exclude the Pods' Namespace.",
        mistaken_for="A device plugin that hands out nothing.",
        sources=("https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/",),
    ),
    Entry(
        code="SMK040",
        layer="smoke_pod",
        status="unknown",
        title="The GPU is closed to the smoke Pod's user",
        message="User {user} may not use the GPU in the Pod: {says}",
        meaning="The driver's device nodes are for root or one group only (NVreg_DeviceFileMode, NVreg_DeviceFileUID). "
        "Pods that run as root may work.",
        remedy="Open the device nodes, or try as root: gpu_k8s_smoke_user=0 in a Namespace that allows it.",
        mistaken_for="A broken GPU.",
        sources=("https://download.nvidia.com/XFree86/Linux-x86_64/550.54.14/README/faq.html",),
    ),
)
