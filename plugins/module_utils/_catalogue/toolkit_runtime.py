# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about the way in which the runtime hands out GPUs: handlers, configuration files, CDI specifications."""

from __future__ import annotations

from ._entry import Entry

_CDI = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/cdi-support.html"
_NOTES = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/release-notes.html"

ENTRIES = (
    Entry(
        code="TKT011",
        layer="toolkit",
        status="fail",
        title="The handler is on disk, and the running daemon has not loaded it",
        message="Handler {wanted} is in {where}, and the running {runtime} has only loaded {handlers}.",
        meaning="The runtime reads its handlers when it starts. It was not restarted since the file was written, so "
        "that each Pod that needs the handler fails to get a sandbox.",
        remedy="`systemctl restart {service}` (a reload is not enough). Running containers stay.",
        mistaken_for="A configured runtime: every look at the files says so.",
        sources=("https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html", "lab"),
    ),
    Entry(
        code="TKT012",
        layer="toolkit",
        status="fail",
        title="The runtime injects by CDI, and there is no specification",
        message="The toolkit's mode is cdi, and there is no CDI specification of kind {kind}.",
        meaning="In this mode nothing is looked up on the host; what the specification does not say can't be injected.",
        remedy="`nvidia-ctk cdi generate --output=/var/run/cdi/nvidia.yaml`, and see to it that "
        "nvidia-cdi-refresh.service runs at boot; or take mode auto, which needs no specification.",
        mistaken_for="A working CDI: `nvidia-ctk cdi list` ends with 0 when it finds none.",
        sources=(_CDI, "https://github.com/NVIDIA/nvidia-container-toolkit/issues/146", "lab"),
    ),
    Entry(
        code="TKT013",
        layer="toolkit",
        status="fail",
        title="The CDI specification was written for other devices than those that are there",
        message="The CDI specification does not fit the host's devices: {what}.",
        meaning="It was written before a GPU was moved, replaced or divided by MIG, or lists its GPUs by other names "
        "than they are asked for.",
        remedy="Write it again: `nvidia-ctk cdi generate --output={path}`; remove a second one in another folder.",
        mistaken_for="The device plugin, or a lost GPU.",
        sources=(_CDI, "https://github.com/NVIDIA/nvidia-container-toolkit/issues/885", "lab"),
    ),
    Entry(
        code="TKT014",
        layer="toolkit",
        status="fail",
        title="The handler is in a file that the running daemon does not read",
        message="Handler {wanted} is in {where}, which the {runtime} of this node does not read: it reads {config}.",
        meaning="The file is not among the imports of the one that is read, or it belongs to another containerd on "
        "the same machine, or it is a template that nothing was made of yet.",
        remedy='For a drop-in: `imports = ["/etc/containerd/conf.d/*.toml"]` in {config}, then '
        "`systemctl restart {service}`. For k3s, RKE2 and MicroK8s: restart them, so that they use their template. "
        "For a second containerd: configure the one that serves the kubelet (`nvidia-ctk runtime configure --config`).",
        mistaken_for="A configured runtime: the toolkit said that it wrote the file.",
        sources=(_NOTES, "https://github.com/NVIDIA/nvidia-container-toolkit/issues/982"),
    ),
    Entry(
        code="TKT015",
        layer="toolkit",
        status="unknown",
        title="NVIDIA's runtime has another handler's name on this node",
        message="Handler {wanted} is not loaded; NVIDIA's runtime is behind {others} here.",
        meaning="Pods that name the right handler may be fine. Which one they name is not known here.",
        remedy="Set gpu_k8s_runtime_handler to the handler of your RuntimeClass (`kubectl get runtimeclass`).",
        mistaken_for="A runtime without the toolkit.",
        sources=("https://kubernetes.io/docs/concepts/containers/runtime-class/",),
    ),
    Entry(
        code="TKT016",
        layer="toolkit",
        status="fail",
        title="There are CDI specifications, and the runtime has CDI turned off",
        message="The running {runtime} has neither handler {wanted} nor CDI: enable_cdi is false.",
        meaning="CDI devices that the device plugin asks for are passed over without a word: the container starts "
        "without its GPU. containerd 1.7 has CDI off unless it is told otherwise.",
        remedy="Set `enable_cdi = true` in the CRI plugin's section, or configure the handler; then "
        "`systemctl restart {service}`.",
        mistaken_for="A working CDI: the specification is complete.",
        sources=("https://github.com/containerd/containerd/blob/main/docs/cri/config.md",),
    ),
    Entry(
        code="TKT018",
        layer="toolkit",
        status="fail",
        title="The CDI specification names files of another driver",
        message="{path} names files that are gone: {files}.",
        meaning="It was written for another driver version. The runtime can't mount what is not there, so that no "
        "container that asks for a GPU starts.",
        remedy="Write it again: `nvidia-ctk cdi generate --output={path}`, after each change of the driver; "
        "nvidia-cdi-refresh.service does so where it runs.",
        mistaken_for="A fresh specification: `nvidia-ctk cdi list` still lists all GPUs.",
        sources=("https://github.com/NVIDIA/nvidia-container-toolkit/issues/450", "lab"),
    ),
    Entry(
        code="TKT020",
        layer="toolkit",
        status="fail",
        title="The CDI specification is newer than the runtime can read",
        message="{path} is of CDI version {version}; {runtime} {runtime_version} reads it from {needed} on.",
        meaning="A specification of an unknown version is left out as a whole, so that its devices do not exist for "
        "the runtime.",
        remedy="`nvidia-ctk cdi generate --feature-flag no-additional-gids-for-device-nodes --output={path}` writes an "
        "older version; or upgrade the runtime.",
        mistaken_for="A complete specification: the toolkit, which is newer, reads it.",
        sources=(_NOTES,),
    ),
    Entry(
        code="TKT029",
        layer="toolkit",
        status="fail",
        title="containerd runs without its CRI plugin",
        message="containerd runs and does not serve the kubelet: {reason}.",
        meaning="No Pod at all can start here. Docker's package of containerd comes with the CRI plugin disabled; a "
        "handler that replaces the whole section of runtimes disables it as well.",
        remedy="Repair {config} (`disabled_plugins = []`, and a runtime for the default name), then "
        "`systemctl restart {service}`, then configure the toolkit again.",
        mistaken_for="The toolkit: `nvidia-ctk runtime configure` ends with 0 and changes nothing.",
        sources=("https://github.com/NVIDIA/nvidia-container-toolkit/issues/1430",),
    ),
    Entry(
        code="TKT042",
        layer="toolkit",
        status="fail",
        title="The runtime that the kubelet uses does not run",
        message="The kubelet runs and uses {socket}, which is not there.",
        meaning="The runtime is stopped or died when it started. The Node turns NotReady within a minute.",
        remedy="`systemctl status {service}` and `journalctl -u {service}`; a configuration that the toolkit changed "
        "last is the first suspect.",
        mistaken_for="A kubelet or network that is broken, since the Node is NotReady.",
        sources=("lab",),
    ),
    Entry(
        code="TKT030",
        layer="toolkit",
        status="unknown",
        title="GPUs reach containers here without the toolkit",
        message="This node has no handler {wanted} and a vendor's driver folder, {folder}: its device plugin mounts "
        "the driver itself.",
        meaning="On GKE this is as it should be. It can't be tried apart from Kubernetes; the smoke Pod tries it.",
        remedy="Nothing to repair. The node can't be called usable, since this checkpoint is not proven.",
        mistaken_for="A runtime without the toolkit.",
        sources=("https://github.com/GoogleCloudPlatform/container-engine-accelerators",),
    ),
)
