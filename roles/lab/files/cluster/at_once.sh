#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Run the scripts of faults, all at once, and wait until each has ended; fails if one of them did.
#   at_once.sh break|mend [node|cluster|machine NODE FAULT SCRIPT]...
#       node: inside of it; else here; with the node's name in NODE
# What is broken is on record in $LAB_RUN/broken: from before the deed, since a break that fails half-way can be mended as
# well, until it is mended.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
action=$1
records=${LAB_RUN:?}/broken
shift

# run WHERE NODE FAULT SCRIPT
run() {
  local program=(sh -c "$4")
  [ "$1" != node ] || program=("$here/../node/node_enter.sh" "$2" "${program[@]}")
  [ "$action" != break ] || echo "$3" >"$records/$2"
  NODE=$2 "${program[@]}"
  [ "$action" != mend ] || rm -f "$records/$2"
}

mkdir -p "$records"
jobs=()
while [ "$#" -gt 0 ]; do
  run "$1" "$2" "$3" "$4" &
  jobs+=($!)
  shift 4
done
failed=0
for job in "${jobs[@]}"; do wait "$job" || failed=1; done
exit "$failed"
