#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Start nodes, all at once: for each a network namespace, control groups, and a systemd in namespaces of its own.
# A node that already runs with the same software is left alone; one that is half there is removed first.
# NODE_PARTS: the parts that are its software, uppermost first; by default with driver and toolkit.
#   node_start.sh NODE...
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=../settings.sh
. "$here/../settings.sh"

connect() {
  local netns other
  netns=$(node_netns "$NODE")
  ip netns add "$netns"
  ip -n "$LAB_NETNS" link add "$NODE" type veth peer name eth0 netns "$netns"
  ip -n "$LAB_NETNS" link set "$NODE" master lab0 up
  ip -n "$netns" link set lo up
  # The same each time, as a machine keeps its own: others remember it.
  ip -n "$netns" link set eth0 address "02:00:00:00:00:$(printf %02x "$NODE_NUMBER")"
  ip -n "$netns" address add "$NODE_ADDRESS/24" dev eth0
  ip -n "$netns" link set eth0 up
  ip -n "$netns" route add default via "$API_ADDRESS"
  # Pods reach Pods of other nodes through those nodes.
  while read -r other number address _; do
    [ -z "$other" ] || [ "$other" = "$NODE" ] || ip -n "$netns" route add "10.244.$number.0/24" via "$address"
  done <<<"$LAB_NODE_TABLE"
}

# Layers and blobs are never written again, so they are shared as hard links; databases are copied.
fill_image_store() {
  local store database
  store=$(readlink -f "$LAB_PARTS/image-store")
  cp -al "$store" "$1"
  (cd "$store" && find . -name '*.db') | while read -r database; do
    cp --remove-destination "$store/$database" "$1/$database"
  done
}

start() {
  local folder=$LAB_RUN/nodes/$1
  load_node "$1"
  mkdir -p "$LAB_RUN/nodes"
  exec 9>"$LAB_RUN/nodes/$NODE.lock"
  flock 9
  if [ "$(cat "$folder/started" 2>/dev/null)" = "$NODE_SOFTWARE" ] && first_process "$NODE" >/dev/null; then
    return
  fi
  echo "starting $NODE"
  "$here/node_stop.sh" --locked "$NODE"
  mkdir -p "$folder"/{upper,work,root,kubelet}
  fill_image_store "$folder/containerd"
  connect
  # Not "ip netns exec", which would hide the machine's control groups.
  setsid nsenter --net="/run/netns/$(node_netns "$NODE")" \
    unshare --mount --uts --ipc --pid --fork --kill-child --propagation private \
    "$here/node_boot.sh" "$NODE" >"$folder/console.log" 2>&1 </dev/null 9>&- &
  # node_boot.sh leaves this mark just before it becomes the node's first process.
  for _ in $(seq 200); do
    if [ -e "$folder/booting" ]; then
      echo "$NODE_SOFTWARE" >"$folder/started"
      return
    fi
    sleep 0.05
  done
  echo "$NODE does not start:" >&2
  tail -n 20 "$folder/console.log" >&2
  return 1
}

read -ra parts <<<"${NODE_PARTS:-node-toolkit node-driver node rootfs}"
NODE_SOFTWARE=$(cd "$LAB_PARTS" && readlink -f "${parts[@]}" | paste -sd:)   # as overlay mounts take it
export NODE_SOFTWARE
in_parallel start "$@"
