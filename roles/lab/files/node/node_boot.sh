#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Make the inside of a node and become its first process. Runs in the node's new namespaces, still on the machine's files.
#   node_boot.sh NODE [inside]      inside: its control groups are entered already
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=../settings.sh
. "$here/../settings.sh"
# shellcheck source=cgroups.sh
. "$here/cgroups.sh"
load_node "$1"
if [ "${2:-}" != inside ]; then
  # Here and not earlier: with version 2 the node's own group may hold nothing but the node's processes.
  enter_cgroups "$(node_cgroup "$NODE")"
  exec unshare --cgroup "$0" "$NODE" inside
fi
folder=$LAB_RUN/nodes/$NODE
root=$folder/root
multiarch=$(gcc -print-multiarch)

mount_root() {
  mount -t overlay overlay -o "lowerdir=$NODE_SOFTWARE,upperdir=$folder/upper,workdir=$folder/work" "$root"
  mkdir -p "$root"/var/lib/{containerd,kubelet}
  # containerd makes overlay mounts of its own, which can't be stacked on this one.
  mount --bind "$folder/containerd" "$root/var/lib/containerd"
  mount --bind "$folder/kubelet" "$root/var/lib/kubelet"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mount -t tmpfs tmpfs "$root/tmp"
}

mount_proc_and_sys() {
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount_cgroups "$root/sys/fs/cgroup"
  # The machine's tunables are to be read, not changed; those of the network belong to the node.
  mount --bind "$root/proc/sys" "$root/proc/sys"
  mount -o remount,ro,bind "$root/proc/sys"
  mount --bind /proc/sys/net "$root/proc/sys/net"
  # The kubelet insists on setting these: it gets files to write to.
  stand_in vm/overcommit_memory 1
  stand_in vm/panic_on_oom 0
  stand_in kernel/panic 10
  stand_in kernel/panic_on_oops 1
  stand_in kernel/keys/root_maxkeys 1000000
  stand_in kernel/keys/root_maxbytes 25000000
  cp /proc/sys/kernel/random/uuid "$folder/boot_id"
  stand_in kernel/random/boot_id "$(cat "$folder/boot_id")"
}

# stand_in SYSCTL VALUE   a file in place of a kernel tunable
stand_in() {
  local file=$root/run/sysctl/${1//\//.}
  mkdir -p "$root/run/sysctl"
  echo "$2" >"$file"
  mount --bind "$file" "$root/proc/sys/$1"
}

make_devices() {
  local dev=$root/dev
  mount -t tmpfs -o mode=755 tmpfs "$dev"
  mkdir "$dev"/{pts,shm,mqueue,net}
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$dev/pts"
  mount -t tmpfs tmpfs "$dev/shm"
  mount -t mqueue mqueue "$dev/mqueue"
  mknod -m 666 "$dev/null" c 1 3
  mknod -m 666 "$dev/zero" c 1 5
  mknod -m 666 "$dev/full" c 1 7
  mknod -m 666 "$dev/random" c 1 8
  mknod -m 666 "$dev/urandom" c 1 9
  mknod -m 644 "$dev/kmsg" c 1 11
  mknod -m 666 "$dev/tty" c 5 0
  mknod -m 666 "$dev/fuse" c 10 229
  mknod -m 666 "$dev/net/tun" c 10 200
  ln -s pts/ptmx "$dev/ptmx"
  ln -s /proc/self/fd "$dev/fd"
  ln -s fd/0 "$dev/stdin"
  ln -s fd/1 "$dev/stdout"
  ln -s fd/2 "$dev/stderr"
}

# The hardware, and the loaded driver if it is installed, as the kernel would show them.
make_gpus() {
  local settings=$root/usr/lib/$multiarch/libsim-nvml-conf.so.$LAB_DRIVER_VERSION
  cat >"$settings" <<CONF
gpus = $NODE_GPUS
model = $NODE_MODEL
memory_mib = $NODE_MEMORY_MIB
compute_capability = $NODE_COMPUTE_CAPABILITY
pci_device_id = $NODE_PCI_DEVICE_ID
cuda_version = $LAB_CUDA_VERSION
seed = $NODE
CONF
  mount -t tmpfs -o mode=755 tmpfs "$root/proc/driver"
  mount -t tmpfs -o mode=755 tmpfs "$root/sys/module"
  mount -t tmpfs -o mode=755 tmpfs "$root/sys/bus/pci/devices"
  sh "$here/../silicon/kernel_facts.sh" "$root" "$settings"
  # As on machines where a service makes the device nodes. Otherwise the toolkit wants to hide the parameter in each
  # container's /proc, where a simulated driver shows nothing.
  sed -i 's/^ModifyDeviceFiles: 1/ModifyDeviceFiles: 0/' "$root/proc/driver/nvidia/params"
  [ -e "$root/usr/lib/lab/nvidia-module" ] || chroot "$root" /usr/local/sbin/modprobe -r nvidia
}

write_identity() {
  hostname "$NODE"
  echo "$NODE" >"$root/etc/hostname"
  tr -d - </proc/sys/kernel/random/uuid >"$root/etc/machine-id"
  printf '127.0.0.1 localhost\n%s %s\n' "$NODE_ADDRESS" "$NODE" >"$root/etc/hosts"
  : >"$root/etc/resolv.conf"
  printf 'Types: deb\nURIs: http://%s/debian\nSuites: /\nTrusted: yes\n' "$PACKAGE_SERVER" >"$root/etc/apt/sources.list.d/debian.sources"
  local home owner
  for home in "$root/root" "$root/home/operator" "$root/home/plain"; do
    owner=$(stat -c %u:%g "$home")
    install -d -m 700 -o "${owner%:*}" -g "${owner#*:}" "$home/.ssh"
    install -m 600 -o "${owner%:*}" -g "${owner#*:}" "$LAB_RUN/ssh/id.pub" "$home/.ssh/authorized_keys"
  done
  install -m 600 "$LAB_PKI/$NODE.ssh_host_key" "$root/etc/ssh/ssh_host_ed25519_key"
  install -m 644 "$LAB_PKI/ca.crt" "$LAB_PKI/$NODE.crt" "$root/etc/kubernetes/"
  install -m 600 "$LAB_PKI/$NODE.key" "$root/etc/kubernetes/kubelet.key"
  install -m 600 "$LAB_PKI/$NODE.kubeconfig" "$root/etc/kubernetes/kubelet.conf"
  mv "$root/etc/kubernetes/$NODE.crt" "$root/etc/kubernetes/kubelet.crt"
  printf 'NODE_ADDRESS=%s\nAPI_ADDRESS=%s\n' "$NODE_ADDRESS" "$API_ADDRESS" >"$root/etc/kubernetes/kubelet.env"
  mkdir -p "$root/etc/cni/net.d"
  cat >"$root/etc/cni/net.d/10-bridge.conflist" <<CNI
{"cniVersion": "0.4.0", "name": "lab", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.244.$NODE_NUMBER.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
CNI
  if [ "$NODE_PYTHON" = false ]; then rm -f "$root"/usr/bin/python3*; fi
}

mount_root
mount_proc_and_sys
make_devices
write_identity
make_gpus
echo 1 >/proc/sys/net/ipv4/ip_forward
touch "$folder/booting"

cd "$root"
mkdir -p .machine
pivot_root . .machine
cd /
umount -l /.machine
mount --make-rshared /
exec env -i container=lab PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /sbin/init
