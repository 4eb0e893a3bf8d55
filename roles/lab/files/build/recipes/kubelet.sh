# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
about='Kubernetes node agent'
takes='8 min the first time'
inputs=(modules/kubernetes build/go.sh)

build() { go_build kubernetes "$1/kubelet" k8s.io/kubernetes/cmd/kubelet; }
