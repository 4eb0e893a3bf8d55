#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Serve the package repositories to the nodes, in the lab's network namespace. It ends with the lab.
#   package_server.sh start
set -euo pipefail
# shellcheck source=../settings.sh
. "$(dirname "$(readlink -f "$0")")/../settings.sh"
: "${LAB_PYTHON:?}"
port=${PACKAGE_SERVER#*:}
in_lab() { nsenter --net="/run/netns/$LAB_NETNS" "$@"; }

running() { in_lab "$LAB_PYTHON" -c "import socket; socket.create_connection(('$API_ADDRESS', $port), 1)" 2>/dev/null; }

start() {
  ! running || return 0
  echo 'starting the package server'
  in_lab setsid "$LAB_PYTHON" -m http.server "$port" --bind "$API_ADDRESS" --directory "$LAB_PARTS/packages" \
    >>"$LAB_RUN/package-server.log" 2>&1 </dev/null &
  for _ in $(seq 100); do
    ! running || return 0
    sleep 0.05
  done
  tail "$LAB_RUN/package-server.log" >&2
  return 1
}

"$1"
