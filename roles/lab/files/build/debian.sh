# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Debian packages for the recipes: of the machine's own release, from the machine's own package sources.

# shellcheck source=/dev/null
debian_release() { (. /etc/os-release && echo "$VERSION_CODENAME"); }

# debian_tree DIR VARIANT PACKAGE...
debian_tree() {
  local tree=$1 variant=$2 release sources
  shift 2
  release=$(debian_release)
  mapfile -t sources < <(grep -lsE "^(Suites:(.* )?$release( |\$)|deb .* $release main)" \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources)
  [ "${#sources[@]}" -gt 0 ] || { echo "no package source for $release in /etc/apt" >&2; return 1; }
  mmdebstrap --quiet --mode=root --variant="$variant" --include="$(IFS=,; echo "$*")" \
    --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    "$release" "$tree" "${sources[@]}"
}
