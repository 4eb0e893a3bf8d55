#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Run a verification and keep what it said and how it ended, in place of what an earlier one left.
#   verify_into.sh FOLDER COMMAND...      leaves FOLDER/verify.log and FOLDER/exit_status; its own exit status is 0
set -euo pipefail
umask 077
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"
status=0
"$@" >"$folder/verify.log" 2>&1 || status=$?
echo "$status" >"$folder/exit_status"
