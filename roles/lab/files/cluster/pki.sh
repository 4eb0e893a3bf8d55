#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Keys, certificates and kubeconfigs of the lab, made once a run, in $LAB_RUN/pki, $LAB_RUN/ssh and $LAB_RUN/kubeconfig.
#   pki.sh
set -euo pipefail
umask 077
# shellcheck source=../settings.sh
. "$(dirname "$(readlink -f "$0")")/../settings.sh"

key_options=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365)

# openssl tells its progress on stderr
quietly() { "$@" 2>openssl.log || { cat openssl.log >&2; return 1; }; }

# certificate NAME SUBJECT [SUBJECT_ALTERNATIVE_NAMES]
certificate() {
  quietly openssl req -x509 "${key_options[@]}" -CA ca.crt -CAkey ca.key -subj "$2" -keyout "$1.key" -out "$1.crt" \
    -addext basicConstraints=critical,CA:FALSE -addext keyUsage=digitalSignature,keyEncipherment \
    -addext extendedKeyUsage=serverAuth,clientAuth ${3:+-addext "subjectAltName=$3"}
}

# kubeconfig FILE CERTIFICATE [CURRENT_CONTEXT]
kubeconfig() {
  cat >"$1" <<YAML
apiVersion: v1
kind: Config
clusters:
  - name: gpu-k8s-lab
    cluster:
      server: https://$API_ADDRESS:6443
      certificate-authority-data: $(base64 -w0 ca.crt)
users:
  - name: $2
    user:
      client-certificate-data: $(base64 -w0 "$2.crt")
      client-key-data: $(base64 -w0 "$2.key")
contexts:
  - name: gpu-k8s-lab
    context:
      cluster: gpu-k8s-lab
      user: $2
current-context: "${3-gpu-k8s-lab}"
YAML
}

client() {
  certificate "$1" "$2"
  kubeconfig "$1.kubeconfig" "$1"
}

cluster_identities() {
  quietly openssl req -x509 "${key_options[@]}" -subj /CN=gpu-k8s-lab -keyout ca.key -out ca.crt \
    -addext keyUsage=critical,keyCertSign,cRLSign # Python 3.13 and later insist on it
  quietly openssl genrsa -out service-accounts.key 2048
  quietly openssl rsa -in service-accounts.key -pubout -out service-accounts.pub
  certificate kube-apiserver /CN=kube-apiserver \
    "DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,IP:10.96.0.1,IP:$API_ADDRESS"
  certificate kube-apiserver-kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client
  client kube-controller-manager /CN=system:kube-controller-manager
  client kube-scheduler /CN=system:kube-scheduler
  client admin /O=system:masters/CN=admin
  # The one for people and programs names no current context: only who asks for the lab gets it.
  kubeconfig kubeconfig admin ''
}

node_identity() {
  load_node "$1"
  certificate "$NODE" "/O=system:nodes/CN=system:node:$NODE" "DNS:$NODE,IP:$NODE_ADDRESS"
  kubeconfig "$NODE.kubeconfig" "$NODE"
  ssh-keygen -q -t ed25519 -N '' -C "$NODE" -f "$NODE.ssh_host_key"
  echo "$NODE_ADDRESS $(cut -d' ' -f1,2 "$NODE.ssh_host_key.pub")" >>known_hosts
}

[ ! -d "$LAB_PKI" ] || exit 0
rm -rf "$LAB_PKI.unfinished" "$LAB_RUN/ssh"
mkdir -p "$LAB_PKI.unfinished" "$LAB_RUN/ssh"
cd "$LAB_PKI.unfinished"
cluster_identities
for node in $LAB_NODES; do node_identity "$node"; done
ssh-keygen -q -t ed25519 -N '' -C gpu-k8s-lab -f id
mv id id.pub known_hosts "$LAB_RUN/ssh/"
mv kubeconfig "$LAB_RUN/kubeconfig"
mv "$LAB_PKI.unfinished" "$LAB_PKI"
