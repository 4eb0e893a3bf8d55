#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Fill a containerd store with image archives. Run it in mount and process namespaces of its own: it unpacks by mounting.
#   import_images.sh STORE PROGRAMS ARCHIVE...
set -euo pipefail
store=$1 programs=$2
shift 2
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
ctr() { "$programs/ctr" --address "$state/socket" --namespace k8s.io "$@"; }

cat >"$state/config.toml" <<'TOML'
version = 3
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime"]
TOML
"$programs/containerd" --config "$state/config.toml" --root "$store" --state "$state/run" --address "$state/socket" >"$state/log" 2>&1 &
daemon=$!
for _ in $(seq 100); do
  ! ctr version >/dev/null 2>&1 || break
  sleep 0.1
done
for archive in "$@"; do
  if ! ctr images import "$archive" >>"$state/log" 2>&1; then
    tail -n 20 "$state/log" >&2
    exit 1
  fi
done
kill "$daemon"
wait "$daemon" || true
