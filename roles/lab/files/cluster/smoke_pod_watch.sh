#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Run a command whenever a smoke Pod of one node is seen running; the Pod's name is in POD, its namespace in NAMESPACE.
#   smoke_pod_watch.sh start NODE COMMAND...    in the background
#   smoke_pod_watch.sh stop NODE
set -euo pipefail
# shellcheck source=../settings.sh
. "$(dirname "$(readlink -f "$0")")/../settings.sh"
export KUBECONFIG=$LAB_PKI/admin.kubeconfig
kubectl() { "$LAB_PARTS/kubectl/kubectl" --request-timeout=5s "$@"; }
action=$1 node=$2
shift 2
record=$LAB_RUN/watchers/$node

running() {
  kubectl get pods --all-namespaces --selector app.kubernetes.io/managed-by=gpu.k8s,app.kubernetes.io/component=smoke \
    --field-selector "spec.nodeName=$node,status.phase=Running" \
    --output 'jsonpath={range .items[*]}{.metadata.namespace} {.metadata.name}{"\n"}{end}'
}

watch() {
  local done=''
  # It ends by itself when the lab is gone.
  while sleep 0.3 && [ -e "$record.pid" ]; do
    while read -r NAMESPACE POD; do
      case " $done " in *" $POD "*) continue ;; esac
      done+=" $POD"
      export NAMESPACE POD
      "$@" </dev/null || true
    done < <(running)
  done
}

case $action in
  start)
    mkdir -p "$LAB_RUN/watchers"
    setsid "$0" watch "$node" "$@" >"$record.log" 2>&1 </dev/null &
    echo $! >"$record.pid" ;;
  watch) watch "$@" ;;
  stop)
    [ -e "$record.pid" ] || exit 0
    # It leads a group of its own: what it has started ends with it.
    kill -- "-$(cat "$record.pid")" 2>/dev/null || true
    rm "$record.pid" ;;
esac
