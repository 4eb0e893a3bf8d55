/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Start, stop, versions, error texts. */
#define _GNU_SOURCE /* dladdr; nowhere else: with it newer C libraries bind strtol to symbols that older ones lack */
#include "call.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Atomic int initialized;

/* The settings lie beside the library under a name that nvidia-ctk takes for a driver library, so that it
 * mounts them into containers: libnvidia-ml.so.VERSION -> libsim-nvml-conf.so.VERSION. */
__attribute__((constructor)) static void find_settings(void)
{
    Dl_info self;
    char library[4096], settings[8192], *name;

    if (!dladdr((void *)find_settings, &self) || !realpath(self.dli_fname, library))
        return;
    name = strrchr(library, '/');
    *name++ = '\0';
    if (strncmp(name, "libnvidia-ml", strlen("libnvidia-ml")) != 0)
        return;
    snprintf(settings, sizeof settings, "%s/libsim-nvml-conf%s", library, name + strlen("libnvidia-ml"));
    settings_use(settings);
}

/* In a container /sys/module isn't the node's: there only the settings can tell. */
static void loaded_version(char version[SETTING_SIZE])
{
    char setting[SETTING_SIZE];
    FILE *file;

    machine_kernel_version(version);
    setting_text(EVERY_GPU, "kernel_version", "", setting);
    if (*setting || !(file = fopen("/sys/module/nvidia/version", "r")))
        return;
    if (fgets(version, SETTING_SIZE, file))
        version[strcspn(version, "\n")] = '\0';
    fclose(file);
}

static nvmlReturn_t reach_driver(void)
{
    char directory[SETTING_SIZE], control[SETTING_SIZE + 16], library[SETTING_SIZE], loaded[SETTING_SIZE];

    setting_text(EVERY_GPU, "devroot", "/dev", directory);
    snprintf(control, sizeof control, "%s/nvidiactl", directory);
    if (access(control, R_OK | W_OK) != 0)
        switch (errno) {
        case EPERM: /* the device cgroup */
            return NVML_ERROR_UNKNOWN;
        case EACCES:
            return NVML_ERROR_NO_PERMISSION;
        default:
            return NVML_ERROR_DRIVER_NOT_LOADED;
        }
    machine_library_version(library);
    loaded_version(loaded);
    return strcmp(library, loaded) == 0 ? NVML_SUCCESS : NVML_ERROR_LIB_RM_VERSION_MISMATCH;
}

static nvmlReturn_t initialize(const char *function)
{
    nvmlReturn_t result = fault_of(EVERY_GPU, function);

    sleep((unsigned)setting_number(EVERY_GPU, "init_sleep", 0));
    if (result == NVML_SUCCESS)
        result = (nvmlReturn_t)setting_number(EVERY_GPU, "init", 0);
    if (result == NVML_SUCCESS)
        result = reach_driver();
    if (result == NVML_SUCCESS)
        initialized++;
    return result;
}

nvmlReturn_t nvmlInit_v2(void)
{
    return initialize(__func__);
}

nvmlReturn_t nvmlInitWithFlags(unsigned flags)
{
    (void)flags;
    return initialize(__func__);
}

nvmlReturn_t nvmlShutdown(void)
{
    BEGIN(1);
    initialized--;
    return NVML_SUCCESS;
}

/* The versions can be asked for before nvmlInit. */
nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned length)
{
    nvmlReturn_t fault = fault_of(EVERY_GPU, __func__);
    char text[SETTING_SIZE];

    if (fault != NVML_SUCCESS)
        return fault;
    loaded_version(text);
    return copy_text(version, length, text);
}

static void cuda_version(int *major, int *minor)
{
    char text[SETTING_SIZE];

    setting_text(EVERY_GPU, "cuda_version", "12.4", text);
    *major = *minor = 0;
    sscanf(text, "%d.%d", major, minor);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned length)
{
    nvmlReturn_t fault = fault_of(EVERY_GPU, __func__);
    char library[SETTING_SIZE], text[SETTING_SIZE + 16];
    int major, minor;

    if (fault != NVML_SUCCESS)
        return fault;
    machine_library_version(library);
    cuda_version(&major, &minor);
    snprintf(text, sizeof text, "%d.%s", major, library);
    return copy_text(version, length, text);
}

/* CUDA is libcuda's: without that library there is no version to tell. */
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    nvmlReturn_t fault = fault_of(EVERY_GPU, __func__);
    void *libcuda;
    int major, minor;

    if (fault != NVML_SUCCESS)
        return fault;
    if (!(libcuda = dlopen("libcuda.so.1", RTLD_LAZY)))
        return NVML_ERROR_LIBRARY_NOT_FOUND;
    dlclose(libcuda);
    cuda_version(&major, &minor);
    *version = major * 1000 + minor * 10;
    return NVML_SUCCESS;
}

const char *nvmlErrorString(nvmlReturn_t result)
{
    static const char *const texts[] = {
        [NVML_SUCCESS] = "Success",
        [NVML_ERROR_UNINITIALIZED] = "Uninitialized",
        [NVML_ERROR_INVALID_ARGUMENT] = "Invalid Argument",
        [NVML_ERROR_NOT_SUPPORTED] = "Not Supported",
        [NVML_ERROR_NO_PERMISSION] = "Insufficient Permissions",
        [NVML_ERROR_ALREADY_INITIALIZED] = "Already Initialized",
        [NVML_ERROR_NOT_FOUND] = "Not Found",
        [NVML_ERROR_INSUFFICIENT_SIZE] = "Insufficient Size",
        [NVML_ERROR_INSUFFICIENT_POWER] = "Insufficient External Power",
        [NVML_ERROR_DRIVER_NOT_LOADED] = "Driver Not Loaded",
        [NVML_ERROR_TIMEOUT] = "Timeout",
        [NVML_ERROR_IRQ_ISSUE] = "Interrupt Request Issue",
        [NVML_ERROR_LIBRARY_NOT_FOUND] = "NVML Shared Library Not Found",
        [NVML_ERROR_FUNCTION_NOT_FOUND] = "Function Not Found",
        [NVML_ERROR_CORRUPTED_INFOROM] = "Corrupted infoROM",
        [NVML_ERROR_GPU_IS_LOST] = "GPU is lost",
        [NVML_ERROR_RESET_REQUIRED] = "GPU requires reset",
        [NVML_ERROR_OPERATING_SYSTEM] = "GPU access blocked by the operating system",
        [NVML_ERROR_LIB_RM_VERSION_MISMATCH] = "Driver/library version mismatch",
        [NVML_ERROR_IN_USE] = "In use by another client",
        [NVML_ERROR_MEMORY] = "Insufficient Memory",
        [NVML_ERROR_NO_DATA] = "No data",
        [NVML_ERROR_GPU_NOT_FOUND] = "GPU Not Found",
    };

    return (size_t)result < sizeof texts / sizeof *texts && texts[result] ? texts[result] : "Unknown Error";
}
