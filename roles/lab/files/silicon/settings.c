/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SETTINGS 256
#define KEY_SIZE 96

static struct { char key[KEY_SIZE], value[SETTING_SIZE]; } settings[MAX_SETTINGS];
static int setting_count;
static struct stat last_read;
static char settings_path[4096];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void settings_use(const char *path)
{
    snprintf(settings_path, sizeof settings_path, "%s", path);
}

const char *settings_version(void)
{
    const char *name = strrchr(settings_path, '/');
    const char *suffix = strstr(name ? name : settings_path, ".so.");

    return suffix ? suffix + strlen(".so.") : "unknown";
}

static char *trim(char *text)
{
    char *end = text + strlen(text);

    while (isspace((unsigned char)*text))
        text++;
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return text;
}

static void parse_line(char *line)
{
    char *equals = strchr(line, '=');

    if (*trim(line) == '#' || !equals || setting_count == MAX_SETTINGS)
        return;
    *equals = '\0';
    snprintf(settings[setting_count].key, KEY_SIZE, "%s", trim(line));
    snprintf(settings[setting_count].value, SETTING_SIZE, "%s", trim(equals + 1));
    setting_count++;
}

/* What the environment says comes last, and so wins: settings of one process. */
static void parse(FILE *file)
{
    char line[512], *rest = line, *part;
    const char *environment = getenv("SIM_NVML");

    setting_count = 0;
    while (fgets(line, sizeof line, file))
        parse_line(line);
    snprintf(line, sizeof line, "%s", environment ? environment : "");
    while ((part = strsep(&rest, ";")))
        parse_line(part);
}

static void read_if_changed(void)
{
    struct stat now;
    FILE *file;

    /* Whoever edits the file in place truncates it first: an empty file is one that is being written. */
    for (int tries = 0; tries < 50; tries++) {
        if (stat(settings_path, &now) != 0) {
            setting_count = 0;
            memset(&last_read, 0, sizeof last_read);
            return;
        }
        if (now.st_size > 0)
            break;
        usleep(10000);
    }
    if (now.st_size == last_read.st_size && now.st_mtim.tv_sec == last_read.st_mtim.tv_sec
        && now.st_mtim.tv_nsec == last_read.st_mtim.tv_nsec)
        return;
    if (!(file = fopen(settings_path, "r")))
        return;
    parse(file);
    fclose(file);
    last_read = now;
}

/* The last of several lines with the same key wins. */
static const char *find(const char *key)
{
    for (int i = setting_count - 1; i >= 0; i--)
        if (strcmp(settings[i].key, key) == 0)
            return settings[i].value;
    return NULL;
}

void setting_text(int gpu, const char *key, const char *otherwise, char text[SETTING_SIZE])
{
    char gpu_key[KEY_SIZE];
    const char *value = NULL;

    pthread_mutex_lock(&lock);
    read_if_changed();
    if (gpu != EVERY_GPU) {
        snprintf(gpu_key, sizeof gpu_key, "gpu.%d.%s", gpu, key);
        value = find(gpu_key);
    }
    if (!value)
        value = find(key);
    snprintf(text, SETTING_SIZE, "%s", value ? value : otherwise);
    pthread_mutex_unlock(&lock);
}

long setting_number(int gpu, const char *key, long otherwise)
{
    char text[SETTING_SIZE];

    setting_text(gpu, key, "", text);
    if (!*text)
        return otherwise;
    if (strcmp(text, "on") == 0 || strcmp(text, "yes") == 0)
        return 1;
    return strtol(text, NULL, 0); /* "off" and "no" are 0 */
}
