# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about the driver layer (checkpoint 1)."""

from __future__ import annotations

from ._entry import Entry

ENTRIES = (
    Entry(
        code="DRV001",
        layer="driver",
        status="unknown",
        title="The host could not be examined",
        message="The host could not be examined: {reason}",
        meaning="No command ran on the host, so nothing is known about its driver. The GPU may be fine.",
        remedy="`ansible -i INVENTORY {host} -m ansible.builtin.raw -a id` must answer: check the address, the key, "
        "sshd and, when a password is asked for, sudo. Then run again.",
        mistaken_for="A broken driver.",
        sources=("lab",),
    ),
    Entry(
        code="DRV002",
        layer="driver",
        status="fail",
        title="There is no NVIDIA GPU on the PCI bus",
        message="The PCI bus lists no NVIDIA display or 3D device, and nvidia-smi lists no GPU.",
        meaning="The kernel does not see a GPU at all: no driver can help before it does.",
        remedy="Check the machine type or the passthrough of the virtual machine, the seating and power of the card, "
        "and `lspci -d 10de:`. A GPU that vanished while running needs a cold restart.",
        mistaken_for="A driver that is not installed.",
        sources=("https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/",),
    ),
    Entry(
        code="DRV003",
        layer="driver",
        status="fail",
        title="The driver's library and the loaded kernel module are of different versions",
        message="The loaded kernel module is version {module}, the NVML library is version {library}.",
        meaning="The packages were upgraded while the old module stayed loaded, or two drivers are installed. "
        "Nothing new can use the GPU, although processes that already run may go on.",
        remedy="Drain the node and reboot it, so that the new module is loaded. If the two still differ after the "
        "reboot, remove the second driver installation (distribution packages, .run file, GPU Operator: only one).",
        mistaken_for="The container toolkit or the device plugin: a plugin that was already running goes on "
        "advertising the GPUs.",
        sources=("https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/", "lab"),
    ),
    Entry(
        code="DRV004",
        layer="driver",
        status="fail",
        title="A GPU is lost to the driver",
        message="The driver has lost a GPU that is on the PCI bus: nvidia-smi ended with exit code {exit_code}: {says}",
        meaning="The GPU fell off the bus, needs a reset, or its firmware does not answer any more.",
        remedy="Drain the node and power-cycle it (a warm reboot may not be enough). Look for Xid 79 in the kernel "
        "log. If it comes back, have the card, its power and its slot checked.",
        mistaken_for="The device plugin, which then lists fewer GPUs, or none.",
        sources=("https://docs.nvidia.com/deploy/xid-errors/", "lab"),
    ),
    Entry(
        code="DRV005",
        layer="driver",
        status="fail",
        title="The kernel module is not loaded",
        message="The nvidia kernel module is not loaded: {says}",
        meaning="The GPU is on the bus, but no NVIDIA driver serves it.",
        remedy="`modprobe nvidia` says why: no module built for this kernel (install the headers, rebuild with DKMS), "
        "refused by Secure Boot, or another driver holds the GPU.",
        mistaken_for="A missing GPU.",
        sources=("https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/", "lab"),
    ),
    Entry(
        code="DRV006",
        layer="driver",
        status="fail",
        title="The driver's user-space part is missing",
        message="{says}",
        meaning="nvidia-smi or libnvidia-ml.so.1 is not where the loader looks, so no program can talk to the driver.",
        remedy="Install the user-space packages of the version that is loaded ({module}), or the whole driver again. "
        "With the GPU Operator's driver container, look under /run/nvidia/driver.",
        mistaken_for="A kernel module that is not loaded.",
        sources=("https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/", "lab"),
    ),
    Entry(
        code="DRV007",
        layer="driver",
        status="fail",
        title="The driver recognises fewer GPUs than the bus lists",
        message="The PCI bus lists {on_bus} NVIDIA GPUs, nvidia-smi lists {in_nvml}{which}.",
        meaning="Some GPUs are on the bus and not served by the driver: another driver holds them, they failed to "
        "start, or their device node is missing.",
        remedy="Compare `lspci -k -d 10de:` with `nvidia-smi -L`, then look at the missing GPU in the kernel log "
        "(`NVRM` and `Xid` lines) and at its /dev/nvidiaN.",
        mistaken_for="A device plugin that advertises too few.",
        sources=("lab",),
    ),
    Entry(
        code="DRV008",
        layer="driver",
        status="fail",
        title="nvidia-smi does not answer",
        message="nvidia-smi was abandoned after {seconds:.0f} s without an answer.",
        meaning="The call hangs in the driver: a GPU that is being reset or has lost its firmware, or a driver that "
        "takes very long to start each time because nothing keeps it loaded.",
        remedy="Look for Xid lines in the kernel log. Enable nvidia-persistenced, then run again; if it still hangs, "
        "drain and reboot the node.",
        mistaken_for="A slow or unreachable host.",
        sources=("https://docs.nvidia.com/deploy/driver-persistence/",),
    ),
    Entry(
        code="DRV009",
        layer="driver",
        status="fail",
        title="nvidia-smi fails",
        message="nvidia-smi ended with exit code {exit_code}: {says}",
        meaning="The driver answers with an error of its own.",
        remedy="Look for `NVRM` lines in the kernel log next to the error that nvidia-smi gives, and at the "
        "permissions of /dev/nvidia*.",
        mistaken_for="The container toolkit, which meets the same error later.",
        sources=("https://docs.nvidia.com/deploy/nvidia-smi/",),
    ),
    Entry(
        code="DRV010",
        layer="driver",
        status="unknown",
        title="The driver's evidence is incomplete",
        message="The evidence of the driver layer is incomplete: {missing}",
        meaning="Part of what was asked on the host did not arrive or could not be read, so it proves nothing.",
        remedy="Run `ssh HOST sudo sh -s < roles/driver/files/probe.sh` and look at what it prints. Without root some "
        "facts cannot be read: set ansible_become.",
        mistaken_for="A healthy driver.",
        sources=("lab",),
    ),
)
