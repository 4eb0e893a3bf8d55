# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# Package repositories, named and filled as the real ones: NVIDIA's with its toolkit, and Debian's with the (simulated) driver.
# The toolkit's programs, dependencies, maintainer scripts and units are NVIDIA's own.
about='packages of toolkit and driver'
takes='20 s'
inputs=(modules/nvidia build/go.sh build/apt_repository.sh)
settings=("$LAB_DRIVER_VERSION" "$(uname -r)")
needs=(silicon)

wanted() { [ "$LAB_FOR_INSTALLING" = true ]; }

build() {
  local work=$1/unfinished
  # shellcheck source=../apt_repository.sh
  . "$here/apt_repository.sh"
  mkdir "$work"
  toolkit_repository "$1/libnvidia-container/stable/deb/$(dpkg --print-architecture)" # as at https://nvidia.github.io
  driver_repository "$1/debian"
  sign_repository "$1"/libnvidia-container/stable/deb/* "$1/libnvidia-container/gpgkey"
  rm -r "$work"
}

toolkit_repository() {
  local folder=$1 toolkit=github.com/NVIDIA/nvidia-container-toolkit version source
  mkdir -p "$folder"
  run_go nvidia mod download "$toolkit"
  read -r version source < <(run_go nvidia list -m -f '{{slice .Version 1}}-1 {{.Dir}}' "$toolkit")
  toolkit_tree nvidia-container-toolkit-base
  toolkit_tree nvidia-container-toolkit
  package nvidia-container-toolkit "nvidia-container-toolkit-base (= $version), libnvidia-container-tools (= $version)"
  package nvidia-container-toolkit-base
  # The toolkit no longer uses these; it still depends on them.
  package libnvidia-container-tools "libnvidia-container1 (= $version)"
  package libnvidia-container1
  apt_repository "$folder"
}

# toolkit_tree PACKAGE   with the files and scripts that NVIDIA's sources name for it
toolkit_tree() {
  local tree=$work/$1 file target script
  mkdir -p "$tree/DEBIAN"
  while read -r file target || [ -n "$file" ]; do
    mkdir -p "$tree$target"
    if [ -d "$source/cmd/$file" ]; then
      go_build nvidia "$tree$target/$file" "$toolkit/cmd/$file"
    else
      install -m 644 "$source/deployments/systemd/$file" "$tree$target"
    fi
  done <"$source/packaging/debian/$1.install"
  for script in postinst postrm; do
    [ ! -e "$source/packaging/debian/$1.$script" ] ||
      install -m 755 "$source/packaging/debian/$1.$script" "$tree/DEBIAN/$script"
  done
}

driver_repository() {
  local folder=$1 version=$LAB_DRIVER_VERSION-1 silicon kind
  silicon=$(part_path silicon)/usr
  mkdir -p "$folder" "$work"/{nvidia-smi/usr/bin,libnvidia-ml1/usr/lib,libcuda1/usr/lib}
  cp -a "$silicon/bin/nvidia-smi" "$work/nvidia-smi/usr/bin"
  driver_library libnvidia-ml
  driver_library libcuda
  for kind in nvidia-open-kernel-dkms nvidia-kernel-dkms; do
    mkdir -p "$work/$kind/usr/lib/lab"
    touch "$work/$kind/usr/lib/lab/nvidia-module"   # to be loaded by the nodes' modprobe
  done
  package nvidia-open-kernel-dkms '' nvidia-kernel-dkms
  package nvidia-kernel-dkms '' nvidia-open-kernel-dkms
  package nvidia-smi libnvidia-ml1
  package libnvidia-ml1
  package libcuda1
  package firmware-nvidia-gsp
  package "linux-headers-$(uname -r)"
  apt_repository "$folder"
}

# driver_library NAME   into its package, NAME1
driver_library() {
  local folder=$work/${1}1
  mkdir -p "$folder/DEBIAN"
  (cd "$silicon" && cp -a --parents lib/*/"$1".so* "$folder/usr/")
  echo 'activate-noawait ldconfig' >"$folder/DEBIAN/triggers"
}

# package NAME [DEPENDS [CONFLICTS]]   of the files in $work/NAME, if any
package() {
  debian_package "$work/$1" "$folder" "Package: $1" "Version: $version" ${2:+"Depends: $2"} ${3:+"Conflicts: $3"}
}
