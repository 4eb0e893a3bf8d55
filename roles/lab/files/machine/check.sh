#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Can this machine hold the lab? Every obstacle on stderr, one a line (exit code 1); otherwise what was found on stdout.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=../names.sh
. "$here/../names.sh"
# shellcheck source=../node/cgroups.sh
. "$here/../node/cgroups.sh"
: "${LAB_CACHE:?}" "${LAB_NETWORK_PREFIX:?}" "${LAB_NODE_COUNT:?}"
obstacles=0
obstacle() { echo "- $*" >&2; obstacles=1; }

lab_runs() { [ -e "/run/netns/$LAB_NETNS" ]; }

check_root() { [ "$(id -u)" = 0 ] || obstacle "root is needed (namespaces, mounts and device nodes)"; }

check_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    obstacle "not a Debian or Ubuntu, whose packages the lab builds its nodes from; it also needs $("$here/packages.sh" list)"
  fi
}

check_kernel() {
  local namespace
  for namespace in cgroup ipc mnt net pid uts; do
    [ -e "/proc/self/ns/$namespace" ] || obstacle "the kernel has no $namespace namespaces"
  done
  grep -qw overlay /proc/filesystems || modprobe overlay 2>/dev/null || obstacle "the kernel has no overlay file system"
  command -v ip >/dev/null || return 0
  unshare --net sh -c 'ip link add v0 type veth peer name v1 && ip link add br0 type bridge' 2>/dev/null ||
    obstacle "network namespaces with veth and bridge interfaces can't be made here"
}

check_memory() {
  local available
  available=$(awk '/^MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
  lab_runs || [ "$available" -ge 6 ] || obstacle "$available GiB of memory are free, 6 are needed"
}

check_disk() {
  local folder=$LAB_CACHE needed=3 available missing
  while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
  missing=$("$here/../build/part.sh" missing)
  [ -z "$missing" ] || needed=12
  available=$(($(stat -f -c '%a * %S' "$folder") / 1073741824))
  lab_runs || [ "$available" -ge "$needed" ] ||
    obstacle "$available GiB of disk are free in $folder, $needed are needed (LAB_CACHE sets another place)"
}

# The lab's network must not be anybody else's, nor part of anybody else's. /proc/net/route has numbers of reversed bytes.
check_network() {
  local first second third interface destination mask common network
  IFS=. read -r first second third <<<"$LAB_NETWORK_PREFIX"
  network=$((third << 16 | second << 8 | first))
  while read -r interface destination _ _ _ _ _ mask _; do
    if [ "$interface" = "$LAB_LINK" ] || [ "$mask" = 00000000 ]; then continue; fi
    common=$((0x$mask & 0x00ffffff))
    if (((0x$destination & common) == (network & common))); then
      obstacle "$LAB_NETWORK_PREFIX.0/24 is in use on $interface (lab_network_prefix sets another)"
    fi
  done < <(tail -n +2 /proc/net/route)
}

# Measured: 14 a node, 8 for the control plane.
check_inotify() {
  local limit needed=$((14 * LAB_NODE_COUNT + 8))
  limit=$(cat /proc/sys/fs/inotify/max_user_instances)
  [ "$limit" -ge "$needed" ] ||
    obstacle "fs.inotify.max_user_instances is $limit, $LAB_NODE_COUNT nodes need $needed (sysctl -w fs.inotify.max_user_instances=$needed)"
}

# The one capability that machines are seen to lack, which matters to containers.
describe() {
  local version='version 1' capability='all capabilities'
  if cgroups_are_unified; then version='version 2'; fi
  (((0x$(awk '/^CapEff/ {print $2}' /proc/self/status) >> 24 & 1) == 1)) || capability='no CAP_SYS_RESOURCE'
  echo "kernel $(uname -r), cgroup $version, root with $capability"
}

check_root
check_packages
check_kernel
check_memory
check_disk
check_network
check_inotify
[ "$obstacles" = 0 ] || exit 1
describe
