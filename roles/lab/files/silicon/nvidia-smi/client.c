/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "client.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

void *client_symbol(const char *function)
{
    return library ? dlsym(library, function) : NULL;
}

nvmlReturn_t client_open(void)
{
    library = dlopen("libnvidia-ml.so.1", RTLD_LAZY);
    return library ? NVML_SUCCESS : NVML_ERROR_LIBRARY_NOT_FOUND;
}

const char *client_words(nvmlReturn_t result)
{
    const char *(*error_string)(nvmlReturn_t) = (const char *(*)(nvmlReturn_t))client_symbol("nvmlErrorString");

    if (result == NVML_ERROR_NOT_SUPPORTED)
        return "N/A";
    if (result == NVML_ERROR_FUNCTION_NOT_FOUND)
        return "Function Not Found";
    return error_string ? error_string(result) : "Unknown Error";
}

/* A few of NVML's codes are exit codes as they are, the others become 255. */
int client_exit_code(nvmlReturn_t result)
{
    switch (result) {
    case NVML_SUCCESS:
    case NVML_ERROR_INVALID_ARGUMENT:
    case NVML_ERROR_NOT_SUPPORTED:
    case NVML_ERROR_NO_PERMISSION:
    case NVML_ERROR_NOT_FOUND:
    case NVML_ERROR_INSUFFICIENT_POWER:
    case NVML_ERROR_DRIVER_NOT_LOADED:
    case NVML_ERROR_IRQ_ISSUE:
    case NVML_ERROR_LIBRARY_NOT_FOUND:
    case NVML_ERROR_FUNCTION_NOT_FOUND:
    case NVML_ERROR_CORRUPTED_INFOROM:
    case NVML_ERROR_GPU_IS_LOST:
    case NVML_ERROR_OPERATING_SYSTEM:
    case NVML_ERROR_LIB_RM_VERSION_MISMATCH:
        return (int)result;
    default:
        return 255;
    }
}

static nvmlReturn_t find(const char *id, struct gpu *gpu)
{
    char *end;
    unsigned long index = strtoul(id, &end, 10);
    nvmlReturn_t result;

    if (*id && !*end) {
        gpu->index = (unsigned)index;
        return NVML(nvmlDeviceGetHandleByIndex_v2, gpu->index, &gpu->device);
    }
    result = strncmp(id, "GPU-", 4) == 0 ? NVML(nvmlDeviceGetHandleByUUID, id, &gpu->device)
                                         : NVML(nvmlDeviceGetHandleByPciBusId_v2, id, &gpu->device);
    return result == NVML_SUCCESS ? NVML(nvmlDeviceGetIndex, gpu->device, &gpu->index) : result;
}

static void select_listed(const char *ids, struct gpu gpus[MAX_SELECTED], unsigned *count)
{
    char list[4096];

    snprintf(list, sizeof list, "%s", ids);
    for (char *id = strtok(list, ","); id && *count < MAX_SELECTED; id = strtok(NULL, ",")) {
        struct gpu *gpu = &gpus[*count];

        snprintf(gpu->name, sizeof gpu->name, "%s", id);
        gpu->handle = find(id, gpu);
        if (gpu->handle == NVML_ERROR_INVALID_ARGUMENT || gpu->handle == NVML_ERROR_NOT_FOUND)
            continue; /* no such GPU */
        ++*count;
    }
}

nvmlReturn_t client_select(const char *ids, struct gpu gpus[MAX_SELECTED], unsigned *count)
{
    nvmlReturn_t result;

    *count = 0;
    if (ids) {
        select_listed(ids, gpus, count);
        return NVML_SUCCESS;
    }
    result = NVML(nvmlDeviceGetCount_v2, count);
    if (*count > MAX_SELECTED)
        *count = MAX_SELECTED;
    for (unsigned i = 0; i < *count; i++) {
        gpus[i].index = i;
        snprintf(gpus[i].name, sizeof gpus[i].name, "%u", i);
        gpus[i].handle = NVML(nvmlDeviceGetHandleByIndex_v2, i, &gpus[i].device);
    }
    return result;
}
