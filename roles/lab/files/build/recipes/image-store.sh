# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# containerd's store with the images already imported and unpacked; every node starts with a copy of it.
about='image store of the nodes'
takes='10 s'
inputs=(build/import_images.sh)
needs=(containerd images)

build() {
  unshare --mount --pid --fork --kill-child --mount-proc --propagation private \
    "$here/import_images.sh" "$1" "$(part_path containerd)" "$(part_path images)"/*.tar
}
