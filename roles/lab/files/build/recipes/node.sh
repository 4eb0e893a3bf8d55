# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# What a GPU node has above its root file system, as a layer for overlay mounts: programs, driver, toolkit, settings, units.
# Nothing that takes time is left for a node's start.
about='software of the nodes'
takes='10 s'
inputs=(node/root build/configure_node.sh)
needs=(rootfs containerd kubelet nvidia silicon images)
masked=(
  getty.target console-getty.service getty@tty1.service systemd-logind.service
  systemd-sysctl.service systemd-modules-load.service        # they would change the whole machine
  sys-kernel-debug.mount sys-kernel-tracing.mount dev-hugepages.mount proc-sys-fs-binfmt_misc.automount
  apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer
)

build() {
  local layer=$1 unit
  cp -a --no-preserve=ownership "$files/node/root/." "$layer"
  mkdir -p "$layer"/usr/{bin,local/bin} "$layer/usr/local/share/lab"
  cp -l "$(part_path containerd)"/* "$(part_path kubelet)"/* "$layer/usr/local/bin/"
  cp -l "$(part_path nvidia)"/nvidia-{ctk,cdi-hook,container-runtime} "$layer/usr/bin/"
  cp -al "$(part_path silicon)/usr" "$layer"
  cp -al "$(part_path images)" "$layer/usr/local/share/lab/images"
  mkdir -p "$layer/etc/systemd/system"
  for unit in "${masked[@]}"; do ln -s /dev/null "$layer/etc/systemd/system/$unit"; done

  mkdir -p "$layer/etc/nvidia-container-runtime"
  unshare --mount --propagation private "$here/configure_node.sh" "$layer" "$(part_path rootfs)"
}
