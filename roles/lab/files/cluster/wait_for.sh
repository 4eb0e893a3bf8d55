#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Wait until something in the cluster is so; when the deadline passes, show what there is and what the logs say.
#   wait_for.sh api|nodes|gpus|pods SECONDS
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=../settings.sh
. "$here/../settings.sh"
export KUBECONFIG=$LAB_PKI/admin.kubeconfig
kubectl() { "$LAB_PARTS/kubectl/kubectl" --request-timeout=5s "$@"; }

api() { kubectl get --raw /readyz >/dev/null; }

api_logs() { tail -n 20 "$LAB_RUN"/control-plane/*.log; }

# Ready since this very boot; and Pods can't be made before the namespace has its service account.
nodes() { kubectl get serviceaccount default >/dev/null && [ "$(reported_nodes)" = "$(booted_nodes)" ]; }

reported_nodes() {
  kubectl get nodes -o 'jsonpath={range .items[*]}{.metadata.name} {.status.nodeInfo.bootID} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}' | sort
}

booted_nodes() {
  for node in $LAB_NODES; do echo "$node $(cat "$LAB_RUN/nodes/$node/boot_id") True"; done | sort
}

nodes_logs() {
  kubectl get nodes -o wide
  for node in $LAB_NODES; do
    echo "== $node"
    tail -n 5 "$LAB_RUN/nodes/$node/console.log"
    "$here/../node/node_enter.sh" "$node" journalctl --no-pager --lines 20 --unit containerd --unit kubelet
  done
}

advertised() { kubectl get nodes -o 'jsonpath={range .items[*]}{.metadata.name} {.status.allocatable.nvidia\.com/gpu}{"\n"}{end}' | sort; }

gpus() { [ "$(advertised)" = "$(awk 'NF {print $1, $4}' <<<"$LAB_NODE_TABLE" | sort)" ]; }

gpus_logs() {
  advertised
  kubectl --namespace kube-system get pods -o wide
  kubectl --namespace kube-system get events | tail -n 20
  kubectl --namespace kube-system logs --selector name=nvidia-device-plugin-ds --tail 10 --prefix
}

# A Pod on each node runs to its end: scheduler and kubelets have come back to their senses.
pods() {
  tiny_pods | kubectl apply --filename - >/dev/null
  [ "$(tiny_pod_phases)" = "$(for node in $LAB_NODES; do echo "lab-tiny-$node Succeeded"; done | sort)" ]
}

tiny_pods() {
  local node
  for node in $LAB_NODES; do
    cat <<POD
---
apiVersion: v1
kind: Pod
metadata: {name: lab-tiny-$node, labels: {lab/tiny: "true"}}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 0
  automountServiceAccountToken: false
  nodeSelector: {kubernetes.io/hostname: $node}
  containers: [{name: tiny, image: "docker.io/lab/smoke:1", command: ["true"]}]
POD
  done
}

tiny_pod_phases() {
  kubectl get pods --selector lab/tiny -o 'jsonpath={range .items[*]}{.metadata.name} {.status.phase}{"\n"}{end}' | sort
}

remove_tiny_pods() { kubectl delete pods --selector lab/tiny --wait=false >/dev/null; }

pods_logs() {
  kubectl get pods --selector lab/tiny -o wide
  kubectl get events | tail -n 20
}

[ "$1" != pods ] || trap remove_tiny_pods EXIT
deadline=$((SECONDS + $2))
until "$1" 2>/dev/null; do
  if [ "$SECONDS" -ge "$deadline" ]; then
    echo "waited $2 s in vain for: $1" >&2
    "$1_logs" >&2 || true
    exit 1
  fi
  sleep 0.2
done
[ "$1" != gpus ] || advertised | sed 's/$/ nvidia.com\/gpu/'
