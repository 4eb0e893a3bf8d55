# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
about='Kubernetes client'
takes='1 min'
inputs=(modules/kubernetes build/go.sh)

build() { go_build kubernetes "$1/kubectl" k8s.io/kubernetes/cmd/kubectl; }
