#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kernel_facts.sh ROOT SETTINGS: what the kernel of a machine with these GPUs shows in /proc and /sys, below ROOT.
# Only creates files. ROOT/proc/driver, ROOT/sys/module and ROOT/sys/bus/pci/devices must be writable (a tmpfs each);
# with ROOT/sys/bus/pci/drivers writable too, the devices' "driver" links lead somewhere. What build.sh made must be
# below ROOT.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: $0 ROOT SETTINGS" >&2
    exit 2
fi
root=${1%/}
settings=$2
machine=$("$root/usr/libexec/sim-machine-list" "$settings")
driver_version=$(printf '%s\n' "$machine" | sed -n 's/^driver\t//p')

# The two bytes of a number, low byte first.
little_endian() {
    # shellcheck disable=SC2059 # the format is the two bytes, as escapes
    printf "$(printf '\\%03o\\%03o' $(($1 & 255)) $(($1 >> 8)))"
}

# pci_config VENDOR DEVICE SUBSYSTEM_VENDOR SUBSYSTEM_DEVICE CLASS: the standard header, which lspci reads.
pci_config() {
    little_endian "$1"
    little_endian "$2"
    head -c 4 /dev/zero # command, status
    little_endian $((($5 & 255) << 8 | 0xa1)) # interface, revision
    little_endian $(($5 >> 8))
    head -c 32 /dev/zero # base addresses
    little_endian "$3"
    little_endian "$4"
    head -c 16 /dev/zero
}

# pci_device ADDRESS VENDOR DEVICE SUBSYSTEM_VENDOR SUBSYSTEM_DEVICE CLASS NUMA_NODE IRQ DRIVER
pci_device() {
    device=$root/sys/bus/pci/devices/$1
    mkdir -p "$device"
    echo "$2" > "$device/vendor"
    echo "$3" > "$device/device"
    echo "$4" > "$device/subsystem_vendor"
    echo "$5" > "$device/subsystem_device"
    echo "$6" > "$device/class"
    echo "$7" > "$device/numa_node"
    echo "$8" > "$device/irq"
    echo 0xa1 > "$device/revision"
    echo 1 > "$device/enable"
    pci_config "$2" "$3" "$4" "$5" "$6" > "$device/config"
    : > "$device/resource"
    mkdir -p "$root/sys/bus/pci/drivers/$9" 2> /dev/null || :
    ln -sfn "../../../../bus/pci/drivers/$9" "$device/driver"
    printf 'DRIVER=%s\nPCI_SLOT_NAME=%s\n' "$9" "$1" > "$device/uevent"
}

# module NAME REFERENCES
module() {
    mkdir -p "$root/sys/module/$1"
    echo "$driver_version" > "$root/sys/module/$1/version"
    echo live > "$root/sys/module/$1/initstate"
    echo "$2" > "$root/sys/module/$1/refcnt"
}

# gpu_information ADDRESS MINOR UUID IRQ MODEL
gpu_information() {
    information=$root/proc/driver/nvidia/gpus/$1
    mkdir -p "$information"
    {
        printf 'Model: \t\t %s\n' "$5"
        printf 'IRQ:   \t\t %s\n' "$4"
        printf 'GPU UUID: \t %s\n' "$3"
        printf 'Video BIOS: \t 96.00.a5.00.01\n'
        printf 'Bus Type: \t PCIe\n'
        printf 'DMA Size: \t 52 bits\n'
        printf 'DMA Mask: \t 0xfffffffffffff\n'
        printf 'Bus Location: \t %s\n' "$1"
        printf 'Device Minor: \t %s\n' "$2"
        printf 'GPU Firmware: \t %s\n' "$driver_version"
        printf 'GPU Excluded:\t No\n'
    } > "$information/information"
}

mkdir -p "$root/proc/driver/nvidia/gpus"
cat > "$root/proc/driver/nvidia/version" <<VERSION
NVRM version: NVIDIA UNIX $(uname -m) Kernel Module  $driver_version  Tue Apr  8 12:41:17 UTC 2025
GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)
VERSION
cat > "$root/proc/driver/nvidia/params" <<'PARAMS'
ResmanDebugLevel: 4294967295
ModifyDeviceFiles: 1
DeviceFileUID: 0
DeviceFileGID: 0
DeviceFileMode: 438
EnableMSI: 1
EnableGpuFirmware: 18
OpenRmEnableUnsupportedGpus: 1
RegistryDwords: ""
ExcludedGpus: ""
PARAMS

module nvidia 2
module nvidia_uvm 0
module nvidia_modeset 0

# A neighbour of another vendor: not every PCI device of a GPU machine is a GPU.
pci_device 0000:01:00.0 0x15b3 0x101d 0x15b3 0x0016 0x020000 0 60 mlx5_core

tab=$(printf '\t')
printf '%s\n' "$machine" | sed -n 's/^gpu\t//p' |
    while IFS=$tab read -r minor address uuid device subsystem_vendor subsystem_device numa_node model; do
        irq=$((160 + minor))
        pci_device "$address" 0x10de "$device" "$subsystem_vendor" "$subsystem_device" 0x030200 "$numa_node" "$irq" \
            nvidia
        gpu_information "$address" "$minor" "$uuid" "$irq" "$model"
    done
