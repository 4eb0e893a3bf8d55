# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about the container toolkit and runtime (checkpoint 2)."""

from __future__ import annotations

from ._entry import Entry
from .toolkit_later import ENTRIES as LATER
from .toolkit_runtime import ENTRIES as RUNTIME
from .toolkit_start import ENTRIES as START

ENTRIES = (
    Entry(
        code="TKT001",
        layer="toolkit",
        status="unknown",
        title="The host's container runtime could not be examined",
        message="The host's container runtime could not be examined: {reason}",
        meaning="Nothing is known about the way a container gets a GPU on this host.",
        remedy="See DRV001: the host must be reachable, as root or with sudo.",
        mistaken_for="A runtime that is not configured.",
        sources=("lab",),
    ),
    Entry(
        code="TKT002",
        layer="toolkit",
        status="fail",
        title="The running container runtime has no way to hand out a GPU",
        message="The running {runtime} has loaded the handlers {handlers}, not {wanted}; no file on disk defines it, "
        "and no CDI specification exists.",
        meaning="The daemon that serves the kubelet can't inject a GPU. The toolkit was never set up for it, or its "
        "settings were taken away: a toolkit that was installed before the driver worked often did nothing.",
        remedy="`nvidia-ctk runtime configure --runtime={command}` and `systemctl restart {service}`; k3s, RKE2 and "
        "MicroK8s write the runtime's file themselves, from a template, when they start. Where there is no "
        "`nvidia-ctk`, install the NVIDIA Container Toolkit first.",
        mistaken_for="The device plugin: it goes on advertising what it found when it started.",
        sources=("https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html", "lab"),
    ),
    Entry(
        code="TKT003",
        layer="toolkit",
        status="fail",
        title="A container did not get the GPU that it asked for",
        message="A container that asked for {asked} saw {seen}.",
        meaning="The runtime started the container, but the GPU, its device node or the driver's files are not in it.",
        remedy="Look at the container's own output in the evidence, then at `nvidia-ctk cdi list`, at the mode in "
        "/etc/nvidia-container-runtime/config.toml, and whether the driver was changed since the CDI specification "
        "was written.",
        mistaken_for="The driver, which works on the host.",
        sources=("https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/troubleshooting.html",),
    ),
    Entry(
        code="TKT004",
        layer="toolkit",
        status="unknown",
        title="The image for the experiment is not on the node",
        message="The image {image} is not on the node, so no container was started.",
        meaning="Without an image the runtime could not be tried apart from Kubernetes. It may be fine.",
        remedy="Pull it on the node (`crictl pull {image}`), allow that with gpu_k8s_toolkit_pull, or set "
        "gpu_k8s_smoke_image to an image that is there.",
        mistaken_for="A runtime that can't start containers.",
        sources=("lab",),
    ),
    Entry(
        code="TKT005",
        layer="toolkit",
        status="fail",
        title="A container that asked for no GPU got one",
        message="The control container, which asked for no GPU, saw {seen}.",
        meaning="GPUs reach containers by another way than the one that is counted, so that the allocation of "
        "Kubernetes means nothing: two Pods may use one GPU.",
        remedy="Look for a runtime whose default mounts /dev, a privileged default, or a second hook that injects "
        "every GPU (`nvidia-container-runtime-hook` besides CDI).",
        mistaken_for="A healthy runtime: the GPU is visible, after all.",
        sources=("https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/troubleshooting.html",),
    ),
    Entry(
        code="TKT006",
        layer="toolkit",
        status="unknown",
        title="The container runtime was not recognised",
        message="The container runtime could not be asked what it has loaded: {reason}",
        meaning="Neither its socket nor its tools are where they are looked for, or the daemon does not answer.",
        remedy="`crictl info` must answer on the node as root. Install crictl, or start the runtime.",
        mistaken_for="A runtime without the nvidia handler.",
        sources=("https://kubernetes.io/docs/tasks/debug/debug-cluster/crictl/",),
    ),
    Entry(
        code="TKT007",
        layer="toolkit",
        status="unknown",
        title="There was no GPU to ask for",
        message="No GPU could be asked for, since nvidia-smi on the host lists none.",
        meaning="The experiment needs a GPU that the host sees. See the driver layer.",
        remedy="Repair the driver first.",
        mistaken_for="A runtime that can't inject.",
        sources=("lab",),
    ),
    Entry(
        code="TKT008",
        layer="toolkit",
        status="fail",
        title="The runtime could not start a container with a GPU",
        message="The runtime could not start a container that asks for {asked}: {says}",
        meaning="The wrapper, the hook or the CDI specification fails before the container's own command runs.",
        remedy="The message names the file or device. Check that nvidia-container-runtime, nvidia-cdi-hook and runc "
        "are there, and write the CDI specification again (`nvidia-ctk cdi generate`) after a driver change.",
        mistaken_for="The image or the command in it.",
        sources=("https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/troubleshooting.html",),
    ),
    Entry(
        code="TKT009",
        layer="toolkit",
        status="unknown",
        title="The experiment did not end",
        message="The container of the experiment was abandoned after {seconds:.0f} s.",
        meaning="The runtime or the driver hangs, or the node is overloaded. It proves nothing either way.",
        remedy="Look at the node's load and at the runtime's log (`journalctl -u containerd`), then run again.",
        mistaken_for="A container that did not get its GPU.",
        sources=("lab",),
    ),
    Entry(
        code="TKT010",
        layer="toolkit",
        status="unknown",
        title="The toolkit's evidence is incomplete",
        message="The evidence of the toolkit layer is incomplete: {missing}",
        meaning="Part of what was asked on the host did not arrive or could not be read, so it proves nothing.",
        remedy="Run the probe by hand as its first lines say, as root, and look at what it prints.",
        mistaken_for="A healthy runtime.",
        sources=("lab",),
    ),
    *RUNTIME,
    *START,
    *LATER,
)
