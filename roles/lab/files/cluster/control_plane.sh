#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The control plane: four programs in the lab's network namespace, each by itself, so that one can be stopped alone.
# They have no pid files: a program runs when a process with its name lives in that namespace.
#   control_plane.sh start|stop|running|freeze|thaw [PROGRAM...]      without a program: all four
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=../settings.sh
. "$here/../settings.sh"
state=$LAB_RUN/control-plane
programs=(etcd kube-apiserver kube-controller-manager kube-scheduler)

# program_pids PROGRAM   also of an older build that is no longer there
program_pids() {
  local pid executable
  for pid in $(netns_pids "$LAB_NETNS"); do
    executable=$(readlink "/proc/$pid/exe") || continue
    executable=${executable% (deleted)}
    [ "${executable##*/}" != "$1" ] || echo "$pid"
  done
}

run() {
  mkdir -p "$state"
  echo "starting $1"
  nsenter --net="/run/netns/$LAB_NETNS" setsid "$LAB_PARTS/$1/$1" "${@:2}" >>"$state/$1.log" 2>&1 </dev/null &
}

running() { [ -n "$(program_pids "$1")" ]; }

start() {
  ! running "$1" || return 0
  case $1 in
    etcd)
      # Nothing here needs to survive a power cut.
      run etcd --name=lab --data-dir="$state/etcd" --unsafe-no-fsync --logger=zap --log-level=warn \
        --listen-client-urls=http://127.0.0.1:2379 --advertise-client-urls=http://127.0.0.1:2379 \
        --listen-peer-urls=http://127.0.0.1:2380 --initial-advertise-peer-urls=http://127.0.0.1:2380 \
        --initial-cluster=lab=http://127.0.0.1:2380 ;;
    kube-apiserver)
      run kube-apiserver --etcd-servers=http://127.0.0.1:2379 --bind-address="$API_ADDRESS" --advertise-address="$API_ADDRESS" \
        --client-ca-file="$LAB_PKI/ca.crt" \
        --tls-cert-file="$LAB_PKI/kube-apiserver.crt" --tls-private-key-file="$LAB_PKI/kube-apiserver.key" \
        --kubelet-certificate-authority="$LAB_PKI/ca.crt" \
        --kubelet-client-certificate="$LAB_PKI/kube-apiserver-kubelet-client.crt" \
        --kubelet-client-key="$LAB_PKI/kube-apiserver-kubelet-client.key" \
        --kubelet-preferred-address-types=InternalIP \
        --service-account-issuer=https://kubernetes.default.svc.cluster.local \
        --service-account-key-file="$LAB_PKI/service-accounts.pub" \
        --service-account-signing-key-file="$LAB_PKI/service-accounts.key" \
        --service-cluster-ip-range=10.96.0.0/16 --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
        --allow-privileged=true \
        --audit-policy-file="$here/audit_policy.yaml" --audit-log-path="$state/audit.log" ;;
    kube-controller-manager)
      run kube-controller-manager --kubeconfig="$LAB_PKI/$1.kubeconfig" --authentication-kubeconfig="$LAB_PKI/$1.kubeconfig" \
        --authorization-kubeconfig="$LAB_PKI/$1.kubeconfig" --bind-address=127.0.0.1 --leader-elect=false \
        --root-ca-file="$LAB_PKI/ca.crt" --service-account-private-key-file="$LAB_PKI/service-accounts.key" \
        --use-service-account-credentials=true --node-monitor-grace-period=20s ;;
    kube-scheduler)
      run kube-scheduler --kubeconfig="$LAB_PKI/$1.kubeconfig" --authentication-kubeconfig="$LAB_PKI/$1.kubeconfig" \
        --authorization-kubeconfig="$LAB_PKI/$1.kubeconfig" --bind-address=127.0.0.1 --leader-elect=false ;;
    *) echo "not a program of the control plane: $1" >&2; return 2 ;;
  esac
}

stop() {
  local pids signal=TERM
  for attempt in $(seq 60); do
    mapfile -t pids < <(program_pids "$1")
    [ "${#pids[@]}" -gt 0 ] || return 0
    [ "$attempt" -lt 40 ] || signal=KILL
    kill "-$signal" "${pids[@]}" 2>/dev/null || true
    sleep 0.05
  done
  echo "$1 doesn't end" >&2
  return 1
}

signal() {
  local pids
  mapfile -t pids < <(program_pids "$2")
  kill "-$1" "${pids[@]}"
}

# It is there and holds its connections, and does nothing.
freeze() { signal STOP "$1"; }
thaw() { signal CONT "$1"; }

action=$1
shift
for program in "${@:-${programs[@]}}"; do "$action" "$program"; done
