# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
about='the store of the API server'
takes='1 min'
inputs=(modules/etcd build/go.sh)

build() { go_build etcd "$1/etcd" go.etcd.io/etcd/server/v3; }
