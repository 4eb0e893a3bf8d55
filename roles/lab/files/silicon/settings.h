/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings file: "key = value" lines, "#" comments; "gpu.N.key" (N is the minor number) beats "key".
 * The environment's SIM_NVML has more of them, between semicolons, which win. */
#pragma once
#include <stddef.h>

#define EVERY_GPU (-1)
#define SETTING_SIZE 160

/* The file is read at the first look-up, and again whenever it changes. */
void settings_use(const char *path);

/* What follows ".so." in the file's name: the version of the driver that it belongs to. */
const char *settings_version(void);

void setting_text(int gpu, const char *key, const char *otherwise, char text[SETTING_SIZE]);
long setting_number(int gpu, const char *key, long otherwise);
