#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Wait until something in the cluster is so; when the deadline passes, show what there is and what the logs say.
#   wait_for.sh api|nodes|gpus|pods SECONDS [NODE...]      without a node: all
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=../settings.sh
. "$here/../settings.sh"
export KUBECONFIG=$LAB_PKI/admin.kubeconfig
what=$1 seconds=$2
shift 2
wanted_nodes=${*:-$LAB_NODES}
kubectl() { "$LAB_PARTS/kubectl/kubectl" --request-timeout=5s "$@"; }

# Of lines that begin with a node's name, those of the nodes that are asked for
of_wanted() { grep -E "^(${wanted_nodes// /|}) " | sort; }

api() { kubectl get --raw /readyz >/dev/null; }

api_logs() { tail -n 20 "$LAB_RUN"/control-plane/*.log; }

# Ready since this very boot; and Pods can't be made before the namespace has its service account.
nodes() { kubectl get serviceaccount default >/dev/null && [ "$(reported_nodes)" = "$(booted_nodes)" ]; }

reported_nodes() {
  kubectl get nodes -o 'jsonpath={range .items[*]}{.metadata.name} {.status.nodeInfo.bootID} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}' | of_wanted
}

booted_nodes() {
  for node in $wanted_nodes; do echo "$node $(cat "$LAB_RUN/nodes/$node/boot_id") True"; done | sort
}

nodes_logs() {
  kubectl get nodes -o wide
  for node in $wanted_nodes; do
    echo "== $node"
    tail -n 5 "$LAB_RUN/nodes/$node/console.log"
    "$here/../node/node_enter.sh" "$node" journalctl --no-pager --lines 20 --unit containerd --unit kubelet
  done
}

advertised() { kubectl get nodes -o 'jsonpath={range .items[*]}{.metadata.name} {.status.allocatable.nvidia\.com/gpu}{"\n"}{end}' | of_wanted; }

gpus() { [ "$(advertised)" = "$(awk 'NF {print $1, $4}' <<<"$LAB_NODE_TABLE" | of_wanted)" ]; }

gpus_logs() {
  advertised
  kubectl --namespace kube-system get pods -o wide
  kubectl --namespace kube-system get events | tail -n 20
  kubectl --namespace kube-system logs --selector name=nvidia-device-plugin-ds --tail 10 --prefix
}

# A Pod on each node runs to its end: scheduler and kubelets have come back to their senses.
pods() {
  tiny_pods | kubectl apply --filename - >/dev/null
  [ "$(tiny_pod_phases)" = "$(for node in $wanted_nodes; do echo "lab-tiny-$node Succeeded"; done | sort)" ]
}

tiny_pods() {
  local node
  for node in $wanted_nodes; do
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

[ "$what" != pods ] || trap remove_tiny_pods EXIT
deadline=$((SECONDS + seconds))
until "$what" 2>/dev/null; do
  if [ "$SECONDS" -ge "$deadline" ]; then
    echo "waited $seconds s in vain for: $what" >&2
    "${what}_logs" >&2 || true
    exit 1
  fi
  sleep 0.2
done
[ "$what" != gpus ] || advertised | sed 's/$/ nvidia.com\/gpu/'
