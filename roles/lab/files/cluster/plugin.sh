#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The device plugin of one node.
#   plugin.sh gone NODE              its Pod goes; the kubelet counts its GPUs for some minutes more
#   plugin.sh forgotten NODE         and the kubelet has forgotten them
#   plugin.sh instead NODE PATCH     and another plugin runs in its place: the same, changed by this strategic merge patch
#   plugin.sh back NODE              all as it was
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=../settings.sh
. "$here/../settings.sh"
export KUBECONFIG=$LAB_PKI/admin.kubeconfig
kubectl() { "$LAB_PARTS/kubectl/kubectl" --request-timeout=10s "$@"; }
action=$1 node=$2
other=nvidia-device-plugin-$node

wait_until() {
  local deadline=$((SECONDS + 60))
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || { echo "waited in vain for: $*" >&2; exit 1; }
    sleep 0.2
  done
}

no_plugin_pod() {
  [ -z "$(kubectl --namespace kube-system get pods --selector "name in (nvidia-device-plugin-ds, $other)" \
    --field-selector "spec.nodeName=$node" --output name)" ]
}

# advertises PATTERN   whether the Node counts any of such a resource
advertises() {
  kubectl get node "$node" --output 'jsonpath={.status.capacity}{.status.allocatable}' | grep -q "\"nvidia\.com/$1\":\"[^0]"
}

no_gpu() { ! advertises '[^"]*'; }
nothing_but_gpus() { ! advertises 'gpu[^"]\{1,\}'; }

gone() {
  kubectl label node "$node" lab/gpu-
  wait_until no_plugin_pod
}

forgotten() {
  gone
  "$here/../node/node_enter.sh" "$node" systemctl restart kubelet
  wait_until no_gpu
}

instead() {
  forgotten
  kubectl patch --local --filename "$here/objects/device_plugin.yaml" --output yaml --patch "
metadata: {name: $other}
spec:
  selector: {matchLabels: {name: $other}}
  template:
    metadata: {labels: {name: $other}}
    spec: {nodeSelector: {lab/gpu: null, kubernetes.io/hostname: $node}}" |
    kubectl patch --local --filename - --output yaml --patch "$1" | kubectl apply --filename -
  kubectl --namespace kube-system rollout status --timeout=60s "daemonset/$other"
}

back() {
  if [ -n "$(kubectl --namespace kube-system delete --ignore-not-found --output name "daemonset/$other")" ]; then
    wait_until no_plugin_pod
    "$here/../node/node_enter.sh" "$node" systemctl restart kubelet
  fi
  kubectl label --overwrite node "$node" lab/gpu=true
  "$here/wait_for.sh" gpus 90 "$node"
  wait_until nothing_but_gpus
}

"$action" "${@:3}"
