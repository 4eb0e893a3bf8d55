# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
about='NVIDIA Container Toolkit and device plugin'
takes='2 min'
inputs=(modules/nvidia build/go.sh)

build() {
  local package
  for package in github.com/NVIDIA/nvidia-container-toolkit/cmd/{nvidia-ctk,nvidia-cdi-hook,nvidia-container-runtime} \
    github.com/NVIDIA/k8s-device-plugin/cmd/nvidia-device-plugin; do
    go_build nvidia "$1/${package##*/}" "$package"
  done
}
