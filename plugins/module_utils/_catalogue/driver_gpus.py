# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about the GPUs that the driver serves, or fails to serve."""

from __future__ import annotations

from ._entry import Entry

ENTRIES = (
    Entry(
        code="DRV004",
        layer="driver",
        status="fail",
        title="A GPU is lost to the driver",
        message="The driver has lost a GPU that is on the PCI bus: {says}",
        meaning="The GPU fell off the bus, needs a reset, or its firmware does not answer any more.",
        remedy="Drain the node and power-cycle it (a warm reboot may not be enough). Look for Xid 79 in the kernel "
        "log. If it comes back, have the card, its power and its slot checked.",
        mistaken_for="The device plugin, which then lists fewer GPUs, or none.",
        sources=("https://docs.nvidia.com/deploy/xid-errors/", "lab"),
    ),
    Entry(
        code="DRV007",
        layer="driver",
        status="fail",
        title="The driver recognises fewer GPUs than the bus lists",
        message="The PCI bus lists {on_bus} NVIDIA GPUs, nvidia-smi lists {in_nvml}{which}.",
        meaning="Some GPUs are on the bus and not served by the driver: another driver holds them, they failed to "
        "start, or they are lost.",
        remedy="Compare `lspci -k -d 10de:` with `nvidia-smi -L`, then look at the missing GPU in the kernel log "
        "(`NVRM` and `Xid` lines) and at its /dev/nvidiaN. If it is to be left out, set gpu_k8s_expected_gpus.",
        mistaken_for="A device plugin that advertises too few.",
        sources=("lab",),
    ),
    Entry(
        code="DRV013",
        layer="driver",
        status="fail",
        title="A GPU has uncorrectable memory errors",
        message="Uncorrectable ECC errors since the driver was loaded: {errors}.",
        meaning="Memory of the GPU has lost data. The page or row is put out of use only by a reset; until then "
        "programs may fail, often with words that speak of memory being full.",
        remedy="Drain the node, then `nvidia-smi --gpu-reset -i UUID` or a reboot. If the errors come again, look at "
        "`nvidia-smi -q -d ROW_REMAPPER,PAGE_RETIREMENT` and have the card replaced.",
        mistaken_for="An application that wants too much memory.",
        sources=("https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/", "lab"),
    ),
    Entry(
        code="DRV014",
        layer="driver",
        status="fail",
        title="A GPU is in MIG mode and has no MIG devices",
        message="MIG is enabled and no MIG device exists on {gpus}.",
        meaning="In MIG mode only MIG devices compute. nvidia-smi lists the GPU all the same, and CUDA sees none. "
        "Instances do not survive a reset; the mode does.",
        remedy="Create instances (`nvidia-smi mig -cgi PROFILE -C`, or let the MIG manager do it at each boot), or "
        "`nvidia-smi -mig 0`.",
        mistaken_for="A device plugin that advertises nothing.",
        sources=("https://docs.nvidia.com/datacenter/tesla/mig-user-guide/", "lab"),
    ),
    Entry(
        code="DRV019",
        layer="driver",
        status="fail",
        title="The GPU needs the other flavour of the kernel module",
        message="The kernel log says: {says}",
        meaning="Blackwell and later GPUs need the open kernel modules, GPUs before Turing the proprietary ones. The "
        "module loads, and does not serve the GPU.",
        remedy="Install the other flavour of the same version (`nvidia-driver-…-open` or without `-open`; for the GPU "
        "Operator driver.kernelModuleType) and reboot.",
        mistaken_for="A defect GPU: the module is loaded, and nvidia-smi finds no device.",
        sources=(
            "https://github.com/NVIDIA/open-gpu-kernel-modules/issues/872",
            "https://github.com/NVIDIA/open-gpu-kernel-modules/issues/862",
        ),
    ),
    Entry(
        code="DRV020",
        layer="driver",
        status="fail",
        title="The driver is not made for this GPU",
        message="The kernel log says: {says}",
        meaning="This branch of the driver is too old for the GPU, or does not support it any more.",
        remedy="Install a branch that lists the GPU among its supported products.",
        mistaken_for="A defect GPU.",
        sources=(
            "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/",
            "https://github.com/NVIDIA/open-gpu-kernel-modules",
        ),
    ),
    Entry(
        code="DRV021",
        layer="driver",
        status="fail",
        title="A GPU does not start",
        message="The kernel log says: {says}",
        meaning="The module has found the GPU and could not start it: firmware (GSP) missing or not answering, an "
        "address range that the BIOS or the hypervisor did not assign, or a defect.",
        remedy="Read the `NVRM` lines before this one. All GPUs alike: reinstall the firmware of the driver "
        "(/lib/firmware/nvidia/VERSION), enable `Above 4G decoding`, try another driver version. One of several: "
        "power-cycle, then have the card checked.",
        mistaken_for="A driver that is not installed.",
        sources=(
            "https://github.com/NVIDIA/open-gpu-kernel-modules/issues/789",
            "https://github.com/NVIDIA/open-gpu-kernel-modules/issues/862",
        ),
    ),
    Entry(
        code="DRV022",
        layer="driver",
        status="fail",
        title="The NVLink fabric is not ready",
        message="The NVLink fabric is not ready: {says}.",
        meaning="Until a fabric manager has set up the NVSwitches, CUDA does not start (error 802, system not yet "
        "initialized). nvidia-smi works all the same.",
        remedy="`systemctl enable --now nvidia-fabricmanager`, of exactly the driver's version; on newer machines "
        "also nvlsm. Then `journalctl -u nvidia-fabricmanager`, and a reset of the GPUs if the state stays.",
        mistaken_for="A broken CUDA image: nvidia-smi shows healthy GPUs.",
        sources=(
            "https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/",
            "https://github.com/pytorch/pytorch/issues/35710",
        ),
    ),
    Entry(
        code="DRV023",
        layer="driver",
        status="fail",
        title="The fabric manager is of another version than the driver",
        message="The fabric manager is version {manager}, the driver {module}, and the fabric is not ready.",
        meaning="The fabric manager refuses to work with a driver of any other version, and without it CUDA does not "
        "start.",
        remedy="Install nvidia-fabricmanager of exactly the driver's version, hold both, and `systemctl restart "
        "nvidia-fabricmanager`.",
        mistaken_for="A broken CUDA image.",
        sources=(
            "https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/",
            "https://github.com/nanoporetech/dorado/issues/1214",
        ),
    ),
    Entry(
        code="DRV024",
        layer="driver",
        status="unknown",
        title="The GPU waits for a fabric that is set up elsewhere",
        message="There is no NVSwitch on this machine, and the GPU waits for its fabric: {says}",
        meaning="In a virtual machine the fabric belongs to the hypervisor. Some slices work like this, in others "
        "CUDA does not start (error 802); only CUDA can tell.",
        remedy="Run a CUDA program on the node. If it ends with error 802, the provider has to activate the "
        "partition; a fabric manager on this machine does not help, except on HGX B200 and later, where it and nvlsm "
        "belong here.",
        mistaken_for="A fabric manager that is missing on this machine.",
        sources=(
            "https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/",
            "https://github.com/huggingface/huggingface_hub/issues/4134",
        ),
    ),
    Entry(
        code="DRV025",
        layer="driver",
        status="warning",
        title="Only root may open the GPU",
        message="Not open to everybody: {nodes}.",
        meaning="A container that does not run as root gets `Insufficient Permissions`.",
        remedy="Set NVreg_DeviceFileMode=0666 for the module, or give the Pods the group of the device nodes "
        "(supplementalGroups).",
        mistaken_for="A device that was not injected.",
        sources=("https://github.com/NVIDIA/nvidia-container-toolkit/issues/210",),
    ),
    Entry(
        code="DRV026",
        layer="driver",
        status="fail",
        title="Compute mode forbids CUDA",
        message="Compute mode is Prohibited on {gpus}.",
        meaning="Nobody may compute on the GPU. nvidia-smi works all the same.",
        remedy="`nvidia-smi -i UUID -c DEFAULT`, and find out who set it (batch systems do).",
        mistaken_for="A GPU that is busy: CUDA says `busy or unavailable`.",
        sources=("https://docs.nvidia.com/deploy/nvidia-smi/", "lab"),
    ),
    Entry(
        code="DRV027",
        layer="driver",
        status="warning",
        title="Compute mode lets only one process use the GPU",
        message="Compute mode is Exclusive_Process on {gpus}.",
        meaning="A second process on the same GPU is refused: sharing by time-slicing, and Pods of several processes, "
        "will fail.",
        remedy="`nvidia-smi -i UUID -c DEFAULT`, unless MPS wants it so.",
        mistaken_for="A GPU that is busy.",
        sources=("https://docs.nvidia.com/deploy/nvidia-smi/",),
    ),
    Entry(
        code="DRV028",
        layer="driver",
        status="warning",
        title="A change of the MIG mode waits for a reset",
        message="MIG mode: {gpus}.",
        meaning="The GPU works in its current mode, and will be another one after the next reset or reboot.",
        remedy="Stop what uses the GPU (`fuser -v /dev/nvidia*`), then `nvidia-smi --gpu-reset -i UUID`.",
        mistaken_for="A MIG manager that does not work.",
        sources=("https://docs.nvidia.com/datacenter/tesla/mig-user-guide/",),
    ),
    Entry(
        code="DRV029",
        layer="driver",
        status="fail",
        title="A GPU could not replace broken memory",
        message="Row remapping failed on {gpus}.",
        meaning="The GPU has no spare rows left for broken memory. A reset does not help.",
        remedy="Take the GPU out of service and have it replaced.",
        mistaken_for="An application that fails at random.",
        sources=("https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/",),
    ),
    Entry(
        code="DRV030",
        layer="driver",
        status="warning",
        title="Broken memory waits for a reset to be put out of use",
        message="Pending: {gpus}.",
        meaning="The GPU works. The page or row in question stays in use until the next reset.",
        remedy="Drain the node when it suits, then `nvidia-smi --gpu-reset -i UUID` or a reboot.",
        mistaken_for="A GPU that has to be replaced.",
        sources=("https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/",),
    ),
    Entry(
        code="DRV031",
        layer="driver",
        status="fail",
        title="The driver asks for a reset",
        message="gpu_recovery_action: {actions}.",
        meaning="The GPU has had an error from which only a reset or reboot recovers it.",
        remedy="Drain the node, then do what it asks for: `nvidia-smi --gpu-reset -i UUID` or a reboot. Look for Xid "
        "lines in the kernel log.",
        mistaken_for="An application that fails.",
        sources=("https://docs.nvidia.com/deploy/xid-errors/",),
    ),
    Entry(
        code="DRV032",
        layer="driver",
        status="warning",
        title="The driver recommends an action",
        message="gpu_recovery_action: {actions}.",
        meaning="The GPU works, and something about it does not, such as its links to other GPUs.",
        remedy="See the Xid lines in the kernel log and what NVIDIA recommends for them.",
        mistaken_for="A GPU that is lost.",
        sources=("https://docs.nvidia.com/deploy/xid-errors/",),
    ),
    Entry(
        code="DRV033",
        layer="driver",
        status="warning",
        title="Nothing keeps the driver loaded between two programs",
        message="Persistence mode is off on {gpus}, and nvidia-persistenced does not run.",
        meaning="Each start of a GPU program starts the GPU anew, which takes seconds and can exceed time limits; "
        "settings and device nodes may be lost in between.",
        remedy="`systemctl enable --now nvidia-persistenced`.",
        mistaken_for="A slow container runtime.",
        sources=("https://docs.nvidia.com/deploy/driver-persistence/",),
    ),
    Entry(
        code="DRV034",
        layer="driver",
        status="warning",
        title="The kernel log has hardware errors of a GPU",
        message="Since the last boot: {xids}.",
        meaning="The GPU, its memory, links or firmware had an error. It may be over since a reset. Errors that come "
        "from applications (Xid 13, 31, 43, 45 and such) are not counted.",
        remedy="Look up the number in NVIDIA's list of Xid errors and follow what it recommends, before it becomes a "
        "lost GPU.",
        mistaken_for="A failing application.",
        sources=("https://docs.nvidia.com/deploy/xid-errors/",),
    ),
    Entry(
        code="DRV035",
        layer="driver",
        status="unknown",
        title="The kernel could not give unified memory its address range",
        message="The kernel log has `request_free_mem_region() err` of nvidia-uvm.",
        meaning="CUDA may not start on this node (`initialization error`) although nvidia-smi is fine: with KASLR no "
        "range was free for HMM.",
        remedy="Set `options nvidia_uvm uvm_disable_hmm=1` in /etc/modprobe.d and load the module again.",
        mistaken_for="A broken CUDA image.",
        sources=("https://github.com/NVIDIA/open-gpu-kernel-modules/issues/901",),
    ),
    Entry(
        code="DRV038",
        layer="driver",
        status="warning",
        title="The kernel log could not be read",
        message="The kernel log was not looked at: {reason}",
        meaning="Whether there were Xid errors is not known.",
        remedy="Run as root, or set kernel.dmesg_restrict=0.",
        mistaken_for="A kernel log without errors.",
        sources=("https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/troubleshooting.html",),
    ),
    Entry(
        code="DRV039",
        layer="driver",
        status="warning",
        title="A GPU is excluded on purpose",
        message="The driver was told not to use {gpus}.",
        meaning="NVreg_ExcludedGpus or the fabric manager has taken the GPU out of service. The others are counted "
        "without it.",
        remedy="`nvidia-smi -B` lists them. Remove NVreg_ExcludedGpus from /etc/modprobe.d if the GPU is wanted again.",
        mistaken_for="A GPU that is lost.",
        sources=("https://docs.nvidia.com/deploy/nvidia-smi/", "https://github.com/NVIDIA/open-gpu-kernel-modules"),
    ),
    Entry(
        code="DRV040",
        layer="driver",
        status="fail",
        title="A virtual GPU has no licence",
        message="License Status: {says}.",
        meaning="Without a licence a virtual GPU is slowed down, and CUDA is refused.",
        remedy="Check nvidia-gridd (`journalctl -u nvidia-gridd`), the client configuration token and the way to the "
        "licence server.",
        mistaken_for="A GPU that is busy.",
        sources=("https://docs.nvidia.com/vgpu/latest/grid-licensing-user-guide/",),
    ),
    Entry(
        code="DRV041",
        layer="driver",
        status="warning",
        title="A virtual GPU has no licence yet",
        message="License Status: {says}.",
        meaning="It works at full speed for some minutes after the start, and is restricted then.",
        remedy="Check nvidia-gridd (`journalctl -u nvidia-gridd`), the client configuration token and the way to the "
        "licence server.",
        mistaken_for="Nothing yet.",
        sources=("https://docs.nvidia.com/vgpu/latest/grid-licensing-user-guide/",),
    ),
    Entry(
        code="DRV042",
        layer="driver",
        status="fail",
        title="The GPUs of a confidential machine were not declared ready",
        message="Confidential computing is on, and {says}.",
        meaning="CUDA waits (error 802, system not yet initialized) until somebody has attested the GPUs. nvidia-smi "
        "works all the same.",
        remedy="Attest the GPUs, then `nvidia-smi conf-compute -srs 1`.",
        mistaken_for="A fabric manager that is missing.",
        sources=("https://docs.nvidia.com/confidential-computing/",),
    ),
)
