/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#define VERSION_TEXT 96

/* Of the loaded driver; "N/A" when the library doesn't say. */
void version_of_driver(char text[VERSION_TEXT]);
/* Of the library, in two components: 550.163. */
void version_of_library(char text[VERSION_TEXT]);
/* Without libcuda there is none: then "missing". */
void version_of_cuda(char text[VERSION_TEXT], const char *missing);
