#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the driver layer looks at on a node, and the functions that every probe shares.
#
# By hand:    ssh NODE sudo sh -s < probe.sh
# With the layers above it:  cat driver/files/probe.sh toolkit/files/probe.sh | ssh NODE sudo sh -s
#
# It changes nothing. Its only files are in a private folder that is removed at the end.
# A command that does not end in time is abandoned, and the probe goes on.
set -u
LC_ALL=C
export LC_ALL
# Vendors' places for nvidia-smi and the runtimes' tools; a sudo or cron PATH often lacks them.
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/bin:/usr/local/nvidia/bin
umask 077

format=${GPU_K8S_FORMAT:-text}             # text: to read. encoded: every byte survives, to be parsed.
layers=${GPU_K8S_LAYERS:-driver toolkit device_plugin}
deadline=${GPU_K8S_DEADLINE:-20}           # seconds for one command
output_limit=${GPU_K8S_OUTPUT_LIMIT:-65536}  # bytes of one stream that are printed

scratch=$(mktemp -d "${TMPDIR:-/tmp}/gpu-k8s.XXXXXXXX") || exit 1
records=0

finish() {
    clean_up
    rm -rf "$scratch"
}
clean_up() { :; } # a probe that starts something replaces it
trap finish EXIT
trap 'exit 1' HUP INT PIPE TERM

wanted() {
    case " $layers " in *" $1 "*) return 0 ;; esac
    return 1
}

uptime_centiseconds() {
    read -r up _idle </proc/uptime
    printf '%s' "${up%.*}${up#*.}"
}

# run_to_deadline SECONDS NAME COMMAND... : leaves $scratch/NAME.{out,err} and sets exit_code, to "none" when the
# command was abandoned. A process that hangs in the kernel can't be killed or waited for, so its end is read from a
# file; the files are the command's own, since one that was abandoned may still write to them.
run_to_deadline() {
    until=$(($(uptime_centiseconds) + $1 * 100))
    mine=$scratch/$2
    shift 2
    (
        ulimit -f 65536 # blocks of 512 bytes: output without end must not fill the node's disk
        "$@" >"$mine.out" 2>"$mine.err" </dev/null &
        echo $! >"$mine.pid"
        wait $!
        echo $? >"$mine.part"
        mv "$mine.part" "$mine.code"
    ) >/dev/null 2>&1 &
    pause=0.01
    exit_code=none
    while [ ! -e "$mine.code" ]; do
        if [ "$(uptime_centiseconds)" -ge "$until" ]; then
            kill -9 "$(cat "$mine.pid")" 2>/dev/null
            return
        fi
        sleep "$pause" 2>/dev/null || sleep 1
        [ "$pause" = 0.01 ] && pause=0.02 || pause=0.05
    done
    read -r exit_code <"$mine.code"
}

# look [-t SECONDS] NAME COMMAND... : runs the command to its deadline and prints what it did.
look() {
    seconds=$deadline
    if [ "$1" = -t ]; then
        seconds=$2
        shift 2
    fi
    record=$1
    shift
    started=$(uptime_centiseconds)
    run_to_deadline "$seconds" "$record" "$@"
    took=$(($(uptime_centiseconds) - started))
    took=$((took / 100)).$((took / 10 % 10))$((took % 10))
    records=$((records + 1))
    "emit_$format" "$@"
}

emit_text() {
    printf '\n== %s: %s\n' "$record" "$*"
    head -c "$output_limit" "$scratch/$record.out"
    sed 's/^/stderr: /' "$scratch/$record.err" | head -c "$output_limit"
    if [ "$exit_code" = none ]; then
        printf -- '-- abandoned after %s s\n' "$took"
    else
        printf -- '-- exit code %s, %s s\n' "$exit_code" "$took"
    fi
}

# One line per field, read by plugins/module_utils/_transcript.py.
emit_encoded() {
    printf '@gpu.k8s record %s\n@gpu.k8s command %s\n' "$record" "$(printf '%s' "$*" | "encode_$encoding")"
    printf '@gpu.k8s exit_code %s\n@gpu.k8s seconds %s\n' "$exit_code" "$took"
    for stream in out err; do
        whole=whole
        [ "$(wc -c <"$scratch/$record.$stream")" -gt "$output_limit" ] && whole=cut_off
        printf '@gpu.k8s std%s %s %s\n' "$stream" "$whole" "$(head -c "$output_limit" "$scratch/$record.$stream" | "encode_$encoding")"
    done
    printf '@gpu.k8s end %s\n' "$record"
}

encode_base64() { base64 | tr -d '\n'; }
encode_hex() { od -An -v -tx1 | tr -d ' \n'; }

begin_transcript() {
    [ "$format" = encoded ] || return 0
    encoding=base64
    command -v base64 >/dev/null 2>&1 || encoding=hex
    printf '\n@gpu.k8s transcript 1 %s\n' "$encoding"
}

end_transcript() {
    [ "$format" = encoded ] || return 0
    printf '@gpu.k8s complete %s\n' "$records"
}

# ---- the driver layer. The kernel's own facts come first: nvidia-smi, run by root, loads modules
# ---- and makes device nodes, so that it can hide what was missing.

list_pci_display_and_3d_devices() {
    for device in /sys/bus/pci/devices/*; do
        [ -r "$device/class" ] || continue
        read -r class <"$device/class"
        case $class in 0x03*) ;; *) continue ;; esac
        read -r vendor <"$device/vendor"
        read -r id <"$device/device"
        driver=none
        [ -h "$device/driver" ] && driver=$(readlink "$device/driver") && driver=${driver##*/}
        printf '%s vendor=%s device=%s class=%s driver=%s\n' "${device##*/}" "$vendor" "$id" "$class" "$driver"
    done
    [ -d /sys/bus/pci/devices ]
}

list_device_nodes() {
    ls -ln /dev/nvidia* /dev/nvidia-caps 2>/dev/null
    [ -d /dev ]
}

# Prints the file behind each libnvidia-ml.so.1 that the loader or a vendor's root would offer.
list_nvml_libraries() {
    {
        ldconfig -p 2>/dev/null | sed -n 's/.*libnvidia-ml\.so\.1 .*=> //p'
        for folder in /usr/lib/*-linux-gnu /usr/lib64 /usr/lib /usr/local/nvidia/lib64 /opt/nvidia/lib64; do
            [ -e "$folder/libnvidia-ml.so.1" ] && printf '%s\n' "$folder/libnvidia-ml.so.1"
        done
    } | sort -u | while read -r library; do
        printf '%s -> %s\n' "$library" "$(readlink -f "$library")"
    done
}

probe_driver() {
    look kernel_release uname -r
    look boot_id cat /proc/sys/kernel/random/boot_id
    look machine_id cat /etc/machine-id
    look pci_devices list_pci_display_and_3d_devices
    look module_version cat /sys/module/nvidia/version
    look proc_driver_version cat /proc/driver/nvidia/version
    look device_nodes list_device_nodes
    look nvml_libraries list_nvml_libraries
    look nvidia_smi_list nvidia-smi -L
    look nvidia_smi_query nvidia-smi \
        --query-gpu=index,uuid,pci.bus_id,name,driver_version,memory.total --format=csv,noheader
}

begin_transcript
if wanted driver; then probe_driver; fi
