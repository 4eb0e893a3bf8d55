/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The NVML library, loaded at run time: a machine without it is one of the cases to report. */
#pragma once
#define NVML_NO_UNVERSIONED_FUNC_DEFS /* NVML() names real symbols */
#include <nvml.h>

#define MAX_SELECTED 64

struct gpu {
    char name[64]; /* as asked for: the index, or what the user wrote */
    unsigned index;
    nvmlDevice_t device;
    nvmlReturn_t handle; /* how getting the device went */
};

nvmlReturn_t client_open(void);
void *client_symbol(const char *function);

#define NVML(function, ...)                                                    \
    ({                                                                         \
        __typeof__(&function) call = (__typeof__(&function))client_symbol(#function); \
        call ? call(__VA_ARGS__) : NVML_ERROR_FUNCTION_NOT_FOUND;              \
    })

/* All GPUs, or those in a comma-separated list of indices, UUIDs and bus ids. */
nvmlReturn_t client_select(const char *ids, struct gpu gpus[MAX_SELECTED], unsigned *count);

const char *client_words(nvmlReturn_t result);
int client_exit_code(nvmlReturn_t result);
