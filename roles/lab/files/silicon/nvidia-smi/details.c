/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nvidia-smi -q, the part of it that checkers read */
#include "reports.h"
#include "versions.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct row {
    int depth;
    const char *label, *field; /* no field: a heading */
} rows[] = {
    { 1, "Product Name", "name" },
    { 1, "Persistence Mode", "persistence_mode" },
    { 1, "MIG Mode", NULL },
    { 2, "Current", "mig.mode.current" },
    { 2, "Pending", "mig.mode.pending" },
    { 1, "Serial Number", "serial" },
    { 1, "GPU UUID", "uuid" },
    { 1, "Minor Number", "minor_number" },
    { 1, "PCI", NULL },
    { 2, "Device Id", "pci.device_id" },
    { 2, "Bus Id", "pci.bus_id" },
    { 1, "Performance State", "pstate" },
    { 1, "FB Memory Usage", NULL },
    { 2, "Total", "memory.total" },
    { 2, "Used", "memory.used" },
    { 2, "Free", "memory.free" },
    { 1, "Compute Mode", "compute_mode" },
    { 1, "ECC Mode", NULL },
    { 2, "Current", "ecc.mode.current" },
    { 2, "Pending", "ecc.mode.pending" },
    { 1, "ECC Errors", NULL },
    { 2, "Volatile", NULL },
    { 3, "Total Correctable", "ecc.errors.corrected.volatile.total" },
    { 3, "Total Uncorrectable", "ecc.errors.uncorrected.volatile.total" },
    { 2, "Aggregate", NULL },
    { 3, "Total Correctable", "ecc.errors.corrected.aggregate.total" },
    { 3, "Total Uncorrectable", "ecc.errors.uncorrected.aggregate.total" },
    { 1, "Retired Pages", NULL },
    { 2, "Single Bit ECC", "retired_pages.single_bit_ecc.count" },
    { 2, "Double Bit ECC", "retired_pages.double_bit.count" },
    { 2, "Pending Page Blacklist", "retired_pages.pending" },
    { 1, "Remapped Rows", NULL },
    { 2, "Correctable Error", "remapped_rows.correctable" },
    { 2, "Uncorrectable Error", "remapped_rows.uncorrectable" },
    { 2, "Pending", "remapped_rows.pending" },
    { 2, "Remapping Failure Occurred", "remapped_rows.failure" },
};

static void print_row(int depth, const char *label, const char *value)
{
    printf("%*s%-*s : %s\n", depth * 4, "", 41 - depth * 4, label, value);
}

/* --query-gpu has no name for it. */
static void show_minor_number(const struct gpu *gpu, char text[FIELD_TEXT])
{
    unsigned minor = 0;
    nvmlReturn_t result = NVML(nvmlDeviceGetMinorNumber, gpu->device, &minor);

    if (result == NVML_SUCCESS)
        snprintf(text, FIELD_TEXT, "%u", minor);
    else
        snprintf(text, FIELD_TEXT, "%s", client_words(result));
}

static void print_gpu(const struct gpu *gpu)
{
    char text[FIELD_TEXT];

    field_show(gpu, "pci.bus_id", text);
    printf("GPU %s\n", text);
    for (const struct row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
        if (!row->field) {
            printf("%*s%s\n", row->depth * 4, "", row->label);
            continue;
        }
        if (strcmp(row->field, "minor_number") == 0)
            show_minor_number(gpu, text);
        else
            field_show(gpu, row->field, text);
        print_row(row->depth, row->label, text);
    }
    putchar('\n');
}

int report_details(const struct gpu *gpus, unsigned count)
{
    char version[VERSION_TEXT], now[64], number[16];
    time_t seconds = time(NULL);

    strftime(now, sizeof now, "%a %b %e %H:%M:%S %Y", localtime(&seconds));
    printf("\n==============NVSMI LOG==============\n\n");
    print_row(0, "Timestamp", now);
    version_of_driver(version);
    print_row(0, "Driver Version", version);
    version_of_cuda(version, "Not Found");
    print_row(0, "CUDA Version", version);
    snprintf(number, sizeof number, "%u", count);
    putchar('\n');
    print_row(0, "Attached GPUs", number);
    for (unsigned i = 0; i < count; i++)
        print_gpu(&gpus[i]);
    return 0;
}
