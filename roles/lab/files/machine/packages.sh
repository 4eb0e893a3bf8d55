#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Debian packages that the machine needs to build and run the lab.
#   packages.sh list       all of them
#   packages.sh install    install those that are not there, and say which
set -euo pipefail
packages=(
  gcc libc6-dev                                # simulated driver, pause program, device plugin
  ca-certificates                              # Go modules
  mmdebstrap                                   # root file system and images
  iproute2 util-linux mount                    # namespaces and network
  openssl openssh-client
  gpg gpg-agent                                # signs a package repository
)

missing() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || echo "$package"
  done
}

install_missing() {
  local lacking
  mapfile -t lacking < <(missing)
  [ "${#lacking[@]}" -gt 0 ] || return 0
  echo "installing ${lacking[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get -qq update >&2
  apt-get -qq install --yes --no-install-recommends "${lacking[@]}" >&2
}

case ${1:-} in
  list) echo "${packages[@]}" ;;
  install) install_missing ;;
  *) echo "usage: packages.sh list | install" >&2; exit 2 ;;
esac
