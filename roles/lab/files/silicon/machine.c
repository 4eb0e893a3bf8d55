/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int machine_gpu_count(void)
{
    long count = setting_number(EVERY_GPU, "gpus", MAX_GPUS);

    return count < 0 ? 0 : count > MAX_GPUS ? MAX_GPUS : (int)count;
}

static uint64_t hash(const char *text, uint64_t start)
{
    uint64_t h = start ^ 14695981039346656037ull; /* FNV-1a, then mixed so that similar texts differ everywhere */

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211ull;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ h >> 27) * 0x94d049bb133111ebull;
    return h ^ h >> 31;
}

void machine_gpu(int minor, struct gpu *gpu)
{
    char seed[SETTING_SIZE], name[SETTING_SIZE + 16];
    uint64_t high, low;

    setting_text(EVERY_GPU, "seed", "sim", seed);
    snprintf(name, sizeof name, "%s/%d", seed, minor);
    high = hash(name, 0);
    low = hash(name, high);
    snprintf(gpu->uuid, sizeof gpu->uuid, "GPU-%08x-%04x-%04x-%04x-%012llx", (unsigned)(high >> 32),
             (unsigned)(high >> 16 & 0xffff), (unsigned)(high & 0xffff), (unsigned)(low >> 48),
             (unsigned long long)(low & 0xffffffffffffull));
    snprintf(gpu->serial, sizeof gpu->serial, "165%010u", (unsigned)(low % 1000000000u));
    setting_text(minor, "model", "NVIDIA H100 80GB HBM3", gpu->model);
    gpu->bus = (unsigned)setting_number(minor, "pci_bus", 0x19 + 0x11 * minor) & 0xff;
    gpu->pci_device_id = (unsigned)setting_number(minor, "pci_device_id", 0x233010de);
    gpu->pci_subsystem_id = (unsigned)setting_number(minor, "pci_subsystem_id", 0x16c110de);
    gpu->numa_node = (int)setting_number(minor, "numa_node", 0);
}

void machine_library_version(char version[SETTING_SIZE])
{
    setting_text(EVERY_GPU, "driver_version", settings_version(), version);
}

void machine_kernel_version(char version[SETTING_SIZE])
{
    char library[SETTING_SIZE];

    machine_library_version(library);
    setting_text(EVERY_GPU, "kernel_version", library, version);
}
