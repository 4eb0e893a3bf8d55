# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the device plugin layer looks at on a node; it needs the functions of the driver's probe before it:
#   cat driver/files/probe.sh device_plugin/files/probe.sh | ssh NODE sudo sh -s
#
# It only reads.

: "${scratch:?the probe of the driver layer has to come first}" "${now:?}"
kubelet_folder=${GPU_K8S_KUBELET_FOLDER:-/var/lib/kubelet}
pod_logs=/var/log/pods
plugin_units='nvidia-device-plugin.service nvidia-k8s-device-plugin.service' # where the OS image brings the plugin

# The process that is this machine's kubelet; a container may hold another one, in a PID namespace of its own.
kubelet_process() {
    here=$(readlink /proc/self/ns/pid)
    for folder in /proc/[0-9]*; do
        read -r name 2>/dev/null <"$folder/comm" || continue
        case $name in kubelet | kubelite | k3s-server | k3s-agent) ;; *) continue ;; esac
        [ "$(readlink "$folder/ns/pid" 2>/dev/null)" = "$here" ] && echo "${folder#/proc/}" && return
    done
}

# seconds_of PID : how long the process has been running
seconds_of() {
    read -r stat <"/proc/$1/stat" || return
    # shellcheck disable=SC2086 # the fields after the name, which may hold blanks; the 20th is the start in 1/100 s
    set -- ${stat##*) }
    read_clock
    echo $(((now - ${20}) / 100))
}

sockets_of_kubelet() { cat "/proc/${kubelet:-self}/net/unix"; }

# The folder of the socket that the kubelet listens on; --root-dir moves it.
find_plugin_folder() {
    heard=$(sockets_of_kubelet 2>/dev/null | sed -n 's|^[^ ]* [^ ]* [^ ]* 00010000 .* \(/.*\)/kubelet\.sock$|\1|p' |
        grep 'device-plugin' | head -n 1)
    plugin_folder=${heard:-$kubelet_folder/device-plugins}
}

describe_kubelet_process() {
    echo "now $(date +%s)"
    [ -n "$kubelet" ] || return 0
    read -r name <"/proc/$kubelet/comm"
    printf 'process %s\nseconds %s\nfolder %s\n' "$name" "$(seconds_of "$kubelet")" "$kubelet_folder"
    [ -z "$heard" ] || echo "listens $heard"
}

# One line a plugin's socket: its name, and "connected" where the kubelet has an open connection to it. A plugin may
# know the folder by another path than the kubelet.
list_plugin_sockets() {
    [ -r "$plugin_folder" ] && sockets_of_kubelet >"$scratch/unix" || return
    for socket in "$plugin_folder"/*.sock; do
        name=${socket##*/}
        [ -S "$socket" ] && [ "$name" != kubelet.sock ] || continue
        state=idle
        grep -q "^[^ ]* [^ ]* [^ ]* 00000000 .* 03  *[0-9]* .*/$name\$" "$scratch/unix" && state=connected
        echo "$name $state"
    done
}

# The folders of logs of containers that hand out GPUs, by the names of their Namespace, Pod or their own.
plugin_log_folders() {
    for folder in "$pod_logs"/*/*; do
        case ${folder#"$pod_logs"} in
            *device-plugin* | *gpu-plugin*) [ -d "$folder" ] && echo "$folder" ;;
        esac
    done
}

# The newest log of each of them: a line that names it, and its end. The settings that the plugin prints in many lines
# are left out.
show_plugin_logs() {
    [ -d "$pod_logs" ] || return
    plugin_log_folders | head -n 12 | while read -r folder; do
        newest=-1
        for log in "$folder"/*.log; do # they are numbered, one for each start
            number=${log##*/}
            number=${number%.log}
            case $number in *[!0-9]*) continue ;; esac
            [ -s "$log" ] && [ "$number" -gt "$newest" ] && newest=$number
        done
        [ "$newest" -ge 0 ] || continue
        pod=${folder%/*}
        printf '@log %s %s\n' "${pod##*/}" "${folder##*/}"
        tail -n 200 "$folder/$newest.log" | sed '/^[^ ]* [a-z]* [FP] [ {}]/d; /^[^ ]* [a-z]* [FP] *$/d; s/ *$//' | tail -n 60 | cut -c 1-400
    done
}

show_plugin_units() {
    # shellcheck disable=SC2086 # the names are words
    systemctl show --property=Id,LoadState,ActiveState,SubState,ExecMainStatus $plugin_units
}

show_unit_logs() {
    # shellcheck disable=SC2086
    set -- $plugin_units
    journalctl --boot --no-pager --output=short-unix --lines=60 --unit="$1" --unit="$2"
}

probe_device_plugin() {
    look boot_id cat /proc/sys/kernel/random/boot_id
    kubelet=$(kubelet_process)
    find_plugin_folder
    look kubelet_checkpoint cat "$plugin_folder/kubelet_internal_checkpoint"
    look plugin_sockets ls -l "$plugin_folder"
    look kubelet_process describe_kubelet_process
    look plugin_connections list_plugin_sockets
    look plugin_logs show_plugin_logs
    if command -v systemctl >/dev/null; then
        look plugin_units show_plugin_units
        if grep -q '^LoadState=loaded' "$scratch/plugin_units.out"; then look plugin_unit_logs show_unit_logs; fi
    fi
}

if wanted device_plugin; then probe_device_plugin; fi
