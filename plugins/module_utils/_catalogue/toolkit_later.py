# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Warnings: what works now and will not always. They never change a status."""

from __future__ import annotations

from ._entry import Entry

_TROUBLE = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/troubleshooting.html"

ENTRIES = (
    Entry(
        code="TKT032",
        layer="toolkit",
        status="warning",
        title="Running containers will lose their GPU at the next daemon-reload",
        message="The toolkit works in mode legacy, handler {handler} uses systemd's control groups, and /dev/char has "
        "no links for the GPUs.",
        meaning="systemd writes the device rules of a container anew at each `systemctl daemon-reload`, and does not "
        "know the GPU that the toolkit added. Containers that ran well then say Unknown Error.",
        remedy="`nvidia-ctk config --in-place --set nvidia-container-runtime.mode=auto` with a toolkit of 1.18 or "
        "newer, or `nvidia-ctk system create-dev-char-symlinks --create-all` at each boot.",
        mistaken_for="A driver that fails now and then.",
        sources=("https://github.com/NVIDIA/nvidia-container-toolkit/issues/48", _TROUBLE),
    ),
    Entry(
        code="TKT033",
        layer="toolkit",
        status="warning",
        title="The kubelet's CPU manager will take the GPU away again",
        message="The kubelet's CPU manager policy is static, and the toolkit works in mode legacy.",
        meaning="Some seconds after the start the kubelet updates a Guaranteed Pod's container, which resets its "
        "device rules: a short smoke Pod passes, a real one loses its GPU.",
        remedy="Set compatWithCPUManager (PASS_DEVICE_SPECS) in the device plugin, or let it use CDI.",
        mistaken_for="A healthy node.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin/issues/145",),
    ),
    Entry(
        code="TKT034",
        layer="toolkit",
        status="warning",
        title="The next restart of the runtime loses the handler",
        message="Handler {handler} is loaded, and not in {where} any more.",
        meaning="The file was changed after the daemon started, or a distribution will write it anew from a template "
        "that lacks the handler.",
        remedy="Put it where it stays: `nvidia-ctk runtime configure` for a plain containerd; config.toml.tmpl or "
        "config-v3.toml.tmpl of k3s and RKE2; containerd-template.toml of MicroK8s.",
        mistaken_for="A configured node, until it reboots.",
        sources=("https://docs.rke2.io/advanced", "https://github.com/canonical/microk8s/issues/3959"),
    ),
    Entry(
        code="TKT035",
        layer="toolkit",
        status="warning",
        title="An image can take all GPUs without asking Kubernetes",
        message="NVIDIA's runtime is the default ({handler}), and it obeys NVIDIA_VISIBLE_DEVICES of any image.",
        meaning="CUDA images set it to all. A Pod of such an image that asks for no GPU sees every GPU, so that it "
        "disturbs those who were given one.",
        remedy="Set accept-nvidia-visible-devices-envvar-when-unprivileged to false in the toolkit's config.toml, and "
        "deviceListStrategy of the device plugin to volume-mounts or cdi-cri; or make another runtime the default.",
        mistaken_for="A scheduler that gives out GPUs twice.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin/issues/87",),
    ),
    Entry(
        code="TKT036",
        layer="toolkit",
        status="warning",
        title="A CDI specification is out of date",
        message="{path} does not fit this host: {what}.",
        meaning="The way that was tried does not use it, or not this part of it. Whoever asks for GPUs by it fails.",
        remedy="Write it again: `nvidia-ctk cdi generate --output={path}`, or remove it; "
        "`systemctl status nvidia-cdi-refresh.path` tells whether that is done after each change of the driver.",
        mistaken_for="A specification that works: `nvidia-ctk cdi list` lists it.",
        sources=("https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/cdi-support.html",),
    ),
    Entry(
        code="TKT037",
        layer="toolkit",
        status="warning",
        title="A program of the Pod network is not where the runtime looks for it",
        message="{config} names {missing}, and the runtime's folders for CNI programs do not have it.",
        meaning="No new Pod with a network of its own can start, with or without a GPU. A toolkit that rewrites "
        "containerd's configuration can lose its CNI folder.",
        remedy="Compare bin_dirs in `containerd config dump` with where the network's programs are, and set it again.",
        mistaken_for="A network plugin that is broken; the toolkit was the last to touch the runtime.",
        sources=("https://github.com/NVIDIA/nvidia-container-toolkit/issues/1222",),
    ),
    Entry(
        code="TKT038",
        layer="toolkit",
        status="warning",
        title="The container got no CUDA library",
        message="The container asked for compute and utility, and no libcuda.so was put into it.",
        meaning="nvidia-smi works without it and CUDA does not, unless the image has it by another way.",
        remedy="Install the driver's compute libraries on the host (libnvidia-compute, nvidia-driver-cuda-libs), and "
        "see that supported-driver-capabilities of the toolkit includes compute.",
        mistaken_for="A healthy container: nvidia-smi lists the GPU.",
        sources=("https://github.com/rapidsai/docker/issues/405",),
    ),
    Entry(
        code="TKT039",
        layer="toolkit",
        status="warning",
        title="The toolkit is set up as for a runtime without root",
        message="no-cgroups is true in the toolkit's configuration.",
        meaning="In mode legacy a container gets the device node and may not open it. In newer modes it has no effect.",
        remedy="`nvidia-ctk config --in-place --set nvidia-container-cli.no-cgroups=false`",
        mistaken_for="A fix for errors of control groups, as which it is often recommended.",
        sources=("https://github.com/NVIDIA/nvidia-container-toolkit/issues/580",),
    ),
    Entry(
        code="TKT040",
        layer="toolkit",
        status="warning",
        title="The CDI specification does not know the GPUs by UUID",
        message="{path} knows the GPUs by index alone.",
        meaning="The device plugin asks by UUID unless it is told otherwise; its Pods then fail with an unresolvable "
        "CDI device.",
        remedy="`nvidia-ctk cdi generate --device-name-strategy=index --device-name-strategy=uuid --output={path}`, or "
        "deviceIDStrategy index for the device plugin.",
        mistaken_for="A complete specification.",
        sources=("https://github.com/NVIDIA/nvidia-container-toolkit/issues/1239", "lab"),
    ),
    Entry(
        code="TKT021",
        layer="toolkit",
        status="warning",
        title="The toolkit's parts are of different versions",
        message="The toolkit's parts are of different versions: {versions}.",
        meaning="They are made to fit exactly; a part that was held back fails in ways that point elsewhere.",
        remedy="Upgrade nvidia-container-toolkit, nvidia-container-toolkit-base, libnvidia-container-tools and "
        "libnvidia-container1 together.",
        mistaken_for="A fault of the driver.",
        sources=("https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/release-notes.html",),
    ),
)
