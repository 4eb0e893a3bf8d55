# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# A node's control groups: a group of its own in each hierarchy, which becomes the root that the node sees.

cgroups_are_unified() { [ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ]; }

# Each version 1 hierarchy as "FOLDER PATH": its folder under /sys/fs/cgroup, and this process's own group in it.
cgroup_hierarchies() {
  local id controllers path
  while IFS=: read -r id controllers path; do
    controllers=${controllers#name=}
    [ "$id" != 0 ] || controllers=unified
    ! mountpoint -q "/sys/fs/cgroup/$controllers" || echo "$controllers ${path%/}"
  done </proc/self/cgroup
}

# enter_cgroups NAME   moves this process into them
enter_cgroups() {
  local hierarchy path group file controller controllers
  if cgroups_are_unified; then
    group=/sys/fs/cgroup/$1
    mkdir -p "$group"
    read -ra controllers </sys/fs/cgroup/cgroup.controllers
    # Below the root, as only the root may hold processes and hand on controllers as well.
    # One that can't be handed on is not always needed; the kubelet names the one it misses.
    for controller in "${controllers[@]}"; do
      echo "+$controller" >/sys/fs/cgroup/cgroup.subtree_control || true
    done
    echo 0 >"$group/cgroup.procs"
    return
  fi
  # Groups below this process's own, so that limits set on it hold for the lab.
  while read -r hierarchy path; do
    group=/sys/fs/cgroup/$hierarchy$path/$1
    mkdir -p "$group"
    if [ "$hierarchy" = cpuset ]; then
      for file in cpuset.cpus cpuset.mems; do cat "$group/../$file" >"$group/$file"; done
      echo 1 >"$group/cgroup.clone_children"
    fi
    echo 0 >"$group/cgroup.procs"
  done < <(cgroup_hierarchies)
}

# mount_cgroups FOLDER   what a node sees, from inside its cgroup namespace
mount_cgroups() {
  local hierarchy
  if cgroups_are_unified; then
    mount -t cgroup2 cgroup2 "$1"
    return
  fi
  mount -t tmpfs -o mode=755 tmpfs "$1"
  while read -r hierarchy _; do
    mkdir "$1/$hierarchy"
    case $hierarchy in
      unified) mount -t cgroup2 cgroup2 "$1/unified" ;;
      systemd) mount -t cgroup -o none,name=systemd cgroup "$1/systemd" ;;
      *) mount -t cgroup -o "$hierarchy" cgroup "$1/$hierarchy" ;;
    esac
  done < <(cgroup_hierarchies)
}

# remove_cgroups NAME   found by name, wherever they were made, with what may still run in them
remove_cgroups() {
  local group
  while read -r group; do
    for _ in $(seq 40); do
      xargs -r kill -9 < <(find "$group" -name cgroup.procs -exec cat {} + 2>/dev/null) 2>/dev/null || true
      find "$group" -depth -type d -exec rmdir {} + 2>/dev/null && break
      [ -d "$group" ] || break
      sleep 0.05
    done
  done < <(find /sys/fs/cgroup -type d -name "$1" 2>/dev/null)
}
