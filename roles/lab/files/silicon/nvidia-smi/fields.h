/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything that can be asked about a GPU, by the names of --query-gpu. */
#pragma once
#include "client.h"

#define FIELD_TEXT 128

struct field {
    const char *name, *unit; /* unit: "" for a plain value */
    nvmlReturn_t (*read)(const struct gpu *gpu, int which, char text[FIELD_TEXT]);
    int which; /* of the several values that one call of NVML returns */
};

/* NULL: no such field. An alias finds the field that it stands for. */
const struct field *field_find(const char *name);

/* For the reports: the value with its unit, or words for what went wrong. */
nvmlReturn_t field_show(const struct gpu *gpu, const char *name, char text[FIELD_TEXT]);
