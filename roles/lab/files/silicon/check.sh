#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# check.sh NVML_H_DIR: builds everything, and compares nvidia-smi with what the real program was seen to do.
# Needs no privilege: plain files stand for the device nodes.
set -eu

header_dir=${1:?usage: check.sh NVML_H_DIR}
here=$(cd "$(dirname "$0")" && pwd)
version=550.163.01
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
CFLAGS=-Werror "$here/build.sh" "$scratch" "$header_dir" "$version"
LD_LIBRARY_PATH=$(dirname "$(find "$scratch" -name libnvidia-ml.so.1)")
export LD_LIBRARY_PATH
settings=$LD_LIBRARY_PATH/libsim-nvml-conf.so.$version
smi=$scratch/usr/bin/nvidia-smi
mkdir "$scratch/dev"
run='' # what nvidia-smi is run under
failures=0

# machine SETTING...: a machine of three GPUs with these settings besides
machine() {
    touch "$scratch/dev/nvidiactl" "$scratch/dev/nvidia0" "$scratch/dev/nvidia1" "$scratch/dev/nvidia2"
    printf '%s\n' "gpus = 3" "seed = check" "kernel_version = $version" "devroot = $scratch/dev" "$@" > "$settings"
}

# shows PATTERN: a line of the last output matches; '' for no output at all
shows() {
    if [ -n "$1" ]; then
        grep -q -- "$1" "$scratch/stdout"
    else
        [ ! -s "$scratch/stdout" ]
    fi
}

# expect EXIT_CODE PATTERN [OPTION...]: runs nvidia-smi
expect() {
    expected_code=$1 pattern=$2
    shift 2
    code=0
    $run "$smi" "$@" > "$scratch/stdout" 2> "$scratch/stderr" || code=$?
    result=ok
    [ "$code" = "$expected_code" ] && [ ! -s "$scratch/stderr" ] && shows "$pattern" || result=WRONG
    [ $result = ok ] || failures=$((failures + 1))
    line=$(grep -m 1 -- "$pattern" "$scratch/stdout" | cut -c 1-62)
    printf '%-5s %3s  %-62s nvidia-smi %s\n' "$result" "$code" "$line" "$*"
}

# lacks PATTERN: the last output has no such line
lacks() {
    if shows "$1"; then
        failures=$((failures + 1))
        echo "WRONG: printed \"$1\""
    fi
}

query=--query-gpu=index,uuid,memory.total

echo '# healthy'
machine
expect 0 '|   2  NVIDIA H100'
expect 0 '^GPU 2: NVIDIA H100 80GB HBM3 (UUID: GPU-[0-9a-f-]\{36\})$' -L
expect 0 '^    Minor Number  *: 2$' -q
expect 0 '^index, uuid, memory.total \[MiB\]$' $query --format=csv
expect 0 '^1, GPU-[0-9a-f-]*, 81559$' $query --format=csv,noheader,nounits
uuid=$("$smi" --query-gpu=gpu_uuid --format=csv,noheader -i 1)
expect 0 "^1, $uuid" $query --format=csv -i "$uuid"
expect 0 "^1, $uuid" $query --format=csv -i 00000000:2A:00.0
expect 0 "^DRIVER version      : $version" --version
expect 0 'query-gpu' --help

echo '# wrong arguments'
expect 2 'Field "nonsense" is not a valid field to query.' --query-gpu=index,nonsense --format=csv
expect 2 'Option "--nonsense" is not recognized' --nonsense
expect 2 '"--format=" switch is missing' $query
expect 6 'No devices were found' -i 9

echo '# nvmlInit fails'
while IFS=: read -r init expected text; do
    machine "init = $init"
    expect "$expected" "^Failed to initialize NVML: $text$"
done <<'CASES'
2:2:Invalid Argument
3:3:N/A
4:4:Insufficient Permissions
6:6:Not Found
8:8:Insufficient External Power
11:11:Interrupt Request Issue
13:13:Function Not Found
14:14:Corrupted infoROM
15:15:GPU is lost
17:17:GPU access blocked by the operating system
18:18:Driver/library version mismatch
1:255:Uninitialized
10:255:Timeout
16:255:GPU requires reset
20:255:Insufficient Memory
28:255:GPU Not Found
999:255:Unknown Error
CASES
machine 'init = 9'
expect 9 "couldn't communicate with the NVIDIA driver"
machine 'init = 12'
expect 12 "couldn't find libnvidia-ml.so"
machine 'kernel_version = 550.144.03'
expect 18 '^Failed to initialize NVML: Driver/library version mismatch$' -L
expect 18 '^NVML library version: 550.163$' $query --format=csv
machine
rm "$scratch/dev/nvidiactl"
expect 9 "couldn't communicate with the NVIDIA driver" -L

echo '# no library'
machine
rm "$LD_LIBRARY_PATH/libnvidia-ml.so.1"
expect 12 "couldn't find libnvidia-ml.so"
expect 12 "couldn't find libnvidia-ml.so" -L
ln -s "libnvidia-ml.so.$version" "$LD_LIBRARY_PATH/libnvidia-ml.so.1"

echo '# the handle of one GPU fails'
machine 'gpu.1.handle = 15'
expect 15 '^Unable to determine the device handle for GPU1: GPU is lost.  Reboot'
lacks 'NVIDIA-SMI'
expect 15 '^Unable to determine the device handle for GPU1: GPU is lost.' $query --format=csv
lacks 'uuid'
expect 15 '^GPU 2: ' -L
lacks '^GPU 1: '
expect 0 '^2, ' $query --format=csv -i 2
machine 'gpu.1.handle = 999'
expect 255 '^Unable to determine the device handle for GPU1: Unknown Error$'

echo '# every query on one GPU fails'
machine 'gpu.1.fail = 999'
expect 255 '|   1  ERR!'
expect 255 'internal error'
expect 0 '^\[Unknown Error\], \[Unknown Error\], \[Unknown Error\]$' $query --format=csv
expect 0 '^GPU 2: ' -L

echo '# settings of one process'
machine 'gpu.1.persistence = on'
run='env SIM_NVML=fail=999;persistence=off'
expect 0 '^\[Unknown Error\], \[Unknown Error\], \[Unknown Error\]$' $query --format=csv
run=''
expect 0 '^1, ' $query --format=csv

echo '# no GPU'
machine 'gpus = 0'
expect 6 '^No devices were found$'
expect 6 '^No devices were found$' $query --format=csv
expect 0 '^No devices found$' -L

echo '# a function that the library lacks'
machine 'fail.nvmlDeviceGetPowerUsage = 13'
expect 0 'ERR! /  700W'
expect 0 '^\[Function Not Found\]$' --query-gpu=power.draw --format=csv
machine 'fail.nvmlDeviceGetPersistenceMode = 13'
expect 0 'Persistence Mode  *: Function Not Found' -q

echo '# states'
machine 'gpu.1.mig = on' 'gpu.2.mig_pending = on'
expect 0 '2A:00.0 Off |  *On |'
expect 0 '| *Disabled\* |'
expect 0 'No MIG devices found'
machine 'gpu.0.ecc_volatile_uncorrected = 3' 'gpu.1.ecc = off' 'gpu.2.remap_pending = 1' 'compute_mode = 3'
expect 0 '19:00.0 Off |  *3 |'
expect 0 '2A:00.0 Off |  *Off |'
expect 0 'E. Process'
expect 0 '^Enabled, 3, No, Exclusive_Process$' \
    --query-gpu=ecc.mode.current,ecc.errors.uncorrected.volatile.total,remapped_rows.pending,compute_mode --format=csv
expect 0 '^Disabled, \[N/A\], No, Exclusive_Process$' \
    --query-gpu=ecc.mode.current,ecc.errors.uncorrected.volatile.total,remapped_rows.pending,compute_mode --format=csv
machine 'gpu.1.fabric_state = 2' 'gpu.2.fabric_state = 3'
expect 0 '^\[N/A\], \[N/A\]$' --query-gpu=fabric.state,fabric.status --format=csv
expect 0 '^In Progress, \[N/A\]$' --query-gpu=fabric.state,fabric.status --format=csv
expect 0 '^Completed, Success$' --query-gpu=fabric.state,fabric.status --format=csv

echo '# a driver that does not answer'
machine 'init_sleep = 5'
run='timeout 1'
expect 124 '' -L
expect 0 'CUDA Version        : 12.4' --version
run=''

echo '# as in a container that was given one GPU'
machine
rm "$scratch/dev/nvidia0" "$scratch/dev/nvidia1"
expect 0 '^0, GPU-.*, 00000000:3B:00.0$' --query-gpu=index,uuid,pci.bus_id --format=csv
lacks '^1, '

echo
if [ "$failures" -ne 0 ]; then
    echo "$failures wrong"
    exit 1
fi
echo 'all as expected'
