#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Run the scripts of faults, all at once, and wait until each has ended; fails if one of them did.
#   at_once.sh [node|cluster|machine NODE SCRIPT]...      node: inside of it; else here; with the node's name in NODE
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

jobs=()
while [ "$#" -gt 0 ]; do
  run=(sh -c "$3")
  [ "$1" != node ] || run=("$here/../node/node_enter.sh" "$2" "${run[@]}")
  NODE=$2 "${run[@]}" &
  jobs+=($!)
  shift 3
done
failed=0
for job in "${jobs[@]}"; do wait "$job" || failed=1; done
exit "$failed"
