/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fields.h"
#include <stdio.h>
#include <string.h>

enum { CURRENT, PENDING };
enum { TOTAL, USED, FREE };
enum { CORRECTED, UNCORRECTED, REMAP_PENDING, REMAP_FAILURE };
#define ECC(type, counter) (NVML_MEMORY_ERROR_TYPE_##type * NVML_ECC_COUNTER_TYPE_COUNT + NVML_##counter##_ECC)

#define UNUSED __attribute__((unused))
#define READER(name) static nvmlReturn_t name(const struct gpu *gpu UNUSED, int which UNUSED, char text[FIELD_TEXT])

static void write_number(char text[FIELD_TEXT], unsigned long long number)
{
    snprintf(text, FIELD_TEXT, "%llu", number);
}

static void write_enabled(char text[FIELD_TEXT], unsigned enabled)
{
    snprintf(text, FIELD_TEXT, "%s", enabled ? "Enabled" : "Disabled");
}

static void write_yes_no(char text[FIELD_TEXT], unsigned yes)
{
    snprintf(text, FIELD_TEXT, "%s", yes ? "Yes" : "No");
}

READER(read_index)
{
    unsigned index = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetIndex, gpu->device, &index);

    write_number(text, index);
    return result;
}

READER(read_count)
{
    unsigned count = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetCount_v2, &count);

    write_number(text, count);
    return result;
}

READER(read_name)
{
    return NVML(nvmlDeviceGetName, gpu->device, text, FIELD_TEXT);
}

READER(read_uuid)
{
    return NVML(nvmlDeviceGetUUID, gpu->device, text, FIELD_TEXT);
}

READER(read_serial)
{
    return NVML(nvmlDeviceGetSerial, gpu->device, text, FIELD_TEXT);
}

READER(read_driver_version)
{
    return NVML(nvmlSystemGetDriverVersion, text, FIELD_TEXT);
}

READER(read_pci_bus_id)
{
    nvmlPciInfo_t pci = { 0 };
    nvmlReturn_t result = NVML(nvmlDeviceGetPciInfo_v3, gpu->device, &pci);

    snprintf(text, FIELD_TEXT, "%s", pci.busId);
    return result;
}

READER(read_pci_device_id)
{
    nvmlPciInfo_t pci = { 0 };
    nvmlReturn_t result = NVML(nvmlDeviceGetPciInfo_v3, gpu->device, &pci);

    snprintf(text, FIELD_TEXT, "0x%08X", pci.pciDeviceId);
    return result;
}

READER(read_memory)
{
    nvmlMemory_t memory = { 0 };
    nvmlReturn_t result = NVML(nvmlDeviceGetMemoryInfo, gpu->device, &memory);

    write_number(text, (which == TOTAL ? memory.total : which == USED ? memory.used : memory.free) >> 20);
    return result;
}

READER(read_persistence_mode)
{
    nvmlEnableState_t mode = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetPersistenceMode, gpu->device, &mode);

    write_enabled(text, mode);
    return result;
}

READER(read_compute_mode)
{
    static const char *const modes[] = { "Default", "Exclusive_Thread", "Prohibited", "Exclusive_Process" };
    nvmlComputeMode_t mode = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetComputeMode, gpu->device, &mode);

    snprintf(text, FIELD_TEXT, "%s", mode < sizeof modes / sizeof *modes ? modes[mode] : "Unknown");
    return result;
}

READER(read_compute_capability)
{
    int major = 0, minor = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetCudaComputeCapability, gpu->device, &major, &minor);

    snprintf(text, FIELD_TEXT, "%d.%d", major, minor);
    return result;
}

READER(read_mig_mode)
{
    unsigned current = 0, pending = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetMigMode, gpu->device, &current, &pending);

    write_enabled(text, which == CURRENT ? current : pending);
    return result;
}

READER(read_ecc_mode)
{
    nvmlEnableState_t current = 0, pending = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetEccMode, gpu->device, &current, &pending);

    write_enabled(text, which == CURRENT ? current : pending);
    return result;
}

READER(read_ecc_errors)
{
    unsigned long long errors = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetTotalEccErrors, gpu->device, which / NVML_ECC_COUNTER_TYPE_COUNT,
                               which % NVML_ECC_COUNTER_TYPE_COUNT, &errors);

    write_number(text, errors);
    return result;
}

READER(read_retired_pages)
{
    unsigned count = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetRetiredPages, gpu->device, which, &count, NULL);

    write_number(text, count);
    return result == NVML_ERROR_INSUFFICIENT_SIZE ? NVML_SUCCESS : result; /* only the count is wanted */
}

READER(read_retired_pages_pending)
{
    nvmlEnableState_t pending = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetRetiredPagesPendingStatus, gpu->device, &pending);

    write_yes_no(text, pending);
    return result;
}

READER(read_remapped_rows)
{
    unsigned rows[4] = { 0 };
    nvmlReturn_t result = NVML(nvmlDeviceGetRemappedRows, gpu->device, &rows[CORRECTED], &rows[UNCORRECTED],
                               &rows[REMAP_PENDING], &rows[REMAP_FAILURE]);

    if (which == REMAP_PENDING || which == REMAP_FAILURE)
        write_yes_no(text, rows[which]);
    else
        write_number(text, rows[which]);
    return result;
}

READER(read_temperature)
{
    unsigned celsius = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetTemperature, gpu->device, NVML_TEMPERATURE_GPU, &celsius);

    write_number(text, celsius);
    return result;
}

READER(read_utilization)
{
    nvmlUtilization_t utilization = { 0 };
    nvmlReturn_t result = NVML(nvmlDeviceGetUtilizationRates, gpu->device, &utilization);

    write_number(text, utilization.gpu);
    return result;
}

READER(read_performance_state)
{
    nvmlPstates_t state = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetPerformanceState, gpu->device, &state);

    snprintf(text, FIELD_TEXT, "P%u", state);
    return result;
}

READER(read_power_draw)
{
    unsigned milliwatts = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetPowerUsage, gpu->device, &milliwatts);

    snprintf(text, FIELD_TEXT, "%u.%02u", milliwatts / 1000, milliwatts % 1000 / 10);
    return result;
}

READER(read_power_limit)
{
    unsigned milliwatts = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetEnforcedPowerLimit, gpu->device, &milliwatts);

    snprintf(text, FIELD_TEXT, "%u.%02u", milliwatts / 1000, milliwatts % 1000 / 10);
    return result;
}

READER(read_fabric_state)
{
    static const char *const states[] = { "N/A", "Not Started", "In Progress", "Completed" };
    nvmlGpuFabricInfo_t fabric = { 0 };
    nvmlReturn_t result = NVML(nvmlDeviceGetGpuFabricInfo, gpu->device, &fabric);

    snprintf(text, FIELD_TEXT, "%s", fabric.state < sizeof states / sizeof *states ? states[fabric.state] : "Unknown");
    return fabric.state == NVML_GPU_FABRIC_STATE_NOT_SUPPORTED ? NVML_ERROR_NOT_SUPPORTED : result;
}

/* What came of joining the fabric: nothing before it is completed. */
READER(read_fabric_status)
{
    nvmlGpuFabricInfo_t fabric = { 0 };
    nvmlReturn_t result = NVML(nvmlDeviceGetGpuFabricInfo, gpu->device, &fabric);

    snprintf(text, FIELD_TEXT, "%s", client_words(fabric.status));
    return fabric.state == NVML_GPU_FABRIC_STATE_COMPLETED ? result : NVML_ERROR_NOT_SUPPORTED;
}

static const struct field fields[] = {
    { "index", "", read_index, 0 },
    { "count", "", read_count, 0 },
    { "name", "", read_name, 0 },
    { "uuid", "", read_uuid, 0 },
    { "serial", "", read_serial, 0 },
    { "driver_version", "", read_driver_version, 0 },
    { "pci.bus_id", "", read_pci_bus_id, 0 },
    { "pci.device_id", "", read_pci_device_id, 0 },
    { "memory.total", "MiB", read_memory, TOTAL },
    { "memory.used", "MiB", read_memory, USED },
    { "memory.free", "MiB", read_memory, FREE },
    { "persistence_mode", "", read_persistence_mode, 0 },
    { "compute_mode", "", read_compute_mode, 0 },
    { "compute_cap", "", read_compute_capability, 0 },
    { "mig.mode.current", "", read_mig_mode, CURRENT },
    { "mig.mode.pending", "", read_mig_mode, PENDING },
    { "ecc.mode.current", "", read_ecc_mode, CURRENT },
    { "ecc.mode.pending", "", read_ecc_mode, PENDING },
    { "ecc.errors.corrected.volatile.total", "", read_ecc_errors, ECC(CORRECTED, VOLATILE) },
    { "ecc.errors.corrected.aggregate.total", "", read_ecc_errors, ECC(CORRECTED, AGGREGATE) },
    { "ecc.errors.uncorrected.volatile.total", "", read_ecc_errors, ECC(UNCORRECTED, VOLATILE) },
    { "ecc.errors.uncorrected.aggregate.total", "", read_ecc_errors, ECC(UNCORRECTED, AGGREGATE) },
    { "retired_pages.single_bit_ecc.count", "", read_retired_pages,
      NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS },
    { "retired_pages.double_bit.count", "", read_retired_pages, NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR },
    { "retired_pages.pending", "", read_retired_pages_pending, 0 },
    { "remapped_rows.correctable", "", read_remapped_rows, CORRECTED },
    { "remapped_rows.uncorrectable", "", read_remapped_rows, UNCORRECTED },
    { "remapped_rows.pending", "", read_remapped_rows, REMAP_PENDING },
    { "remapped_rows.failure", "", read_remapped_rows, REMAP_FAILURE },
    { "fabric.state", "", read_fabric_state, 0 },
    { "fabric.status", "", read_fabric_status, 0 },
    { "temperature.gpu", "", read_temperature, 0 },
    { "utilization.gpu", "%", read_utilization, 0 },
    { "pstate", "", read_performance_state, 0 },
    { "power.draw", "W", read_power_draw, 0 },
    { "enforced.power.limit", "W", read_power_limit, 0 },
};

static const struct {
    const char *alias, *name;
} aliases[] = {
    { "gpu_name", "name" },
    { "gpu_uuid", "uuid" },
    { "gpu_serial", "serial" },
    { "gpu_bus_id", "pci.bus_id" },
};

const struct field *field_find(const char *name)
{
    for (unsigned i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i].alias, name) == 0)
            name = aliases[i].name;
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

nvmlReturn_t field_show(const struct gpu *gpu, const char *name, char text[FIELD_TEXT])
{
    const struct field *field = field_find(name);
    nvmlReturn_t result = field->read(gpu, field->which, text);

    if (result != NVML_SUCCESS) {
        snprintf(text, FIELD_TEXT, "%s", client_words(result));
    } else if (*field->unit) {
        size_t length = strlen(text);

        snprintf(text + length, FIELD_TEXT - length, " %s", field->unit);
    }
    return result;
}
