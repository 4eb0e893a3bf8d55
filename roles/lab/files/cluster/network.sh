#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The lab's network: a bridge in a network namespace of its own, and one link from the machine to it.
# Nothing else of the machine's network is touched: no route but the link's own, no firewall rule, no sysctl.
#   network.sh up | down
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

is_up() {
  ip -n "$LAB_NETNS" -4 address show dev lab0 2>/dev/null | grep -q "inet $API_ADDRESS/24" &&
    ip -4 address show dev "$LAB_LINK" 2>/dev/null | grep -q "inet $LAB_NETWORK_PREFIX.254/24"
}

up() {
  # shellcheck source=../settings.sh
  . "$here/../settings.sh"
  is_up && return
  echo "making $LAB_NETNS"
  down
  # iproute2 mounts /run/netns on first use; remember whether that was the lab's doing.
  mountpoint -q /run/netns || touch "$LAB_RUN/netns-mounted"
  ip netns add "$LAB_NETNS"
  ip -n "$LAB_NETNS" link set lo up
  # A bridge without an address of its own takes that of a port, and changes it when the port's node goes.
  ip -n "$LAB_NETNS" link add lab0 address 02:00:00:00:00:fe type bridge
  ip -n "$LAB_NETNS" address add "$API_ADDRESS/24" dev lab0
  ip -n "$LAB_NETNS" link set lab0 up
  ip link add "$LAB_LINK" type veth peer name machine netns "$LAB_NETNS"
  ip -n "$LAB_NETNS" link set machine master lab0 up
  ip address add "$LAB_NETWORK_PREFIX.254/24" dev "$LAB_LINK"
  ip link set "$LAB_LINK" up
}

down() {
  # shellcheck source=../names.sh
  . "$here/../names.sh"
  ! ip link show "$LAB_LINK" >/dev/null 2>&1 || ip link delete "$LAB_LINK"
  if [ -e "/run/netns/$LAB_NETNS" ]; then
    echo "ending $LAB_NETNS"
    kill_netns "$LAB_NETNS"
    ip netns delete "$LAB_NETNS"
  fi
  if [ -e "${LAB_RUN:?}/netns-mounted" ]; then
    if [ -z "$(ls -A /run/netns 2>/dev/null)" ]; then
      ! mountpoint -q /run/netns || umount /run/netns
      rmdir /run/netns 2>/dev/null || true
    fi
    rm "$LAB_RUN/netns-mounted"
  fi
}

"$1"
