# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# NVIDIA Container Toolkit, and containerd's settings for it, as a layer above the driver's.
about='toolkit of the nodes'
takes='5 s'
inputs=(build/in_layer.sh)
needs=(rootfs node node-driver nvidia)

build() {
  mkdir -p "$1/usr/bin" "$1/etc/nvidia-container-runtime"
  cp -l "$(part_path nvidia)"/nvidia-{ctk,cdi-hook,container-runtime} "$1/usr/bin/"
  unshare --mount --propagation private "$here/in_layer.sh" "$1" \
    "$(part_path node-driver):$(part_path node):$(part_path rootfs)" <<'SH'
nvidia-ctk --quiet config --set nvidia-container-runtime.mode=auto --output /etc/nvidia-container-runtime/config.toml
nvidia-ctk --quiet runtime configure --runtime=containerd --config-source=file
SH
}
