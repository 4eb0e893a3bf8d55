#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# End nodes and remove what they had, whatever state they are in; all are found by their fixed names.
#   node_stop.sh NODE...
#   node_stop.sh --all              whatever nodes there are
#   node_stop.sh --locked NODE      the caller holds the node's lock
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=../names.sh
. "$here/../names.sh"
# shellcheck source=cgroups.sh
. "$here/cgroups.sh"
: "${LAB_RUN:?}"

stop() {
  local netns
  netns=$(node_netns "$1")
  if [ -e "/run/netns/$netns" ]; then
    echo "ending $1"
    # The node's first process is among them: the kernel ends everything inside the node with it, and drops its mounts.
    kill_netns "$netns"
    ip netns delete "$netns"
  fi
  # A deleted namespace takes its links along, but not at once.
  ip -n "$LAB_NETNS" link delete "$1" 2>/dev/null || true
  remove_cgroups "$(node_cgroup "$1")"
  rm -rf --one-file-system "$LAB_RUN/nodes/$1"
}

lock_and_stop() {
  exec 9>"$LAB_RUN/nodes/$1.lock"
  flock --timeout 30 9 || { echo "somebody else is starting $1" >&2; return 1; }
  stop "$1"
}

# Names of nodes, from their network namespaces, folders and control groups.
all_nodes() {
  {
    find /run/netns -maxdepth 1 -name "$(node_netns '*')" -printf '%f\n'
    find /sys/fs/cgroup -type d -name "$(node_cgroup '*')" -printf '%f\n'
    find "$LAB_RUN/nodes" -mindepth 1 -maxdepth 1 -type d -printf "$LAB_NAME-%f\n"
  } 2>/dev/null | sed "s/^$LAB_NAME-//" | sort -u
}

case ${1:-} in
  --locked)
    stop "$2"
    exit
    ;;
  --all)
    mapfile -t nodes < <(all_nodes)
    set -- "${nodes[@]}"
    ;;
esac
[ "$#" = 0 ] || mkdir -p "$LAB_RUN/nodes"
in_parallel lock_and_stop "$@"
