# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
about='Helm charts of device plugin and GPU Operator'
takes='20 s'
inputs=(modules/nvidia modules/gpu-operator build/go.sh)

wanted() { [ "$LAB_FOR_INSTALLING" = true ]; }

build() {
  chart nvidia github.com/NVIDIA/k8s-device-plugin helm/nvidia-device-plugin "$1"
  chart gpu-operator github.com/NVIDIA/gpu-operator gpu-operator "$1"
}

# chart MODULE PACKAGE CHART FOLDER   as it is in the package's source, dependencies included
chart() {
  run_go "$1" mod download "$2"
  cp -r --no-preserve=mode "$(run_go "$1" list -m -f '{{.Dir}}' "$2")/deployments/$3" "$4"
}
