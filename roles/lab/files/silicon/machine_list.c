/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sim-machine-list SETTINGS: the machine as tab-separated lines, for kernel_facts.sh. It reads the settings alone, so
 * that no fault of the library touches it. */
#include "machine.h"
#include <stdio.h>

int main(int argc, char **argv)
{
    char version[SETTING_SIZE];

    if (argc != 2) {
        fprintf(stderr, "usage: %s SETTINGS\n", argv[0]);
        return 2;
    }
    settings_use(argv[1]);
    machine_kernel_version(version);
    printf("driver\t%s\n", version);
    for (int minor = 0; minor < machine_gpu_count(); minor++) {
        struct gpu gpu;

        machine_gpu(minor, &gpu);
        printf("gpu\t%d\t0000:%02x:00.0\t%s\t0x%04x\t0x%04x\t0x%04x\t%d\t%s\n", minor, gpu.bus, gpu.uuid,
               gpu.pci_device_id >> 16, gpu.pci_subsystem_id & 0xffff, gpu.pci_subsystem_id >> 16, gpu.numa_node,
               gpu.model);
    }
    return 0;
}
