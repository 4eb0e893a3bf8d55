/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a GPU is doing and how it is set up. */
#include "call.h"
#include <string.h>

static unsigned long long bytes(int minor, const char *key, long mebibytes)
{
    return (unsigned long long)setting_number(minor, key, mebibytes) << 20;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
    BEGIN_DEVICE(memory);
    memory->total = bytes(minor, "memory_mib", 81559);
    memory->used = bytes(minor, "memory_used_mib", 1);
    memory->free = memory->total - memory->used;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned *current, unsigned *pending)
{
    BEGIN_DEVICE(current && pending);
    *current = (unsigned)setting_number(minor, "mig", NVML_DEVICE_MIG_DISABLE);
    *pending = (unsigned)setting_number(minor, "mig_pending", *current);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned *count)
{
    BEGIN_DEVICE(count);
    *count = setting_number(minor, "mig", NVML_DEVICE_MIG_DISABLE) == NVML_DEVICE_MIG_ENABLE ? 7 : 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned *is_mig)
{
    BEGIN_DEVICE(is_mig);
    *is_mig = 0;
    return NVML_SUCCESS;
}

/* No instance has been created: MIG can be on, but it has no devices. */
nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index, nvmlDevice_t *mig)
{
    (void)index;
    BEGIN_DEVICE(mig);
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned *celsius)
{
    BEGIN_DEVICE(celsius && sensor == NVML_TEMPERATURE_GPU);
    *celsius = (unsigned)setting_number(minor, "temperature", 31);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *utilization)
{
    BEGIN_DEVICE(utilization);
    utilization->gpu = (unsigned)setting_number(minor, "utilization", 0);
    utilization->memory = 0;
    return NVML_SUCCESS;
}

#define DEVICE_NUMBER(function, type, key, otherwise)                          \
    nvmlReturn_t function(nvmlDevice_t device, type *number)                   \
    {                                                                          \
        BEGIN_DEVICE(number);                                                  \
        *number = (type)setting_number(minor, key, otherwise);                 \
        return NVML_SUCCESS;                                                   \
    }
DEVICE_NUMBER(nvmlDeviceGetPersistenceMode, nvmlEnableState_t, "persistence", NVML_FEATURE_ENABLED)
DEVICE_NUMBER(nvmlDeviceGetComputeMode, nvmlComputeMode_t, "compute_mode", NVML_COMPUTEMODE_DEFAULT)
DEVICE_NUMBER(nvmlDeviceGetPerformanceState, nvmlPstates_t, "pstate", NVML_PSTATE_0)
DEVICE_NUMBER(nvmlDeviceGetPowerUsage, unsigned, "power_mw", 76000)
DEVICE_NUMBER(nvmlDeviceGetEnforcedPowerLimit, unsigned, "power_limit_mw", 700000)

/* GPUs that no NVSwitch connects have no fabric to join. */
nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t *fabric)
{
    BEGIN_DEVICE(fabric);
    memset(fabric, 0, sizeof *fabric);
    fabric->state = (nvmlGpuFabricState_t)setting_number(minor, "fabric_state", NVML_GPU_FABRIC_STATE_NOT_SUPPORTED);
    fabric->status = (nvmlReturn_t)setting_number(minor, "fabric_status", NVML_SUCCESS);
    return NVML_SUCCESS;
}
