# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
about="simulated driver: NVML library and nvidia-smi"
takes='10 s'
inputs=(silicon modules/nvidia/go.mod build/go.sh)
settings=("$LAB_DRIVER_VERSION")

build() {
  local nvml=github.com/NVIDIA/go-nvml
  run_go nvidia mod download "$nvml"
  sh "$files/silicon/build.sh" "$1" "$(run_go nvidia list -m -f '{{.Dir}}' "$nvml")/pkg/nvml" "$LAB_DRIVER_VERSION"
}
