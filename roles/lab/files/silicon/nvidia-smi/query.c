/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nvidia-smi --query-gpu=FIELDS --format=csv */
#include "reports.h"
#include <stdio.h>
#include <string.h>

const char *query_parse(struct query *query, char *names)
{
    const unsigned room = sizeof query->fields / sizeof *query->fields;

    for (char *name = strtok(names, ", "); name && query->count < room; name = strtok(NULL, ", ")) {
        query->fields[query->count] = field_find(name);
        if (!query->fields[query->count])
            return name;
        query->count++;
    }
    return NULL;
}

static void print_cell(const struct gpu *gpu, const struct field *field, int units)
{
    char text[FIELD_TEXT];
    nvmlReturn_t result = field->read(gpu, field->which, text);

    if (result != NVML_SUCCESS)
        printf("[%s]", client_words(result));
    else if (units && *field->unit)
        printf("%s %s", text, field->unit);
    else
        printf("%s", text);
}

int report_query(const struct query *query, const struct gpu *gpus, unsigned count)
{
    for (unsigned i = 0; query->header && i < query->count; i++) {
        const struct field *field = query->fields[i];

        printf("%s%s", i ? ", " : "", field->name);
        if (*field->unit)
            printf(" [%s]", field->unit);
    }
    if (query->header)
        putchar('\n');
    for (unsigned g = 0; g < count; g++) {
        for (unsigned i = 0; i < query->count; i++) {
            printf("%s", i ? ", " : "");
            print_cell(&gpus[g], query->fields[i], query->units);
        }
        putchar('\n');
    }
    return 0; /* whatever the cells say */
}
