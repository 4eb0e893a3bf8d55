# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
about='Kubernetes controllers'
takes='1 min'
inputs=(modules/kubernetes build/go.sh)

build() { go_build kubernetes "$1/kube-controller-manager" k8s.io/kubernetes/cmd/kube-controller-manager; }
