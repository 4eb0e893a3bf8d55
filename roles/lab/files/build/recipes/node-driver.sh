# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# What the simulated driver's packages would put on a node, as a layer above its other software.
about='driver of the nodes'
takes='5 s'
inputs=(build/in_layer.sh)
needs=(rootfs node silicon)

build() {
  mkdir -p "$1/usr/lib/lab"
  cp -al "$(part_path silicon)"/usr/{bin,lib} "$1/usr/"
  touch "$1/usr/lib/lab/nvidia-module"   # to be loaded by the nodes' modprobe
  unshare --mount --propagation private "$here/in_layer.sh" "$1" "$(part_path node):$(part_path rootfs)" <<<ldconfig
}
