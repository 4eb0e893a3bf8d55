# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about the driver itself: module, library, device nodes, and what the user expects."""

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
        remedy="`ansible -i INVENTORY {host} -m ansible.builtin.raw -a id` must answer: check the address, the key and "
        "sshd. Then run again.",
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
        remedy="Drain the node and reboot it, so that the new module is loaded (`modinfo -F version nvidia` names "
        "it). If the two still differ after the reboot, remove the second driver installation (distribution "
        "packages, .run file, GPU Operator: only one).",
        mistaken_for="The container toolkit or the device plugin: a plugin that was already running goes on "
        "advertising the GPUs.",
        sources=("https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/", "lab"),
    ),
    Entry(
        code="DRV005",
        layer="driver",
        status="fail",
        title="The kernel module is not loaded",
        message="The nvidia kernel module is not loaded: {says}",
        meaning="The GPU is on the bus, but no NVIDIA driver serves it.",
        remedy="`modprobe nvidia` says why: no module built for this kernel (install the headers, rebuild with DKMS), "
        "refused by Secure Boot, or another driver holds the GPU. Where the GPU Operator brings the driver, look at "
        "the log of its driver Pod on this node.",
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
    Entry(
        code="DRV011",
        layer="driver",
        status="fail",
        title="A device node of the driver is missing",
        message="Missing: {nodes}.",
        meaning="The kernel has the GPU, and there is no file by which a program or container could open it.",
        remedy="`nvidia-modprobe -c 0 -u` or `nvidia-ctk system create-device-nodes --control-devices` makes them. "
        "They are gone after each boot: enable nvidia-persistenced, and look for ModifyDeviceFiles: 0 in "
        "/proc/driver/nvidia/params.",
        mistaken_for="A GPU that is lost, or a device plugin that advertises too few.",
        sources=("https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/", "lab"),
    ),
    Entry(
        code="DRV012",
        layer="driver",
        status="fail",
        title="The device node of unified memory can not be used",
        message="{defect}.",
        meaning="The module is loaded and its device node is missing or of another number. nvidia-smi does without it, "
        "CUDA does not: every CUDA program would say that there is no device.",
        remedy="`nvidia-modprobe -u -c 0` now, and `echo nvidia_uvm > /etc/modules-load.d/nvidia-uvm.conf` for the "
        "next boot. A CDI specification that was written without it has to be written again.",
        mistaken_for="A container toolkit that does not inject it, or a broken CUDA image.",
        sources=("https://github.com/NVIDIA/nvidia-docker/issues/471", "lab"),
    ),
    Entry(
        code="DRV047",
        layer="driver",
        status="unknown",
        title="Unified memory is not loaded, or not yet",
        message="The module nvidia_uvm is not loaded, and /dev/nvidia-uvm is not there.",
        meaning="CUDA needs it. On a node that has just booted the first GPU container loads it; where it can't be "
        "loaded, nvidia-smi works and no CUDA program does.",
        remedy="`nvidia-modprobe -u -c 0`, then run again; `echo nvidia_uvm > /etc/modules-load.d/nvidia-uvm.conf` "
        "loads it at every boot. If that fails, the driver's installation is not whole.",
        mistaken_for="A healthy driver: nvidia-smi shows every GPU.",
        sources=("https://github.com/NVIDIA/nvidia-docker/issues/471", "lab"),
    ),
    Entry(
        code="DRV015",
        layer="driver",
        status="fail",
        title="Another kernel driver holds a GPU",
        message="{held}.",
        meaning="A GPU has one kernel driver. As long as the other one has it, NVIDIA's can not take it.",
        remedy="nouveau or nova: blacklist it (`blacklist nouveau`, `options nouveau modeset=0` in /etc/modprobe.d, "
        "new initramfs) and reboot. vfio-pci: the GPU was given to virtual machines; if that is meant, set "
        "gpu_k8s_expected_gpus to the number of the others. Bound to: {drivers}.",
        mistaken_for="A driver that is not installed, or a missing runtime handler.",
        sources=("https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/troubleshooting.html", "lab"),
    ),
    Entry(
        code="DRV016",
        layer="driver",
        status="unknown",
        title="Privilege escalation was refused",
        message="The host answers, and does not let the run become root: {reason}",
        meaning="Nothing was looked at, so nothing is known about the driver.",
        remedy="Give the password (`--ask-become-pass`, ansible_become_password), allow sudo for this user on {host}, "
        "or set gpu_k8s_become=false and live with what an ordinary user can see.",
        mistaken_for="A host that can not be reached.",
        sources=("lab",),
    ),
    Entry(
        code="DRV017",
        layer="driver",
        status="fail",
        title="No kernel module was built for the running kernel",
        message="The module lies on disk for {others}, not for the running kernel {kernel}.",
        meaning="The kernel was upgraded and the module was not built for it.",
        remedy="Install the headers of the running kernel and run `dkms autoinstall` (or install the distribution's "
        "nvidia modules of that kernel), then `modprobe nvidia`. Booting one of the other kernels helps until then.",
        mistaken_for="A GPU that is defect.",
        sources=("https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/",),
    ),
    Entry(
        code="DRV018",
        layer="driver",
        status="fail",
        title="The kernel refuses the module for its signature",
        message="The kernel does not take the nvidia module: {says}",
        meaning="Secure Boot or lockdown wants modules that are signed with a key that it trusts.",
        remedy="Enroll the key that signs the module (`mokutil --import`, then reboot and confirm), use the "
        "distribution's signed modules, or turn Secure Boot off.",
        mistaken_for="A module that was not built for this kernel.",
        sources=(
            "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/",
            "https://github.com/NVIDIA/gpu-driver-container/issues/44",
        ),
    ),
    Entry(
        code="DRV036",
        layer="driver",
        status="warning",
        title="Files of a second driver version lie about",
        message="The loaded driver is {module}; there are also libraries of {others}.",
        meaning="Two ways of installing the driver were mixed. Sooner or later a program or container gets the wrong "
        "library.",
        remedy="Remove the installation that is not wanted (nvidia-uninstall for a .run file, else the package "
        "manager).",
        mistaken_for="A container toolkit that mounts the wrong files.",
        sources=("https://github.com/NVIDIA/nvidia-container-toolkit/issues/154",),
    ),
    Entry(
        code="DRV037",
        layer="driver",
        status="warning",
        title="Another module will be loaded at the next boot",
        message="The loaded module is version {module}, the one on disk {on_disk}; the library fits the loaded one.",
        meaning="The node works until it is rebooted; then module and library will differ.",
        remedy="Install module and library of one version, and reboot while the node is drained.",
        mistaken_for="Nothing yet.",
        sources=("https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/",),
    ),
    Entry(
        code="DRV043",
        layer="driver",
        status="fail",
        title="There are not as many GPUs as you expect",
        message="{expected} GPUs are expected, nvidia-smi lists {in_nvml}.",
        meaning="What the driver and the bus agree upon is not what gpu_k8s_expected_gpus says of this host.",
        remedy="Too few: look for cards that the BIOS does not see, or the wrong machine type. Otherwise correct "
        "gpu_k8s_expected_gpus for this host.",
        mistaken_for="A device plugin that advertises too few.",
        sources=("lab",),
    ),
    Entry(
        code="DRV044",
        layer="driver",
        status="fail",
        title="The driver is not the version that you expect",
        message="Driver {expected} is expected, {version} is loaded.",
        meaning="gpu_k8s_expected_driver says otherwise of this host.",
        remedy="Install the expected version and reboot, or correct gpu_k8s_expected_driver.",
        mistaken_for="An image that needs another CUDA version.",
        sources=("lab",),
    ),
    Entry(
        code="DRV045",
        layer="driver",
        status="fail",
        title="The GPUs are not the model that you expect",
        message="{expected} is expected, these are: {names}.",
        meaning="gpu_k8s_expected_model says otherwise of this host.",
        remedy="Check which machine this is, or correct gpu_k8s_expected_model.",
        mistaken_for="A wrong label on the Node.",
        sources=("lab",),
    ),
    Entry(
        code="DRV048",
        layer="driver",
        status="unknown",
        title="What you expect of the driver can't be checked",
        message="The driver is waived, so {names} can't be checked.",
        meaning="gpu_k8s_waive says that this layer is done without, and another variable what it has to be.",
        remedy="Take one of the two away: the expectation, or the driver from gpu_k8s_waive.",
        mistaken_for="A driver that is as expected.",
        sources=("written for the rule",),
    ),
    Entry(
        code="DRV046",
        layer="driver",
        status="fail",
        title="CUDA's part of the driver is missing",
        message="The driver's NVML library is there, libcuda.so.1 is not.",
        meaning="Only part of the user-space driver is installed: nvidia-smi works, and no CUDA program can.",
        remedy="Install the compute libraries of the same version (libnvidia-compute, libcuda1, nvidia-driver-cuda), "
        "run `ldconfig`, and write CDI specifications again.",
        mistaken_for="A container toolkit that does not inject the library.",
        sources=("https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/",),
    ),
)
