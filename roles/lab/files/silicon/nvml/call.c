/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "call.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct nvmlDevice_st devices[MAX_GPUS];

nvmlDevice_t device_of(int minor)
{
    devices[minor].minor = minor;
    return (nvmlDevice_t){ &devices[minor] };
}

int minor_of(nvmlDevice_t device)
{
    for (int minor = 0; minor < MAX_GPUS; minor++)
        if (device.handle == &devices[minor])
            return minor;
    return -1;
}

nvmlReturn_t fault_of(int minor, const char *function)
{
    char key[96];
    long seconds, code;

    snprintf(key, sizeof key, "sleep.%s", function);
    seconds = setting_number(minor, key, 0);
    if (seconds > 0)
        sleep((unsigned)seconds);
    snprintf(key, sizeof key, "fail.%s", function);
    code = setting_number(minor, key, 0);
    if (code == 0 && minor != EVERY_GPU)
        code = setting_number(minor, "fail", 0);
    return (nvmlReturn_t)code;
}

nvmlReturn_t begin_call(int minor, const char *function, bool arguments_valid)
{
    nvmlReturn_t fault = fault_of(minor, function);

    if (fault != NVML_SUCCESS)
        return fault;
    if (initialized == 0)
        return NVML_ERROR_UNINITIALIZED;
    return arguments_valid ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

/* Called by the generated stubs. */
nvmlReturn_t call_unsupported(const char *function)
{
    nvmlReturn_t fault = fault_of(EVERY_GPU, function);

    return fault != NVML_SUCCESS ? fault : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t copy_text(char *to, unsigned size, const char *text)
{
    if (strlen(text) >= size)
        return NVML_ERROR_INSUFFICIENT_SIZE;
    strcpy(to, text);
    return NVML_SUCCESS;
}
