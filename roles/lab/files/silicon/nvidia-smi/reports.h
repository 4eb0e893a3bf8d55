/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forms of output; each returns the exit code. */
#pragma once
#include "fields.h"

int report_table(const struct gpu *gpus, unsigned count);
int report_list(const struct gpu *gpus, unsigned count);
int report_details(const struct gpu *gpus, unsigned count);
int report_versions(void);

struct query {
    const struct field *fields[64];
    unsigned count;
    int header, units;
};

/* NULL, or the name that is no field. */
const char *query_parse(struct query *query, char *names);
int report_query(const struct query *query, const struct gpu *gpus, unsigned count);
