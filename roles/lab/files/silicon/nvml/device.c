/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which GPUs there are, and who they are. */
#include "call.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* A GPU is seen when its device node is: so a container sees the GPUs that it was given. */
static int is_seen(int minor)
{
    char directory[SETTING_SIZE], path[SETTING_SIZE + 32];
    struct stat node;

    setting_text(EVERY_GPU, "devroot", "/dev", directory);
    snprintf(path, sizeof path, "%s/nvidia%d", directory, minor);
    return stat(path, &node) == 0 && (!S_ISCHR(node.st_mode) || minor(node.st_rdev) == (unsigned)minor);
}

static unsigned seen_minors(int minors[MAX_GPUS])
{
    unsigned count = 0;

    for (int minor = 0; minor < machine_gpu_count(); minor++)
        if (is_seen(minor))
            minors[count++] = minor;
    return count;
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count)
{
    int minors[MAX_GPUS];

    BEGIN(count);
    *count = seen_minors(minors);
    return NVML_SUCCESS;
}

static nvmlReturn_t open_device(int minor, nvmlDevice_t *device)
{
    nvmlReturn_t fault = (nvmlReturn_t)setting_number(minor, "handle", 0);

    if (fault == NVML_SUCCESS)
        *device = device_of(minor);
    return fault;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device)
{
    int minors[MAX_GPUS];

    BEGIN(device);
    return index < seen_minors(minors) ? open_device(minors[index], device) : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
    int minors[MAX_GPUS];
    unsigned count;

    BEGIN(uuid && device);
    count = seen_minors(minors);
    for (unsigned i = 0; i < count; i++) {
        struct gpu gpu;

        machine_gpu(minors[i], &gpu);
        if (strcmp(gpu.uuid, uuid) == 0)
            return open_device(minors[i], device);
    }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, nvmlDevice_t *device)
{
    int minors[MAX_GPUS];
    unsigned count, domain, bus;

    BEGIN(bus_id && device);
    if (sscanf(bus_id, "%x:%x:", &domain, &bus) != 2)
        return NVML_ERROR_INVALID_ARGUMENT;
    count = seen_minors(minors);
    for (unsigned i = 0; i < count; i++) {
        struct gpu gpu;

        machine_gpu(minors[i], &gpu);
        if (domain == 0 && gpu.bus == bus)
            return open_device(minors[i], device);
    }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index)
{
    int minors[MAX_GPUS];
    unsigned count;

    BEGIN_DEVICE(index);
    count = seen_minors(minors);
    for (*index = 0; *index < count; ++*index)
        if (minors[*index] == minor)
            return NVML_SUCCESS;
    return NVML_ERROR_GPU_IS_LOST;
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *number)
{
    BEGIN_DEVICE(number);
    *number = (unsigned)minor;
    return NVML_SUCCESS;
}

#define DEVICE_TEXT(function, member)                                          \
    nvmlReturn_t function(nvmlDevice_t device, char *text, unsigned length)    \
    {                                                                          \
        struct gpu gpu;                                                        \
                                                                               \
        BEGIN_DEVICE(text);                                                    \
        machine_gpu(minor, &gpu);                                              \
        return copy_text(text, length, gpu.member);                            \
    }
DEVICE_TEXT(nvmlDeviceGetName, model)
DEVICE_TEXT(nvmlDeviceGetUUID, uuid)
DEVICE_TEXT(nvmlDeviceGetSerial, serial)

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    struct gpu gpu;

    BEGIN_DEVICE(pci);
    machine_gpu(minor, &gpu);
    memset(pci, 0, sizeof *pci);
    pci->bus = gpu.bus;
    pci->pciDeviceId = gpu.pci_device_id;
    pci->pciSubSystemId = gpu.pci_subsystem_id;
    snprintf(pci->busId, sizeof pci->busId, "00000000:%02X:00.0", gpu.bus);
    snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "0000:%02X:00.0", gpu.bus);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor_version)
{
    char text[SETTING_SIZE];

    BEGIN_DEVICE(major && minor_version);
    setting_text(minor, "compute_capability", "9.0", text);
    return sscanf(text, "%d.%d", major, minor_version) == 2 ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

/* The device plugin asks when a container wants several GPUs: all are equally far apart. */
nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t device, nvmlDevice_t other, nvmlGpuTopologyLevel_t *level)
{
    BEGIN_DEVICE(minor_of(other) >= 0 && level);
    *level = NVML_TOPOLOGY_SYSTEM;
    return NVML_SUCCESS;
}
