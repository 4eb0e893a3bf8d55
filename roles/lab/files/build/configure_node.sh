#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Users and services of a node; runs inside of its layer. PASSWORD is that of the user operator, encrypted.
set -eu
ln -s busybox /bin/ash
useradd --create-home --no-user-group --shell /bin/bash --password "$PASSWORD" operator
useradd --create-home --no-user-group --shell /bin/ash plain
# Before the line that ends this file for whoever is no terminal.
sed -i '1i echo "Welcome to this machine."' /home/operator/.bashrc
echo 'operator ALL=(ALL:ALL) ALL' >/etc/sudoers.d/operator
chmod 440 /etc/sudoers.d/operator
systemctl --quiet enable containerd kubelet kubernetes-service nvidia-device-nodes ssh
