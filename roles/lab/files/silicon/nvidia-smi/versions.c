/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "versions.h"
#include "reports.h"
#include <stdio.h>
#include <string.h>

void version_of_driver(char text[VERSION_TEXT])
{
    if (NVML(nvmlSystemGetDriverVersion, text, VERSION_TEXT) != NVML_SUCCESS)
        snprintf(text, VERSION_TEXT, "N/A");
}

void version_of_library(char text[VERSION_TEXT])
{
    char full[VERSION_TEXT]; /* CUDA's major version, then the driver's: 12.550.163.01 */
    int major, minor;

    if (NVML(nvmlSystemGetNVMLVersion, full, sizeof full) == NVML_SUCCESS
        && sscanf(full, "%*d.%d.%d", &major, &minor) == 2)
        snprintf(text, VERSION_TEXT, "%d.%d", major, minor);
    else
        snprintf(text, VERSION_TEXT, "N/A");
}

void version_of_cuda(char text[VERSION_TEXT], const char *missing)
{
    int version;

    if (NVML(nvmlSystemGetCudaDriverVersion_v2, &version) == NVML_SUCCESS)
        snprintf(text, VERSION_TEXT, "%d.%d", version / 1000, version % 1000 / 10);
    else
        snprintf(text, VERSION_TEXT, "%s", missing);
}

int report_versions(void)
{
    char library[VERSION_TEXT], driver[VERSION_TEXT], cuda[VERSION_TEXT];

    version_of_library(library);
    version_of_driver(driver);
    version_of_cuda(cuda, "Not Found");
    printf("NVIDIA-SMI version  : %s\n", DRIVER_VERSION);
    printf("NVML version        : %s\n", library);
    printf("DRIVER version      : %s\n", driver);
    printf("CUDA Version        : %s\n", cuda);
    return 0;
}
