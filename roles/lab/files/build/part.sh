#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The parts of the lab are built once and kept in $LAB_CACHE/parts/<part>-<key>/.
# The key is a hash of everything a part is made from, so a changed input makes a new part.
#
#   part.sh missing        the parts that have to be built, in order, one a line: "<part> (<what>, about <time>)"
#   part.sh build PART     build one part
#   part.sh link DIR       make DIR/<part> a link to each built part
#
# A recipe, recipes/<part>.sh, sets:
#   about, takes   for people
#   inputs         files and folders beside recipes/ or one level up that it reads
#   settings       other values that change its result
#   needs          parts that it reads
#   build DIR      the function that fills DIR
# and may replace wanted, the function that says whether the part is needed at all.
set -euo pipefail
export LC_ALL=C   # a key must not depend on the order in which a language sorts
: "${LAB_CACHE:?}" "${LAB_DRIVER_VERSION:?}" "${LAB_PYTHON:?}" "${LAB_FOR_INSTALLING:?}" "${LAB_FOR_PROVISIONING:?}"
here=$(dirname "$(readlink -f "$0")")
files=${here%/*}
parts=$LAB_CACHE/parts
all=(go etcd kubelet kube-apiserver kube-controller-manager kube-scheduler kubectl containerd nvidia silicon rootfs images node node-driver node-toolkit image-store
  helm charts packages verifier)

# shellcheck source=go.sh
. "$here/go.sh"
# shellcheck source=debian.sh
. "$here/debian.sh"

load_recipe() {
  about='' takes='' inputs=() settings=() needs=()
  wanted() { true; }
  # shellcheck source=/dev/null
  . "$here/recipes/$1.sh"
}

part_key() (
  load_recipe "$1"
  {
    cat "$here/recipes/$1.sh"
    printf '%s\n' "${settings[@]}"
    for input in "${inputs[@]}"; do
      cd "$files" && find "$input" -type f -printf '%m %p\n' | sort
      find "$input" -type f -print0 | sort -z | xargs -0 cat
    done
    for part in "${needs[@]}"; do part_key "$part"; done
  } | sha256sum | cut -c1-12
)

part_path() { echo "$parts/$1-$(part_key "$1")"; }

list_missing() {
  local part
  for part in "${all[@]}"; do
    load_recipe "$part"
    wanted || continue
    [ -d "$(part_path "$part")" ] || echo "$part ($about, about $takes)"
  done
}

build_part() {
  local path
  path=$(part_path "$1")
  load_recipe "$1"
  mkdir -p "$parts"
  exec 9>"$LAB_CACHE/build.lock"
  flock 9
  [ -d "$path" ] && return                  # somebody else built it while this waited
  rm -rf --one-file-system "$parts"/.unfinished-*   # whoever held the lock before was interrupted
  mkdir "$parts/.unfinished-$1"
  build "$parts/.unfinished-$1" 9>&-
  mv "$parts/.unfinished-$1" "$path"
}

link_parts() {
  local part
  mkdir -p "$1"
  for part in "${all[@]}"; do
    load_recipe "$part"
    if wanted; then ln -sfnT "$(part_path "$part")" "$1/$part"; fi
  done
}

case ${1:-} in
  missing) list_missing ;;
  build) build_part "$2" ;;
  link) link_parts "$2" ;;
  *) echo "usage: part.sh missing | build PART | link DIR" >&2; exit 2 ;;
esac
