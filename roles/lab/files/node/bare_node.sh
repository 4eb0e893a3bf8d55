#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A node as a new machine, on which toolkit and device plugin have never been installed.
#   bare_node.sh with_driver NODE
#   bare_node.sh without_driver NODE
#   bare_node.sh back NODE                as it was, whatever was installed meanwhile
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=../settings.sh
. "$here/../settings.sh"
cluster=$here/../cluster
action=$1 node=$2

# begin_anew [PART...]   with these layers of software; also for the cluster, which forgets the Node's labels and counts
begin_anew() {
  # As a machine that shuts down: otherwise whoever keeps a connection open finds it dead when they use it next.
  "$here/node_enter.sh" "$node" systemctl stop ssh || true
  "$here/node_stop.sh" "$node"
  "$LAB_PARTS/kubectl/kubectl" --kubeconfig "$LAB_PKI/admin.kubeconfig" delete node --ignore-not-found "$node"
  NODE_PARTS="$*" "$here/node_start.sh" "$node"
  "$cluster/wait_for.sh" nodes 120 "$node"
}

with_driver() {
  begin_anew node-driver node rootfs
  "$cluster/plugin.sh" gone "$node"
}

without_driver() {
  begin_anew node rootfs
  "$cluster/plugin.sh" gone "$node"
}

back() {
  begin_anew
  "$cluster/plugin.sh" back "$node"
}

"$action"
