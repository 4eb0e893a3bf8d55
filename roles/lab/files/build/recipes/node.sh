# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# What a GPU node has above its root file system, as a layer for overlay mounts: programs, settings, units.
# Nothing that takes time is left for a node's start.
about='software of the nodes'
takes='10 s'
inputs=(node/root build/configure_node.sh build/in_layer.sh)
needs=(rootfs containerd kubelet silicon images)
masked=(
  getty.target console-getty.service getty@tty1.service systemd-logind.service
  systemd-sysctl.service systemd-modules-load.service        # they would change the whole machine
  sys-kernel-debug.mount sys-kernel-tracing.mount dev-hugepages.mount proc-sys-fs-binfmt_misc.automount
  apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer
)

build() {
  local layer=$1 unit
  cp -a --no-preserve=ownership "$files/node/root/." "$layer"
  mkdir -p "$layer"/usr/local/bin "$layer/usr/local/share/lab"
  cp -l "$(part_path containerd)"/* "$(part_path kubelet)"/* "$layer/usr/local/bin/"
  cp -al "$(part_path silicon)/usr/libexec" "$layer/usr/"   # what the hardware is, driver or not
  cp -al "$(part_path images)" "$layer/usr/local/share/lab/images"
  mkdir -p "$layer/etc/systemd/system"
  for unit in "${masked[@]}"; do ln -s /dev/null "$layer/etc/systemd/system/$unit"; done

  PASSWORD=$(openssl passwd -6 operator) unshare --mount --propagation private \
    "$here/in_layer.sh" "$layer" "$(part_path rootfs)" <"$here/configure_node.sh"
}
