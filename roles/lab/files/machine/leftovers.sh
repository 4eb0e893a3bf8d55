#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What a lab that has ended left on the machine, one a line (exit code 1), or the word that there is nothing.
set -euo pipefail
# shellcheck source=../names.sh
. "$(dirname "$(readlink -f "$0")")/../names.sh"
: "${LAB_RUN:?}" "${LAB_CACHE:?}"

named=(\( -name "$LAB_NAME" -o -name "$LAB_NAME-*" \))

# of_another_lab PID   whether it lives in a network namespace that still has a name: this lab's have none any more
of_another_lab() { [ -n "$(ip netns identify "$1" 2>/dev/null)" ]; }

leftovers() {
  local executable group
  find /run/netns -maxdepth 1 "${named[@]}" -printf 'network namespace %f\n' 2>/dev/null || true
  [ ! -e "/sys/class/net/$LAB_LINK" ] || echo "network interface $LAB_LINK"
  awk -v run="$LAB_RUN" 'index($2, run) == 1 {print "mount " $2}' /proc/self/mounts
  find /sys/fs/cgroup -type d "${named[@]}" -printf 'control group %p\n' -prune 2>/dev/null || true
  for executable in /proc/[0-9]*/exe; do
    case $(readlink "$executable") in
      "$LAB_CACHE/parts/"*) of_another_lab "${executable//[^0-9]/}" || echo "process ${executable//[^0-9]/}" ;;
    esac
  done
  while read -r group; do
    sed 's/^/process /' "$group/cgroup.procs" 2>/dev/null || true
  done < <(find /sys/fs/cgroup -type d \( -path "*/$LAB_NAME/*" -o -path "*/$LAB_NAME-*" \) 2>/dev/null) | sort -u
  [ ! -e "$LAB_RUN" ] || echo "folder $LAB_RUN"
}

found=$(leftovers)
if [ -n "$found" ]; then
  printf 'left of the lab:\n%s\n' "$found" >&2
  exit 1
fi
echo 'nothing is left'
