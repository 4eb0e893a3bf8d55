/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nvidia-smi -L */
#include "reports.h"
#include <stdio.h>

int report_list(const struct gpu *gpus, unsigned count)
{
    char name[FIELD_TEXT], uuid[FIELD_TEXT];

    for (unsigned i = 0; i < count; i++) {
        if (gpus[i].handle != NVML_SUCCESS)
            continue;
        field_show(&gpus[i], "name", name);
        field_show(&gpus[i], "uuid", uuid);
        printf("GPU %u: %s (UUID: %s)\n", gpus[i].index, name, uuid);
    }
    return 0;
}
