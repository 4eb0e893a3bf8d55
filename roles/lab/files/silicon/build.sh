#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# build.sh OUTDIR NVML_H_DIR VERSION: the files of a simulated NVIDIA driver VERSION, below OUTDIR as on a node.
# NVML_H_DIR holds nvml.h (pkg/nvml of the Go module github.com/NVIDIA/go-nvml).
set -eu

if [ $# -ne 3 ]; then
    echo "usage: $0 OUTDIR NVML_H_DIR VERSION" >&2
    exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
header_dir=$(cd "$2" && pwd)
version=$3
cd "$(dirname "$0")"

multiarch=$(gcc -print-multiarch)
lib=$out/usr/lib${multiarch:+/$multiarch}
[ -n "$multiarch" ] || lib=$out/usr/lib64
mkdir -p "$lib" "$out/usr/bin" "$out/usr/libexec"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

compile() {
    # shellcheck disable=SC2086 # CFLAGS are several words
    gcc -std=gnu11 -O2 -Wall -Wextra ${CFLAGS:-} -I "$header_dir" "$@"
}

sh nvml/stubs.sh "$header_dir/nvml.h" > "$scratch/stubs.c"
compile -shared -fPIC -pthread -Wl,-soname,libnvidia-ml.so.1 -Wl,--version-script=nvml/exports.map \
    -o "$lib/libnvidia-ml.so.$version" settings.c machine.c nvml/*.c "$scratch/stubs.c" -ldl
ln -sf "libnvidia-ml.so.$version" "$lib/libnvidia-ml.so.1"
ln -sf libnvidia-ml.so.1 "$lib/libnvidia-ml.so"

# nvidia-ctk looks for the driver's libraries beside libcuda; nothing here calls it.
compile -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$lib/libcuda.so.$version" -x c /dev/null
ln -sf "libcuda.so.$version" "$lib/libcuda.so.1"

compile -D "DRIVER_VERSION=\"$version\"" -o "$out/usr/bin/nvidia-smi" nvidia-smi/*.c -ldl
compile -pthread -o "$out/usr/libexec/sim-machine-list" settings.c machine.c machine_list.c
