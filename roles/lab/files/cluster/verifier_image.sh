#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Give a node the image to verify from: docker.io/lab/verifier:1, made of the part "verifier" and of the collection as
# it is in this checkout.
#   verifier_image.sh NODE
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=../settings.sh
. "$here/../settings.sh"
: "${LAB_PYTHON:?}"
collections=/usr/share/ansible/collections

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree$collections"
galaxy() {
  ANSIBLE_HOME=$work/home ANSIBLE_COLLECTIONS_PATH=$work/tree$collections \
    "${LAB_PYTHON%/*}/ansible-galaxy" collection "$@" >"$work/log" || { cat "$work/log" >&2; return 1; }
}

galaxy build --output-path "$work" "${here%/roles/lab/files/cluster}"
galaxy install --offline --no-deps --collections-path "$work/tree$collections" "$work"/*.tar.gz
tar --sort=name --mtime=@0 --numeric-owner --owner=0 --group=0 -C "$work/tree" -cf "$work/collection.tar" .
"$LAB_PYTHON" "$here/../build/oci_image.py" "$work/image.tar" docker.io/lab/verifier:1 \
  "$LAB_PARTS/verifier/layer.tar" "$work/collection.tar" --env=LANG=C.UTF-8
# Layers that the node has already are not unpacked again.
"$here/../node/node_enter.sh" "$1" ctr --namespace k8s.io images import --local - <"$work/image.tar"
