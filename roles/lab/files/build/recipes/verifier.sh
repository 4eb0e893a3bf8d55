# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# An image layer with everything that the collection needs where it runs, as its execution environment lists it. The
# collection itself comes above (cluster/verifier_image.sh), since it changes more often.

# The release of ansible-core that runs here, and where kubernetes.core is beside it.
ansible_core() { "$LAB_PYTHON" -c 'import ansible.release; print(f"ansible-core=={ansible.release.__version__}")'; }
kubernetes_core() {
  "$LAB_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib") + "/ansible_collections/kubernetes/core")'
}

about='image layer to verify from'
takes='30 s'
collection=${files%/roles/lab/files}
inputs=(build/debian.sh)
settings=("$(debian_release)" "$(ansible_core)" "$(cat "$collection"/meta/ee-*.txt)")
needs=(kubectl)

wanted() { [ "$LAB_FOR_PROVISIONING" = true ]; }

build() {
  local tree=$1/layer packages python modules collections
  modules=$tree/usr/lib/python3/dist-packages
  collections=$tree/usr/share/ansible/collections/ansible_collections
  mapfile -t packages < <(sed -n 's/ *\[platform:dpkg\]$//p' "$collection/meta/ee-bindep.txt")
  debian_tree "$tree" extract base-files coreutils dash findutils libc-bin python3 "${packages[@]}"
  mkdir -p "$tree"/{proc,sys,dev,tmp}
  echo 'gpu-k8s:x:1000:1000::/tmp:/bin/sh' >"$tree/etc/passwd"   # ssh insists on a name

  python=$(chroot "$tree" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  "$LAB_PYTHON" -m pip install --quiet --disable-pip-version-check --no-compile --only-binary=:all: \
    --python-version "$python" --target "$modules" "$(ansible_core)" --requirement "$collection/meta/ee-requirements.txt"
  sed -i '1s|^#!.*|#!/usr/bin/python3|' "$modules"/bin/ansible*
  mv "$modules"/bin/ansible* "$tree/usr/bin/"
  cp "$(part_path kubectl)/kubectl" "$tree/usr/bin/"
  mkdir -p "$collections/kubernetes"
  cp -r "$(kubernetes_core)" "$collections/kubernetes/"
  # A root that is read only can't keep what Python compiles, and all files get one time.
  chroot "$tree" python3 -m compileall -q -j 0 --invalidation-mode unchecked-hash \
    /usr/lib/python3 "/usr/lib/python$python"

  tar --sort=name --mtime=@0 --numeric-owner --owner=0 --group=0 -C "$tree" -cf "$1/layer.tar" .
  rm -rf "$tree"
}
