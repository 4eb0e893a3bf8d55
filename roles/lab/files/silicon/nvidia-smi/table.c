/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nvidia-smi without options */
#include "reports.h"
#include "versions.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

#define WIDE_RULE "+-----------------------------------------------------------------------------------------+\n"
#define RULE "+-----------------------------------------+------------------------+----------------------+\n"

static int internal_error;

/* "N/A" for what the GPU doesn't have, "ERR!" for what couldn't be read. */
static const char *cell(const struct gpu *gpu, const char *name, char text[FIELD_TEXT])
{
    const struct field *field = field_find(name);
    nvmlReturn_t result = field->read(gpu, field->which, text);

    if (result == NVML_SUCCESS)
        return text;
    if (result == NVML_ERROR_NOT_SUPPORTED)
        return "N/A";
    internal_error |= result != NVML_ERROR_FUNCTION_NOT_FOUND;
    return "ERR!";
}

/* Like cell, cut to whole numbers and with a unit set close to it. */
static const char *measure(const struct gpu *gpu, const char *name, const char *unit, char text[FIELD_TEXT])
{
    const char *value = cell(gpu, name, text);

    if (value == text) {
        size_t digits = strcspn(text, ".");

        snprintf(text + digits, FIELD_TEXT - digits, "%s", unit);
    }
    return value;
}

static void print_header(void)
{
    char driver[VERSION_TEXT], cuda[VERSION_TEXT], now[64];
    time_t seconds = time(NULL);

    strftime(now, sizeof now, "%a %b %e %H:%M:%S %Y", localtime(&seconds));
    version_of_driver(driver);
    version_of_cuda(cuda, "N/A");
    printf("%s\n", now);
    printf("%s", WIDE_RULE);
    printf("| NVIDIA-SMI %-22s Driver Version: %-14s CUDA Version: %-8s |\n", DRIVER_VERSION, driver, cuda);
    printf("|-----------------------------------------+------------------------+----------------------+\n");
    printf("| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n");
    printf("| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n");
    printf("|                                         |                        |               MIG M. |\n");
    printf("|=========================================+========================+======================|\n");
}

static const char *on_off(const char *mode)
{
    return strcmp(mode, "Enabled") == 0 ? "On" : strcmp(mode, "Disabled") == 0 ? "Off" : mode;
}

static int mig_is_on(const struct gpu *gpu)
{
    char text[FIELD_TEXT];

    return strcmp(cell(gpu, "mig.mode.current", text), "Enabled") == 0;
}

/* The number of uncorrectable errors; the mode instead where nothing is counted, or MIG is on. */
static const char *ecc_cell(const struct gpu *gpu, char text[FIELD_TEXT])
{
    const char *mode = on_off(cell(gpu, "ecc.mode.current", text));

    if (strcmp(mode, "On") != 0 || mig_is_on(gpu))
        return mode;
    return cell(gpu, "ecc.errors.uncorrected.volatile.total", text);
}

static const char *compute_mode_cell(const struct gpu *gpu, char text[FIELD_TEXT])
{
    const char *mode = cell(gpu, "compute_mode", text);

    if (strncmp(mode, "Exclusive_", strlen("Exclusive_")) != 0)
        return mode;
    return strcmp(mode, "Exclusive_Process") == 0 ? "E. Process" : "E. Thread";
}

/* A mode that changes with the next reset is marked. */
static const char *mig_cell(const struct gpu *gpu, char text[FIELD_TEXT])
{
    char pending[FIELD_TEXT];
    const char *current = cell(gpu, "mig.mode.current", text);

    if (current == text && strcmp(current, cell(gpu, "mig.mode.pending", pending)) != 0)
        strcat(text, "*");
    return current;
}

static void print_gpu(const struct gpu *gpu)
{
    char a[FIELD_TEXT], b[FIELD_TEXT], power[FIELD_TEXT];

    printf("| %3u  %-25.25s %7s  ", gpu->index, cell(gpu, "name", a), on_off(cell(gpu, "persistence_mode", b)));
    printf("| %18s Off ", cell(gpu, "pci.bus_id", a));
    printf("| %20s |\n", ecc_cell(gpu, a));

    snprintf(power, sizeof power, "%.8s / %5.8s", measure(gpu, "power.draw", "W", a),
             measure(gpu, "enforced.power.limit", "W", b));
    printf("| N/A  %4s  %4s %23s ", measure(gpu, "temperature.gpu", "C", a), cell(gpu, "pstate", b), power);
    printf("| %10s / %9s ", measure(gpu, "memory.used", "MiB", a), measure(gpu, "memory.total", "MiB", b));
    printf("| %7s %12s |\n", measure(gpu, "utilization.gpu", "%", a), compute_mode_cell(gpu, b));

    printf("| %39s | %22s | %20s |\n", "", "", mig_cell(gpu, a));
    printf("%s", RULE);
}

int report_table(const struct gpu *gpus, unsigned count)
{
    int any_mig = 0;

    print_header();
    for (unsigned i = 0; i < count; i++) {
        print_gpu(&gpus[i]);
        any_mig |= mig_is_on(&gpus[i]);
    }
    if (any_mig)
        printf("\n%s| %-87s |\n| %-87s |\n%s", WIDE_RULE, "MIG devices:", "No MIG devices found", WIDE_RULE);
    if (internal_error) {
        printf("\nNVIDIA-SMI has encountered an internal error: some of the values could not be read.\n");
        return 255;
    }
    return 0;
}
