/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nvidia-smi: a stand-in that speaks, and exits, as NVIDIA's program was seen to do. All texts go to stdout. */
#include "reports.h"
#include "versions.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum report { TABLE, LIST, DETAILS, QUERY, VERSIONS };

struct options {
    enum report report;
    const char *ids;
    struct query query;
    int has_format;
};

static const char help[] =
    "nvidia-smi [OPTION]...\n"
    "  -L, --list-gpus          one line for each GPU\n"
    "  -q, --query              details\n"
    "  -i, --id=ID[,ID]...      only these GPUs: index, UUID or PCI bus id\n"
    "  --query-gpu=FIELD[,...]  these fields, as csv; needs --format\n"
    "  --format=csv[,noheader][,nounits]\n"
    "  --version\n"
    "  -h, --help\n";

__attribute__((format(printf, 1, 2), noreturn)) static void refuse(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    exit(client_exit_code(NVML_ERROR_INVALID_ARGUMENT));
}

static void parse_format(struct options *options, char *format)
{
    options->has_format = 0;
    options->query.header = options->query.units = 1;
    for (char *part = strtok(format, ", "); part; part = strtok(NULL, ", ")) {
        if (strcmp(part, "csv") == 0)
            options->has_format = 1;
        else if (strcmp(part, "noheader") == 0)
            options->query.header = 0;
        else if (strcmp(part, "nounits") == 0)
            options->query.units = 0;
        else
            refuse("\"%s\" is not a recognized format option. Please run 'nvidia-smi -h' for help.", part);
    }
}

static void parse_fields(struct options *options, char *names)
{
    const char *unknown = query_parse(&options->query, names);

    if (unknown)
        refuse("Field \"%s\" is not a valid field to query.\n", unknown);
    options->report = QUERY;
}

/* The value of "--name=value" or "-n value"; NULL when the argument is another option. */
static char *value_of(char ***argument, const char *long_name, const char *short_name)
{
    size_t length = strlen(long_name);

    if (strncmp(**argument, long_name, length) == 0 && (**argument)[length] == '=')
        return **argument + length + 1;
    if (short_name && strcmp(**argument, short_name) == 0) {
        if (!(*argument)[1])
            refuse("Option %s needs a value. Please run 'nvidia-smi -h' for help.", short_name);
        return *++*argument;
    }
    return NULL;
}

static void parse_options(struct options *options, char **argument)
{
    char *value;

    for (; *argument; argument++) {
        if (strcmp(*argument, "-h") == 0 || strcmp(*argument, "--help") == 0) {
            printf("%s", help);
            exit(0);
        }
        if (strcmp(*argument, "--version") == 0)
            options->report = VERSIONS;
        else if (strcmp(*argument, "-L") == 0 || strcmp(*argument, "--list-gpus") == 0)
            options->report = LIST;
        else if (strcmp(*argument, "-q") == 0 || strcmp(*argument, "--query") == 0)
            options->report = DETAILS;
        else if ((value = value_of(&argument, "--id", "-i")))
            options->ids = value;
        else if ((value = value_of(&argument, "--query-gpu", NULL)))
            parse_fields(options, value);
        else if ((value = value_of(&argument, "--format", NULL)))
            parse_format(options, value);
        else
            refuse("Option \"%s\" is not recognized. Please run 'nvidia-smi -h'.\n", *argument);
    }
    if (options->report == QUERY && !options->has_format)
        refuse("\"--format=\" switch is missing. Please run 'nvidia-smi -h' for help.\n");
}

static int tell_no_library(void)
{
    printf("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA Display "
           "Driver is properly installed and present in your system.\n"
           "Please also try adding directory that contains libnvidia-ml.so to your system PATH.\n");
    return client_exit_code(NVML_ERROR_LIBRARY_NOT_FOUND);
}

static int tell_no_start(nvmlReturn_t result)
{
    char version[VERSION_TEXT];

    if (result == NVML_ERROR_LIBRARY_NOT_FOUND)
        return tell_no_library();
    if (result == NVML_ERROR_DRIVER_NOT_LOADED) {
        printf("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the "
               "latest NVIDIA driver is installed and running.\n\n");
        return client_exit_code(result);
    }
    printf("Failed to initialize NVML: %s\n", client_words(result));
    if (result == NVML_ERROR_LIB_RM_VERSION_MISMATCH) {
        version_of_library(version);
        printf("NVML library version: %s\n", version);
    }
    return client_exit_code(result);
}

static int tell_no_gpu(enum report report)
{
    if (report == LIST) {
        printf("No devices found\n");
        return 0;
    }
    printf("No devices were found\n");
    return client_exit_code(NVML_ERROR_NOT_FOUND);
}

static int tell_no_handle(const struct gpu *gpu)
{
    printf("Unable to determine the device handle for GPU%s: %s%s\n", gpu->name, client_words(gpu->handle),
           gpu->handle == NVML_ERROR_GPU_IS_LOST ? ".  Reboot the system to recover this GPU" : "");
    return client_exit_code(gpu->handle);
}

static int report(const struct options *options)
{
    struct gpu gpus[MAX_SELECTED];
    unsigned count;
    int exit_code = 0;
    nvmlReturn_t result = client_select(options->ids, gpus, &count);

    if (result != NVML_SUCCESS) {
        printf("Unable to determine the number of GPUs: %s\n", client_words(result));
        return client_exit_code(result);
    }
    if (count == 0)
        return tell_no_gpu(options->report);
    for (unsigned i = 0; i < count; i++)
        if (gpus[i].handle != NVML_SUCCESS)
            exit_code = tell_no_handle(&gpus[i]);
    if (options->report == LIST)
        report_list(gpus, count); /* the others are still listed */
    if (exit_code != 0 || options->report == LIST)
        return exit_code;
    switch (options->report) {
    case QUERY:
        return report_query(&options->query, gpus, count);
    case DETAILS:
        return report_details(gpus, count);
    default:
        return report_table(gpus, count);
    }
}

int main(int argc, char **argv)
{
    struct options options = { 0 };
    nvmlReturn_t result;
    int exit_code;

    (void)argc;
    parse_options(&options, argv + 1);
    result = client_open();
    if (result != NVML_SUCCESS)
        return tell_no_library();
    if (options.report == VERSIONS)
        return report_versions(); /* touches no GPU */
    result = NVML(nvmlInit_v2);
    if (result != NVML_SUCCESS)
        return tell_no_start(result);
    exit_code = report(&options);
    NVML(nvmlShutdown);
    return exit_code;
}
