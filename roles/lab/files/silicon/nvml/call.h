/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How every NVML function begins: it sleeps or fails as the settings say, then checks its arguments. */
#pragma once
#include <stdbool.h>
#define NVML_NO_UNVERSIONED_FUNC_DEFS /* the names below are the real symbols */
#include <nvml.h>
#include "../machine.h"

struct nvmlDevice_st {
    int minor;
};

nvmlDevice_t device_of(int minor);
int minor_of(nvmlDevice_t device); /* -1: not one of ours */

/* Keys sleep.FUNCTION (seconds), fail.FUNCTION (a return code), and gpu.N.fail for every query on one GPU. */
nvmlReturn_t fault_of(int minor, const char *function);
nvmlReturn_t begin_call(int minor, const char *function, bool arguments_valid);

#define BEGIN_ON(minor, arguments_valid)                                       \
    do {                                                                       \
        nvmlReturn_t begun = begin_call(minor, __func__, arguments_valid);     \
        if (begun != NVML_SUCCESS)                                             \
            return begun;                                                      \
    } while (0)
#define BEGIN(arguments_valid) BEGIN_ON(EVERY_GPU, arguments_valid)

/* For a function with a parameter "device"; declares its minor number. */
#define BEGIN_DEVICE(arguments_valid)                                          \
    int minor = minor_of(device);                                              \
    if (minor < 0)                                                             \
        return NVML_ERROR_INVALID_ARGUMENT;                                    \
    BEGIN_ON(minor, arguments_valid)

/* Counts nvmlInit against nvmlShutdown. */
extern _Atomic int initialized;

nvmlReturn_t copy_text(char *to, unsigned size, const char *text);
