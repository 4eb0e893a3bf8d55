#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# stubs.sh NVML_H > stubs.c: every function that nvml.h declares, as a weak one that says NOT_SUPPORTED.
# Programs look symbols up by name: one that is missing would end them with "symbol lookup error".
set -eu

echo 'int call_unsupported(const char *function);'
grep -oE 'DECLDIR +nvml[A-Za-z0-9_]+ *\(' "$1" | grep -oE 'nvml[A-Za-z0-9_]+' | sort -u |
    sed 's/.*/__attribute__((weak)) int &(void) { return call_unsupported("&"); }/'
