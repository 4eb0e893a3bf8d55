/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory errors, and what the GPU did about them. */
#include "call.h"

static int ecc_is_on(int minor)
{
    return setting_number(minor, "ecc", NVML_FEATURE_ENABLED) == NVML_FEATURE_ENABLED;
}

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t *current, nvmlEnableState_t *pending)
{
    BEGIN_DEVICE(current && pending);
    *current = (nvmlEnableState_t)ecc_is_on(minor);
    *pending = (nvmlEnableState_t)setting_number(minor, "ecc_pending", *current);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                         nvmlEccCounterType_t counter, unsigned long long *errors)
{
    static const char *const keys[NVML_MEMORY_ERROR_TYPE_COUNT][NVML_ECC_COUNTER_TYPE_COUNT] = {
        [NVML_MEMORY_ERROR_TYPE_CORRECTED] = { "ecc_volatile_corrected", "ecc_aggregate_corrected" },
        [NVML_MEMORY_ERROR_TYPE_UNCORRECTED] = { "ecc_volatile_uncorrected", "ecc_aggregate_uncorrected" },
    };

    BEGIN_DEVICE(errors && type < NVML_MEMORY_ERROR_TYPE_COUNT && counter < NVML_ECC_COUNTER_TYPE_COUNT);
    if (!ecc_is_on(minor))
        return NVML_ERROR_NOT_SUPPORTED;
    *errors = (unsigned long long)setting_number(minor, keys[type][counter], 0);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned *corrected, unsigned *uncorrected,
                                       unsigned *pending, unsigned *failure)
{
    BEGIN_DEVICE(corrected && uncorrected && pending && failure);
    if (setting_number(minor, "mig", NVML_DEVICE_MIG_DISABLE) == NVML_DEVICE_MIG_ENABLE)
        return NVML_ERROR_NOT_SUPPORTED;
    *corrected = (unsigned)setting_number(minor, "remap_corrected", 0);
    *uncorrected = (unsigned)setting_number(minor, "remap_uncorrected", 0);
    *pending = (unsigned)setting_number(minor, "remap_pending", 0);
    *failure = (unsigned)setting_number(minor, "remap_failure", 0);
    return NVML_SUCCESS;
}

/* GPUs that remap rows retire no pages: supported only where the settings speak of it. */
nvmlReturn_t nvmlDeviceGetRetiredPages(nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned *count,
                                       unsigned long long *addresses)
{
    long retired;
    unsigned room;

    BEGIN_DEVICE(count);
    retired = setting_number(
        minor, cause == NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR ? "retired_dbe" : "retired_sbe", -1);
    if (retired < 0)
        return NVML_ERROR_NOT_SUPPORTED;
    room = addresses ? *count : 0;
    *count = (unsigned)retired;
    if (room < *count)
        return NVML_ERROR_INSUFFICIENT_SIZE;
    for (unsigned i = 0; i < *count; i++)
        addresses[i] = 0x1000ull * (i + 1);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetRetiredPagesPendingStatus(nvmlDevice_t device, nvmlEnableState_t *pending)
{
    long retired_pending;

    BEGIN_DEVICE(pending);
    retired_pending = setting_number(minor, "retired_pending", -1);
    if (retired_pending < 0)
        return NVML_ERROR_NOT_SUPPORTED;
    *pending = (nvmlEnableState_t)retired_pending;
    return NVML_SUCCESS;
}
