/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulated machine: which GPUs it has, and which driver. */
#pragma once
#include "settings.h"

#define MAX_GPUS 8

struct gpu {
    char uuid[SETTING_SIZE];
    char serial[16];
    char model[SETTING_SIZE];
    unsigned bus; /* PCI address 0000:BUS:00.0 */
    unsigned pci_device_id; /* as NVML has it: device << 16 | vendor */
    unsigned pci_subsystem_id;
    int numa_node;
};

int machine_gpu_count(void);
void machine_gpu(int minor, struct gpu *gpu);

void machine_library_version(char version[SETTING_SIZE]);
void machine_kernel_version(char version[SETTING_SIZE]);
