# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said when a container can't be started with a GPU, or can't use it, and the cause is certain."""

from __future__ import annotations

from ._entry import Entry

_TROUBLE = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/troubleshooting.html"

ENTRIES = (
    Entry(
        code="TKT017",
        layer="toolkit",
        status="fail",
        title="The container has the GPU's device node and may not open it",
        message="The container has {devices} and may not open it, since no-cgroups is true: {says}",
        meaning="With no-cgroups the device is not allowed in the container's control group. The setting is meant for "
        "a runtime without root.",
        remedy="`nvidia-ctk config --in-place --set nvidia-container-cli.no-cgroups=false`",
        mistaken_for="The driver: nvidia-smi in the container says Unknown Error.",
        sources=("https://github.com/NVIDIA/nvidia-container-toolkit/issues/580",),
    ),
    Entry(
        code="TKT019",
        layer="toolkit",
        status="fail",
        title="NVIDIA's runtime can't find the runtime below it",
        message="NVIDIA's runtime can't find a runtime to hand its work to: {says}",
        meaning="nvidia-container-runtime only edits the specification; runc or crun starts the container. Neither is "
        "in the PATH of the service.",
        remedy='Name it by its full path: `runtimes = ["/usr/bin/runc"]` below [nvidia-container-runtime] in the '
        "toolkit's config.toml.",
        mistaken_for="A toolkit that is not installed.",
        sources=("https://github.com/NVIDIA/nvidia-container-toolkit", "lab"),
    ),
    Entry(
        code="TKT022",
        layer="toolkit",
        status="fail",
        title="The toolkit looks for the driver's libraries in the wrong place",
        message="The host's nvidia-smi works, and the toolkit, with root {root}, finds no driver library: {says}",
        meaning="root or ldcache in the toolkit's config.toml lead elsewhere: to the driver container's folder on a "
        "host with a driver of its own, or the reverse; or the daemon lives in another root (a snap).",
        remedy="`nvidia-ctk config --in-place --set nvidia-container-cli.root=/` for a driver on the host, "
        "`/run/nvidia/driver` for the GPU Operator's driver container; `ldconfig` on the host.",
        mistaken_for="A driver that is not installed.",
        sources=("https://github.com/NVIDIA/gpu-operator/issues/1292",),
    ),
    Entry(
        code="TKT023",
        layer="toolkit",
        status="unknown",
        title="The image asks for a newer driver than the host has",
        message="The image {image} asks for a newer driver than the host has, so the toolkit did not start it: {says}",
        meaning="Images for an older CUDA may run well. This one proves nothing about the node.",
        remedy="Set gpu_k8s_smoke_image to an image for the CUDA version that `nvidia-smi` names, or an older one; "
        "or upgrade the driver.",
        mistaken_for="A broken toolkit.",
        sources=("https://github.com/NVIDIA/nvidia-container-toolkit/issues/152",),
    ),
    Entry(
        code="TKT024",
        layer="toolkit",
        status="fail",
        title="SELinux keeps the container from its GPU",
        message="The container has {devices} and is not permitted to use it, and SELinux enforces: {says}",
        meaning="Containers may not touch what has the device's label.",
        remedy="`ausearch -m avc -ts recent` shows what is refused. `setsebool -P container_use_devices on`, or "
        "`restorecon -v /dev/nvidia*`.",
        mistaken_for="The modes of the device nodes.",
        sources=(_TROUBLE, "https://github.com/NVIDIA/nvidia-container-toolkit/issues/33"),
    ),
    Entry(
        code="TKT025",
        layer="toolkit",
        status="fail",
        title="The toolkit can't run the host's ldconfig",
        message="The toolkit can't run the ldconfig that its configuration names: {says}",
        meaning="The driver's libraries are in the container and its loader does not know them.",
        remedy="`nvidia-ctk config --in-place --set nvidia-container-cli.ldconfig=@/sbin/ldconfig` "
        "(`@/sbin/ldconfig.real` on Ubuntu).",
        mistaken_for="The image.",
        sources=("https://github.com/NVIDIA/nvidia-container-toolkit/issues/147",),
    ),
    Entry(
        code="TKT026",
        layer="toolkit",
        status="fail",
        title="The toolkit can't change the container's device filter",
        message="The toolkit can't allow the GPU in the container's control group: {says}",
        meaning="In mode legacy it rewrites the filter of the control group, which hardening of the kernel, an old "
        "libnvidia-container or a user namespace prevents.",
        remedy="Upgrade the toolkit, whose newer modes leave this to the runtime "
        "(`nvidia-ctk config --in-place --set nvidia-container-runtime.mode=auto`).",
        mistaken_for="The kernel's control groups being broken.",
        sources=("https://github.com/NVIDIA/libnvidia-container/issues/176",),
    ),
    Entry(
        code="TKT027",
        layer="toolkit",
        status="fail",
        title="Two ways of injecting GPUs are in each other's way",
        message="The GPU is injected in two ways at once: {says}",
        meaning="An OCI hook of an older installation, or a second request, meets a toolkit of another mode.",
        remedy="Keep one way: remove oci-nvidia-hook.json from the folders oci/hooks.d, or set the toolkit's mode to "
        "auto.",
        mistaken_for="A faulty CDI specification.",
        sources=("https://github.com/NVIDIA/nvidia-container-toolkit/issues/772",),
    ),
    Entry(
        code="TKT028",
        layer="toolkit",
        status="fail",
        title="The container has its GPU and not /dev/nvidia-uvm",
        message="The container got {asked} and not /dev/nvidia-uvm, which the host has.",
        meaning="nvidia-smi works in the container, and no CUDA program does. The CDI specification was written before "
        "the module nvidia_uvm was loaded.",
        remedy="Write the CDI specification again: `nvidia-ctk cdi generate --output=/var/run/cdi/nvidia.yaml`.",
        mistaken_for="A healthy container: nvidia-smi lists the GPU.",
        sources=("https://github.com/NVIDIA/nvidia-container-toolkit/issues/50", "lab"),
    ),
    Entry(
        code="TKT031",
        layer="toolkit",
        status="unknown",
        title="The image has no shell",
        message="The image {image} has no /bin/sh, so that nothing could be tried in it: {says}",
        meaning="The experiment runs a few lines of shell. An image without one proves nothing.",
        remedy="Set gpu_k8s_smoke_image to an image with a shell, such as the default.",
        mistaken_for="A runtime that can't start containers.",
        sources=("lab",),
    ),
)
