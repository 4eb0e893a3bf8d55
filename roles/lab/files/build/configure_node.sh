#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Let a node's own programs write their settings into its layer. Run it in a mount namespace of its own.
#   configure_node.sh LAYER ROOTFS
set -euo pipefail
layer=$1 rootfs=$2
trap 'rm -rf "$layer.work"' EXIT
mkdir "$layer.work"
mount -t tmpfs tmpfs /mnt
mkdir /mnt/root
mount -t overlay overlay -o "lowerdir=$rootfs,upperdir=$layer,workdir=$layer.work" /mnt/root
chroot /mnt/root ldconfig
chroot /mnt/root nvidia-ctk --quiet config --set nvidia-container-runtime.mode=auto \
  --output /etc/nvidia-container-runtime/config.toml
chroot /mnt/root nvidia-ctk --quiet runtime configure --runtime=containerd --config-source=file
ln -s busybox /mnt/root/bin/ash
chroot /mnt/root useradd --create-home --no-user-group --shell /bin/bash --password "$(openssl passwd -6 operator)" operator
chroot /mnt/root useradd --create-home --no-user-group --shell /bin/ash plain
# Before the line that ends this file for whoever is no terminal.
sed -i '1i echo "Welcome to this machine."' /mnt/root/home/operator/.bashrc
echo 'operator ALL=(ALL:ALL) ALL' >/mnt/root/etc/sudoers.d/operator
chmod 440 /mnt/root/etc/sudoers.d/operator
chroot /mnt/root systemctl --quiet enable containerd kubelet kubernetes-service nvidia-device-nodes ssh
umount /mnt/root
