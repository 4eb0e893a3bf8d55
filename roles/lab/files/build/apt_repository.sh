# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Make Debian packages, and repositories of them.

# debian_package TREE FOLDER FIELD...   from the files in TREE, with such fields as "Package: name"
debian_package() {
  local tree=$1 folder=$2
  mkdir -p "$tree/DEBIAN"
  printf '%s\n' "${@:3}" "Architecture: $(dpkg --print-architecture)" 'Maintainer: gpu-k8s-lab <root@localhost>' \
    'Description: made for the lab' >"$tree/DEBIAN/control"
  [ ! -d "$tree/etc" ] || (cd "$tree" && find etc -type f -printf '/%p\n') >"$tree/DEBIAN/conffiles"
  dpkg-deb --root-owner-group --build "$tree" "$folder" >/dev/null
}

# apt_repository FOLDER   of the packages that are in it
apt_repository() (
  cd "$1" || exit
  for package in *.deb; do
    dpkg-deb --field "$package"
    printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "$package" "$(stat -c %s "$package")" "$(hash_of "$package")"
  done >Packages
  {
    printf 'Origin: gpu-k8s-lab\nDate: %s\n' "$(date --utc --rfc-email)"
    printf 'SHA256:\n %s %s Packages\n' "$(hash_of Packages)" "$(stat -c %s Packages)"
  } >Release
)

hash_of() { sha256sum <"$1" | cut -d' ' -f1; }

# sign_repository FOLDER KEY_FILE   with a key that is thrown away; whoever is to trust it finds it in KEY_FILE
sign_repository() (
  GNUPGHOME=$(mktemp -d)
  export GNUPGHOME
  gpg --batch --quiet --passphrase '' --quick-generate-key gpu-k8s-lab default default never
  gpg --batch --quiet --armor --export >"$2"
  gpg --batch --quiet --clear-sign --output "$1/InRelease" "$1/Release"
  rm -r "$GNUPGHOME"   # the agent ends when its folder is gone
)
