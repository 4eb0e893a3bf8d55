# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
about='container runtime and its clients'
takes='3 min'
inputs=(modules/containerd build/go.sh)

build() {
  local package
  for package in github.com/containerd/containerd/v2/cmd/{containerd,containerd-shim-runc-v2,ctr} sigs.k8s.io/cri-tools/cmd/crictl; do
    go_build containerd "$1/${package##*/}" "$package"
  done
}
