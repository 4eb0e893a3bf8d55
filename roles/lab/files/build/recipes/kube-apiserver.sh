# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
about='Kubernetes API server'
takes='3 min the first time'
inputs=(modules/kubernetes build/go.sh)

build() { go_build kubernetes "$1/kube-apiserver" k8s.io/kubernetes/cmd/kube-apiserver; }
