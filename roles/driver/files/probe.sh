#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the driver layer looks at on a node, and the functions that every probe shares.
#
# By hand:    ssh NODE sudo sh -s < probe.sh
# With the layers above it:  cat driver/files/probe.sh toolkit/files/probe.sh | ssh NODE sudo sh -s
#
# It changes nothing. Its only files are in a private folder that is removed at the end, also when the connection
# breaks. A command that does not end in time is abandoned, and the probe goes on; all of it ends within its budget.
set -u
LC_ALL=C
export LC_ALL
# Vendors' places for nvidia-smi and the runtimes' tools; a sudo or cron PATH often lacks them.
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/bin:/usr/local/nvidia/bin
umask 077

format=${GPU_K8S_FORMAT:-text}             # text: to read. encoded: every byte survives, to be parsed.
layers=${GPU_K8S_LAYERS:-driver toolkit device_plugin}
deadline=${GPU_K8S_DEADLINE:-20}           # seconds for one command
budget=${GPU_K8S_BUDGET:-60}               # seconds for all of them; what a probe cleans up comes on top
output_limit=${GPU_K8S_OUTPUT_LIMIT:-65536}  # bytes of one stream that are printed

has_room() { head -c 65536 /dev/zero 2>/dev/null >"$1/room" && rm "$1/room"; }

# On a full disk every command would seem to print nothing.
make_scratch() {
    for folder in "${TMPDIR:-/tmp}" /run /dev/shm; do
        scratch=$(mktemp -d "$folder/gpu-k8s.XXXXXXXX" 2>/dev/null) || continue
        has_room "$scratch" && return
        rm -rf "$scratch"
    done
    echo "gpu.k8s: no room for the probe's own files in ${TMPDIR:-/tmp}, /run or /dev/shm" >&2
    exit 1
}

make_scratch
records=0
running=''     # the process of the command that is being waited for
out_of_time='' # names of the looks that the budget did not suffice for

finish() {
    trap '' HUP INT PIPE TERM # what was begun is cleaned up, whatever comes
    [ -z "$running" ] || kill_tree "$running"
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

# Sets now: hundredths of a second since the node started.
read_clock() {
    read -r now _idle </proc/uptime
    now=${now%.*}${now#*.}
}

read_clock
budget_ends=$((now + budget * 100))

# kill_tree PID : the process and all that it has started
kill_tree() (
    for process in $(list_tree "$1"); do
        kill -9 "$process" 2>/dev/null
    done
)

list_tree() {
    echo "$1"
    for child in $(children_of "$1"); do
        list_tree "$child"
    done
}

children_of() { sed -n "s/^\([0-9]*\) (.*) [A-Za-z] $1 .*/\1/p" /proc/[0-9]*/stat 2>/dev/null; }

# run_to_deadline SECONDS NAME COMMAND... : leaves $scratch/NAME.{out,err} and sets exit_code, to "none" when the
# command was abandoned. A process that hangs in the kernel can't be killed or waited for, so its end is read from a
# file; the files are the command's own, since one that was abandoned may still write to them.
run_to_deadline() {
    read_clock
    until=$((now + $1 * 100))
    mine=$scratch/$2
    shift 2
    (
        ulimit -f 65536 # blocks of 512 bytes: output without end must not fill the node's disk
        "$@" >"$mine.out" 2>"$mine.err" </dev/null &
        wait $!
        echo $? >"$mine.part"
        mv "$mine.part" "$mine.code"
    ) >/dev/null 2>&1 &
    running=$!
    pause=0.01
    exit_code=none
    while [ ! -e "$mine.code" ]; do
        read_clock
        if [ "$now" -ge "$until" ]; then
            kill_tree "$running"
            running=''
            return
        fi
        sleep "$pause" 2>/dev/null || sleep 1
        [ "$pause" = 0.01 ] && pause=0.02 || pause=0.05
    done
    running=''
    read -r exit_code <"$mine.code"
}

# look [-t SECONDS] NAME COMMAND... : runs the command to its deadline and prints what it did. One that the budget cuts
# short prints no record, so that a command on record always had its whole time.
look() {
    seconds=$deadline
    if [ "$1" = -t ]; then
        seconds=$2
        shift 2
    fi
    record=$1
    shift
    read_clock
    started=$now
    left=$(((budget_ends - started) / 100))
    exit_code=none
    if [ "$left" -ge "$seconds" ]; then
        run_to_deadline "$seconds" "$record" "$@"
    else
        [ "$left" -lt 1 ] || run_to_deadline "$left" "$record" "$@"
        if [ "$exit_code" = none ]; then
            out_of_time="$out_of_time $record"
            [ "$format" = encoded ] || printf '\n== %s: the %s s for all were used up\n' "$record" "$budget"
            return
        fi
    fi
    read_clock
    took=$((now - started))
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
    emit_stream out "$scratch/$record.out"
    emit_stream err "$scratch/$record.err"
    printf '@gpu.k8s end %s\n' "$record"
}

emit_stream() {
    printf '@gpu.k8s std%s ' "$1"
    if [ ! -s "$2" ]; then
        echo 'whole '
        return
    fi
    [ "$(wc -c <"$2")" -gt "$output_limit" ] && printf 'cut_off ' || printf 'whole '
    head -c "$output_limit" "$2" | "encode_$encoding"
    echo
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
    has_room "$scratch" || return 0 # without its last line a transcript proves nothing
    [ -z "$out_of_time" ] || printf '@gpu.k8s out_of_time %s%s\n' "$budget" "$out_of_time"
    printf '@gpu.k8s complete %s\n' "$records"
}

# ---- the driver layer. The kernel's own facts come first: nvidia-smi, run by root, loads modules
# ---- and makes device nodes, so that it can hide what was missing.

driver_root=/run/nvidia/driver # where the GPU Operator's driver container shows its file system

# What kind of machine this is: WSL has /dev/dxg, Tegra names its family.
show_platform() {
    cat /proc/version
    [ -e /dev/dxg ] && echo /dev/dxg
    for file in /sys/devices/soc0/family /sys/class/dmi/id/product_name /etc/nv_tegra_release; do
        [ -r "$file" ] && printf '%s: %s\n' "$file" "$(head -n 1 "$file")"
    done
    for node in /dev/nvhost-gpu /dev/nvhost-ctrl-gpu /dev/nvgpu/igpu0; do
        [ -e "$node" ] && echo "$node"
    done
    return 0
}

# Every display or 3D device, and NVIDIA's bridges, which are NVSwitches.
list_pci_gpus_and_switches() {
    for device in /sys/bus/pci/devices/*; do
        [ -r "$device/class" ] || continue
        read -r class <"$device/class"
        read -r vendor <"$device/vendor"
        case $class$vendor in 0x03* | 0x0680??0x10de) ;; *) continue ;; esac
        read -r id <"$device/device"
        driver=none
        [ -h "$device/driver" ] && driver=$(readlink "$device/driver") && driver=${driver##*/}
        function=physical
        [ -h "$device/physfn" ] && function=virtual
        printf '%s vendor=%s device=%s class=%s driver=%s function=%s\n' \
            "${device##*/}" "$vendor" "$id" "$class" "$driver" "$function"
    done
    [ -d /sys/bus/pci/devices ]
}

list_loaded_modules() {
    for module in nvidia nvidia_uvm nvgpu nouveau nova_core vfio_pci; do
        [ -d "/sys/module/$module" ] && echo "$module"
    done
    [ -d /sys/module ]
}

# Debian calls it nvidia-current.
show_module_on_disk() { modinfo nvidia || modinfo nvidia-current; }

# Asked only where the module is not loaded: which kernels it was built for, and what may keep it out.
list_module_builds() {
    for folder in /lib/modules/*; do
        find "$folder" \( -name 'nvidia.ko*' -o -name 'nvidia-current.ko*' \) 2>/dev/null | head -n 1
    done
    [ -d /lib/modules ]
}

show_module_signing() {
    for variable in /sys/firmware/efi/efivars/SecureBoot-*; do # its fifth byte is 1 where Secure Boot is on
        [ -r "$variable" ] && printf 'secure_boot %s\n' "$(od -An -tu1 "$variable" | tr -s ' \n' ' ' | cut -d ' ' -f 6)"
    done
    for file in /sys/kernel/security/lockdown /sys/module/module/parameters/sig_enforce; do
        [ -r "$file" ] && printf '%s %s\n' "${file##*/}" "$(cat "$file")"
    done
    return 0
}

list_gpus_in_kernel() {
    for gpu in /proc/driver/nvidia/gpus/*; do
        [ -r "$gpu/information" ] || continue
        echo "${gpu##*/}"
        cat "$gpu/information"
    done
    [ -d /proc/driver/nvidia/gpus ]
}

list_device_nodes() {
    for folder in /dev "$driver_root/dev"; do
        ls -ln "$folder"/nvidia* 2>/dev/null
    done
    [ -d /dev ]
}

# list_libraries NAME: what the loader or a vendor's root offers as NAME, and, without an arrow, every version
# that lies beside it.
list_libraries() {
    {
        ldconfig -p 2>/dev/null | sed -n "s/.*$1 .*=> //p"
        for folder in /usr/lib/*-linux-gnu /usr/lib64 /usr/lib /run/opengl-driver/lib /usr/lib/wsl/lib \
            "$driver_root"/usr/lib/*-linux-gnu "$driver_root/usr/lib64" \
            /home/kubernetes/bin/nvidia/lib64 /usr/local/nvidia/lib64 /opt/nvidia/lib64 /var/lib/nvidia/lib64; do
            [ -e "$folder/$1" ] && printf '%s\n' "$folder/$1"
        done
    } | sort -u | while read -r library; do
        printf '%s -> %s\n' "$library" "$(readlink -f "$library")"
        ls -d "${library%.1}".[0-9]*.* 2>/dev/null
    done
}

# The driver's programs that stay in the background. The kernel cuts their names after 15 characters.
list_driver_processes() {
    for process in /proc/[0-9]*; do
        read -r name 2>/dev/null <"$process/comm" || continue
        case $name in nv-fabricmanage* | nvidia-persiste* | nvidia-gridd | nvlsm)
            printf '%s %s\n' "$name" "${process#/proc/}"
            ;;
        esac
    done
    [ -r /proc/1/comm ]
}

# What the kernel said of NVIDIA's modules since it booted; the first line says where it was read. The kernel's own
# buffer may have lost the beginning, which the journal then still has.
list_kernel_messages() {
    whole=$scratch/kernel_log.whole
    if dmesg >"$whole" && grep -q 'Linux version' "$whole"; then
        echo 'dmesg, from boot on'
    elif journalctl --dmesg --boot --no-pager --output=cat >"$whole" 2>/dev/null && [ -s "$whole" ]; then
        echo 'journal of this boot'
    elif dmesg >"$whole"; then
        echo 'dmesg, which has lost its beginning'
    else
        return 1
    fi
    grep -E 'NVRM|unavailable key|unsigned module|rejected by service|request_free_mem_region' "$whole" | tail -n 400
    rm -f "$whole"
}

# with_nvidia_smi FUNCTION : calls it with the words that start nvidia-smi on this node.
with_nvidia_smi() {
    if [ -x "$driver_root/usr/bin/nvidia-smi" ]; then
        "$1" chroot "$driver_root" nvidia-smi
        return
    fi
    if [ ! -x /usr/bin/nvidia-smi ]; then
        for root in /home/kubernetes/bin/nvidia /usr/local/nvidia /opt/nvidia /var/lib/nvidia; do
            if [ -x "$root/bin/nvidia-smi" ] && [ -e "$root/lib64/libnvidia-ml.so.1" ]; then
                "$1" env "LD_LIBRARY_PATH=$root/lib64" "$root/bin/nvidia-smi"
                return
            fi
        done
        if [ -x /usr/lib/wsl/lib/nvidia-smi ]; then
            "$1" /usr/lib/wsl/lib/nvidia-smi
            return
        fi
    fi
    "$1" nvidia-smi
}

# A query of many fields fails as a whole where the driver is too old for one of them: hence the groups.
# Once nvidia-smi did not answer it is not asked again, since each process that hangs in the kernel stays.
ask_nvidia_smi() {
    look nvidia_smi_list "$@" -L
    [ "$exit_code" = 0 ] || return
    look nvidia_smi_query "$@" \
        --query-gpu=index,uuid,pci.bus_id,name,driver_version,memory.total --format=csv,noheader
    [ "$exit_code" = 0 ] || return
    look nvidia_smi_health "$@" "--query-gpu=$health_fields" --format=csv,noheader
    [ "$exit_code" = none ] && return
    look nvidia_smi_recovery "$@" --query-gpu=uuid,fabric.state,fabric.status,gpu_recovery_action \
        --format=csv,noheader
    if [ "$exit_code" != 0 ] && [ "$exit_code" != none ]; then
        look nvidia_smi_fabric "$@" --query-gpu=uuid,fabric.state,fabric.status --format=csv,noheader
    fi
    [ "$exit_code" = none ] && return
    # A virtual GPU carries its profile in its name, and needs a licence.
    if grep -q '[-][0-9]*[QCBA] (UUID: ' "$scratch/nvidia_smi_list.out"; then
        look nvidia_smi_details "$@" -q
    fi
    # In a confidential virtual machine the GPUs wait to be declared ready.
    for guest in /dev/sev-guest /dev/tdx_guest /dev/tdx-guest; do
        if [ -e "$guest" ]; then
            look confidential_status "$@" conf-compute -f
            look confidential_ready "$@" conf-compute -grs
            break
        fi
    done
}

health_fields=uuid,mig.mode.current,mig.mode.pending,compute_mode,persistence_mode
health_fields=$health_fields,ecc.errors.uncorrected.volatile.total,retired_pages.pending
health_fields=$health_fields,remapped_rows.pending,remapped_rows.failure

has_nvswitch() { grep -q 'vendor=0x10de .*class=0x0680' "$scratch/pci_devices.out" 2>/dev/null; }

probe_driver() {
    look user id
    look kernel_release uname -r
    look boot_id cat /proc/sys/kernel/random/boot_id
    look machine_id cat /etc/machine-id
    look platform show_platform
    look pci_devices list_pci_gpus_and_switches
    look loaded_modules list_loaded_modules
    look module_on_disk show_module_on_disk
    look module_version cat /sys/module/nvidia/version
    if [ "$exit_code" != 0 ]; then
        look module_builds list_module_builds
        look module_signing show_module_signing
    fi
    look proc_driver_version cat /proc/driver/nvidia/version
    look module_parameters cat /proc/driver/nvidia/params
    look uvm_disable_hmm cat /sys/module/nvidia_uvm/parameters/uvm_disable_hmm
    look gpus_in_kernel list_gpus_in_kernel
    look device_majors cat /proc/devices
    look device_nodes list_device_nodes
    look nvml_libraries list_libraries libnvidia-ml.so.1
    look cuda_libraries list_libraries libcuda.so.1
    look driver_processes list_driver_processes
    look -t 5 kernel_log list_kernel_messages
    if has_nvswitch; then
        look fabric_manager_version nv-fabricmanager --version
    fi
    with_nvidia_smi ask_nvidia_smi
    look device_nodes_after list_device_nodes
    look module_version_after cat /sys/module/nvidia/version
}

begin_transcript
if wanted driver; then probe_driver; fi
