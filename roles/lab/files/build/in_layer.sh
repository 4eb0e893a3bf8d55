#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Let the nodes' own programs write into a layer of their overlay mounts. Run it in a mount namespace of its own.
#   in_layer.sh LAYER LOWER <SCRIPT      LOWER: the layers below, as overlay mounts take them
set -euo pipefail
layer=$1 lower=$2
trap 'umount /mnt/root; rm -rf "$layer.work"' EXIT
mkdir "$layer.work"
mount -t tmpfs tmpfs /mnt
mkdir /mnt/root
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$layer,workdir=$layer.work" /mnt/root
chroot /mnt/root /bin/sh -eu
