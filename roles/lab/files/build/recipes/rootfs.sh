# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
about="root file system of the nodes"
takes='1 min'
inputs=(build/debian.sh)
settings=("$(debian_release)")
packages=(
  systemd systemd-sysv openssh-server      # boots and is reached like a real machine
  runc containernetworking-plugins         # what containerd runs
  iproute2 iptables kmod procps pciutils   # networking, and what people and probes look with
  python3 sudo                             # ordinary Ansible works; one node hides Python
  python3-apt python3-debian               # and installs packages
  busybox                                  # another shell to log in with
)

build() {
  debian_tree "$1" minbase "${packages[@]}"
  rm -f "$1"/etc/ssh/ssh_host_* "$1/etc/machine-id"
  rm -rf "$1"/etc/apt/sources.list "$1"/etc/apt/sources.list.d/*   # the machine's, which no node reaches
}
