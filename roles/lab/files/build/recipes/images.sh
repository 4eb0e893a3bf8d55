# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# OCI archives: pause, smoke (busybox and the C library) and the device plugin (smoke and one program).
about='container images'
takes='30 s'
inputs=(build/debian.sh build/oci_image.py build/pause.c)
settings=("$(debian_release)")
needs=(nvidia)

build() (
  work=$1/unfinished
  mkdir -p "$work"/{pause,plugin/usr/bin}
  image() { "$LAB_PYTHON" "$here/oci_image.py" "$@"; }
  layer() { tar --sort=name --mtime=@0 --numeric-owner --owner=0 --group=0 -C "$1" -cf "$1.tar" .; }

  smoke_tree "$work/smoke"
  layer "$work/smoke"
  image "$1/smoke.tar" docker.io/lab/smoke:1 "$work/smoke.tar"

  gcc -Os -Wall -Wextra -Werror -static -s -o "$work/pause/pause" "$here/pause.c"
  layer "$work/pause"
  image "$1/pause.tar" docker.io/lab/pause:1 "$work/pause.tar" --entrypoint=/pause

  cp "$(part_path nvidia)/nvidia-device-plugin" "$work/plugin/usr/bin/"
  layer "$work/plugin"
  image "$1/k8s-device-plugin.tar" docker.io/lab/k8s-device-plugin:v0.19.0 "$work/smoke.tar" "$work/plugin.tar" \
    --env=NVIDIA_VISIBLE_DEVICES=all --env=NVIDIA_DRIVER_CAPABILITIES=utility,compute --entrypoint=nvidia-device-plugin

  rm -rf "$work"
)

smoke_tree() {
  debian_tree "$1" extract libc6 busybox
  rm -rf "${1:?}"/usr/share "${1:?}"/var "${1:?}"/dev "${1:?}"/usr/lib/*/gconv
  mkdir -p "$1"/{sbin,usr/bin,usr/sbin,proc,sys,dev,root}
  chroot "$1" /bin/busybox --install -s
  echo 'root:x:0:0:root:/root:/bin/sh' >"$1/etc/passwd"
  echo 'root:x:0:' >"$1/etc/group"
  install -d -m 1777 "$1/tmp"
}
