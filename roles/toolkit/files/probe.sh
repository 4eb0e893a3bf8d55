# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the toolkit layer looks at on a node; it needs the functions of the driver's probe before it:
#   cat driver/files/probe.sh toolkit/files/probe.sh | ssh NODE sudo sh -s
#
# Its end is an experiment: a minimal container apart from Kubernetes, through the runtime that the
# kubelet uses, which asks for one GPU, and a control that asks for none. Both are removed.

: "${scratch:?the probe of the driver layer has to come first}"
image=${GPU_K8S_IMAGE:-}                   # full reference
pull=${GPU_K8S_PULL:-no}                   # yes: pull the image if it is not on the node
runtime_handler=${GPU_K8S_RUNTIME_HANDLER:-nvidia}
nonce=${GPU_K8S_NONCE:-$$}
PATH=$PATH:/var/lib/rancher/rke2/bin:/snap/bin

# ---- which runtime serves the kubelet

# processes NAME... : those of this machine; a container may hold a kubelet of its own, in another PID namespace.
processes() {
    here=$(readlink /proc/self/ns/pid)
    for folder in /proc/[0-9]*; do
        read -r name 2>/dev/null <"$folder/comm" || continue
        case " $* " in *" $name "*) ;; *) continue ;; esac
        [ "$(readlink "$folder/ns/pid" 2>/dev/null)" = "$here" ] && echo "${folder#/proc/}"
    done
}

# Reads words, one a line, and prints the options among them as name=value, also those that were given as two words.
options() {
    option=''
    while read -r word; do
        name=${word#-}
        name=${name#-}
        case $word in
            -*=*) printf '%s\n' "$name" ;;
            -*) option=$name ;;
            ?*)
                if [ -n "$option" ]; then printf '%s=%s\n' "$option" "$word"; fi
                option=''
                ;;
        esac
    done
}

# value_of NAME FILE : the first NAME=value
value_of() { sed -n "s/^$1=//p" "$2" | head -n 1; }

options_of_process() { tr '\000' '\n' <"/proc/$1/cmdline" 2>/dev/null | options; }

# kubelet_field FIELD OPTION FILE : a field of a KubeletConfiguration, by the name of the option that means the same
kubelet_field() {
    sed -n "s/^[[:space:]]*[\"']\{0,1\}$1[\"']\{0,1\}[[:space:]]*:[[:space:]]*[\"']\{0,1\}\([^\"',]*\).*/$2=\1/p" "$3"
}

# What the running kubelet was told; what is first counts. k3s and MicroK8s have it in a process of their own.
describe_kubelet() {
    kubelet=$(processes kubelet kubelite k3s-server k3s-agent | head -n 1)
    [ -n "$kubelet" ] || return 0
    read -r process_name <"/proc/$kubelet/comm"
    given=$scratch/kubelet_options
    options_of_process "$kubelet" >"$given"
    arguments=$(value_of kubelet-args-file "$given")
    if [ -r "$arguments" ]; then
        tr ' ' '\n' <"$arguments" | sed 's|[$]{SNAP_COMMON}|/var/snap/microk8s/common|' | options >>"$given"
    fi
    printf 'process=%s\n' "$process_name"
    sed -n '/^container-runtime-endpoint=/p; /^cpu-manager-policy=/p; /^cgroup-driver=/p' "$given"
    drop_ins=$(value_of config-dir "$given")
    for file in "${drop_ins:-/nowhere}"/*.conf "$(value_of config "$given")"; do
        [ -r "$file" ] || continue
        kubelet_field containerRuntimeEndpoint container-runtime-endpoint "$file"
        kubelet_field cpuManagerPolicy cpu-manager-policy "$file"
        kubelet_field cgroupDriver cgroup-driver "$file"
    done
    case $process_name in k3s-*) echo container-runtime-endpoint=unix:///run/k3s/containerd/containerd.sock ;; esac
}

choose_runtime() {
    socket=$(value_of container-runtime-endpoint "$scratch/kubelet.out")
    socket=${socket#unix://}
    for candidate in /run/containerd/containerd.sock /run/k3s/containerd/containerd.sock /run/k0s/containerd.sock \
        /var/snap/microk8s/common/run/containerd.sock /run/crio/crio.sock /run/cri-dockerd.sock; do
        [ -z "$socket" ] && [ -S "$candidate" ] && socket=$candidate
    done
    case $socket in
        '') runtime=none ;;
        *crio*) runtime=crio ;;
        *docker*) runtime=docker ;;
        *) runtime=containerd ;;
    esac
    distribution=plain
    case $socket in
        */microk8s/*) distribution=microk8s ;;
        */k0s/*) distribution=k0s ;;
        */k3s/*)
            distribution=k3s
            [ -x /var/lib/rancher/rke2/bin/ctr ] && ! grep -q '^process=k3s' "$scratch/kubelet.out" && distribution=rke2
            ;;
    esac
    choose_daemon
}

# The containerd that listens on the socket, and the file that it reads; another one may run beside it.
choose_daemon() {
    daemon='' daemon_config=''
    [ "$runtime" = containerd ] || return 0
    inode=$(sed -n "s|^.* \([0-9][0-9]*\) \(/var\)\{0,1\}${socket#/var}\$|\1|p" /proc/net/unix | head -n 1)
    for process in $(processes containerd); do
        ls -l "/proc/$process/fd" >"$scratch/open_files" 2>/dev/null
        grep -q "socket:\[${inode:-none}\]" "$scratch/open_files" || continue
        daemon=$(readlink "/proc/$process/exe")
        [ -x "${daemon%/*}/containerd" ] && daemon=${daemon%/*}/containerd # k3s: one program under many names
        options_of_process "$process" >"$scratch/daemon_options"
        daemon_config=$(value_of config "$scratch/daemon_options")
        daemon_config=${daemon_config:-$(value_of c "$scratch/daemon_options")}
        daemon_config=${daemon_config:-/etc/containerd/config.toml}
        return 0
    done
}

describe_runtime() {
    printf 'runtime %s\nsocket %s\ndistribution %s\n' "$runtime" "$socket" "$distribution"
    printf 'daemon %s\nconfig %s\nuser %s\n' "$daemon" "$daemon_config" "$(id -u)"
    if [ -S "$socket" ]; then echo 'socket_is there'; else echo 'socket_is missing'; fi
    for tool in $(tools); do
        command -v "$tool" >/dev/null || echo "missing $tool"
    done
}

tools() {
    case $runtime/$distribution in
        containerd/k3s) echo k3s ;;
        containerd/microk8s) echo microk8s crictl ;;
        containerd/k0s) echo k0s crictl ;;
        containerd/*) echo ctr crictl ;;
        crio/*) echo crio podman ;;
        docker/*) echo docker ;;
    esac
}

# The distribution's own clients fit its daemon.
ctr_here() {
    case $distribution in
        k3s | k0s | microk8s) "$distribution" ctr --address "$socket" --namespace k8s.io "$@" ;;
        rke2) /var/lib/rancher/rke2/bin/ctr --address "$socket" --namespace k8s.io "$@" ;;
        *) ctr --address "$socket" --namespace k8s.io "$@" ;;
    esac
}

crictl_here() {
    case $distribution in
        k3s) k3s crictl --runtime-endpoint "unix://$socket" --timeout 10s "$@" ;;
        rke2) /var/lib/rancher/rke2/bin/crictl --runtime-endpoint "unix://$socket" --timeout 10s "$@" ;;
        *) crictl --runtime-endpoint "unix://$socket" --timeout 10s "$@" ;;
    esac
}

# ---- what the running daemon has loaded, and what is on disk

runtime_version() {
    case $runtime in
        docker) docker version --format 'RuntimeName:  docker{{println}}RuntimeVersion:  {{.Server.Version}}' ;;
        *) crictl_here version ;;
    esac
}

# What CRI-O runs with, in TOML; `crio config` would show what is on disk.
crio_config() { crio status --socket "$socket" config || crio-status --socket "$socket" config; }

# One line a handler: name, binary.
list_loaded_handlers() {
    case $runtime in
        docker) docker info --format '{{range $name, $runtime := .Runtimes}}{{$name}} {{$runtime.Path}}{{println}}{{end}}' ;;
        crio)
            crio_config >"$scratch/crio_config" || return
            sed -n 's/^ *\[crio\.runtime\.runtimes\.\([^].]*\)\].*/handler \1/p; s/^ *runtime_path = "\(.*\)"/path \1/p' \
                "$scratch/crio_config" | while read -r word value; do
                case $word in
                    handler) name=$value ;;
                    path) [ -z "${name:-}" ] || echo "$name $value" ;;
                esac
            done
            ;;
        *)
            crictl_here info -o go-template --template "$(cat <<'EOF'
{{range $name, $runtime := .config.containerd.runtimes}}{{$name}} {{with $runtime.options}}{{index . "BinaryName"}}{{end}}
{{end}}
EOF
            )"
            ;;
    esac
}

# One line a setting: name, value. What this version does not have is empty or "<no value>".
list_loaded_settings() {
    case $runtime in
        docker)
            docker info --format 'default_runtime {{.DefaultRuntime}}{{println}}cgroup_driver {{.CgroupDriver}}'
            docker info --format '{{range .CDISpecDirs}}cdi_folder {{.}}{{println}}{{end}}' 2>/dev/null
            return 0
            ;;
        crio)
            sed -n 's/^ *default_runtime = "\(.*\)"/default_runtime \1/p; s/^ *cgroup_manager = "\(.*\)"/cgroup_driver \1/p' \
                "$scratch/crio_config"
            ;;
        *)
            crictl_here info -o go-template --template "$(cat <<'EOF'
{{with .config}}enable_cdi {{index . "enableCDI"}}
{{range index . "cdiSpecDirs"}}cdi_folder {{.}}
{{end}}{{with index . "cni"}}cni_config {{index . "confDir"}}
cni_programs {{index . "binDir"}}
{{range index . "binDirs"}}cni_programs {{.}}
{{end}}{{end}}{{with index . "containerd"}}default_runtime {{index . "defaultRuntimeName"}}
snapshotter {{index . "snapshotter"}}
{{range $name, $runtime := index . "runtimes"}}systemd_cgroup {{$name}} {{with $runtime.options}}{{index . "SystemdCgroup"}}{{end}}
{{end}}{{end}}{{end}}
EOF
            )"
            ;;
    esac
}

# What the same containerd would load now. Only the lines that are judged: the rest may hold passwords of registries.
show_config_on_disk() {
    "$daemon" --config "$daemon_config" config dump >"$scratch/config_dump" || return
    grep -E '^ *\[|^(version|imports|disabled_plugins) = |^ *(BinaryName|default_runtime_name) = ' "$scratch/config_dump" |
        grep -v '\.registry'
}

# Files that a containerd, CRI-O or Docker may read, and the templates that distributions make such files of.
# "defines": the handler is in it; "base": it includes what the distribution finds by itself.
list_handler_files() {
    for file in /etc/containerd/config.toml /etc/containerd/conf.d/*.toml /etc/containerd/config.d/*.toml \
        /var/lib/rancher/*/agent/etc/containerd/config.toml /var/lib/rancher/*/agent/etc/containerd/*.tmpl \
        /var/lib/rancher/*/agent/etc/containerd/*.toml.d/*.toml \
        /var/snap/microk8s/current/args/containerd.toml /var/snap/microk8s/current/args/containerd-template.toml \
        /etc/k0s/containerd.toml /etc/k0s/containerd.d/*.toml \
        /etc/crio/crio.conf /etc/crio/crio.conf.d/* /etc/crio/conf.d/* /etc/docker/daemon.json; do
        [ -r "$file" ] || continue
        word=other
        grep -q 'template "base"' "$file" && word=base
        grep -q "runtimes\.[\"']\{0,1\}${runtime_handler}[\"']\{0,1\}[].]" "$file" && word=defines
        case $file in */daemon.json) grep -q "\"$runtime_handler\"[[:space:]]*:" "$file" && word=defines ;; esac
        echo "$word $file"
    done
}

# The first network configuration and the programs that it may name.
show_cni() {
    config_folder=$(sed -n 's/^cni_config \(\/.*\)/\1/p' "$scratch/loaded_settings.out")
    [ -n "$config_folder" ] || return 0
    sed -n 's/^cni_programs \(\/.*\)/\1/p' "$scratch/loaded_settings.out" | while read -r folder; do
        for program in "$folder"/*; do
            [ -x "$program" ] && echo "program ${program##*/}"
        done
    done
    for file in "$config_folder"/*.conf "$config_folder"/*.conflist "$config_folder"/*.json; do
        [ -f "$file" ] && printf '%s\n' "$file"
    done | sort | head -n 1 | while read -r file; do
        echo "config $file"
        sed 's/\("[^"]*token"[[:space:]]*:[[:space:]]*\)"[^"]*"/\1""/g' "$file"
    done
}

# ---- the toolkit

# The handler that hands out GPUs: the wanted one, else the default one where NVIDIA's runtime is the default.
choose_handler() {
    handler='' wrapper=''
    default=$(sed -n 's/^default_runtime //p' "$scratch/loaded_settings.out")
    while read -r name binary; do
        [ "$name" = "$runtime_handler" ] && handler=$name wrapper=$binary
        case $name/$binary in "$default"/*nvidia-container-runtime*) : "${handler:=$name}" "${wrapper:=$binary}" ;; esac
    done <"$scratch/loaded_handlers.out"
    toolkit_config=${wrapper%/*}/.config/nvidia-container-runtime/config.toml # the GPU Operator's
    [ -r "$toolkit_config" ] || toolkit_config=/etc/nvidia-container-runtime/config.toml
}

# toolkit_tool NAME... : the program beside the handler's own before one from the PATH
toolkit_tool() {
    case $wrapper in /*) PATH=${wrapper%/*}:$PATH ;; esac
    "$@"
}

# toolkit_setting NAME : a value of the toolkit's configuration, nothing if it is commented out
toolkit_setting() {
    [ ! -r "$toolkit_config" ] || sed -n "s/^[[:space:]]*$1[[:space:]]*=[[:space:]]*\"\{0,1\}\([^\"]*\)\"\{0,1\}[[:space:]]*\$/\1/p" "$toolkit_config" | head -n 1
}

cdi_folders() {
    loaded=$(sed -n 's/^cdi_folder \(\/.*\)/\1/p' "$scratch/loaded_settings.out")
    printf '%s\n' "${loaded:-/etc/cdi
/var/run/cdi}"
}

list_cdi_specs() {
    cdi_folders | while read -r folder; do
        for spec in "$folder"/*.yaml "$folder"/*.json; do
            [ -f "$spec" ] && printf '%s\n' "$spec"
        done
    done
    return 0
}

# cdi_values KEY WORD FILE : "WORD value" for each value of the key, in YAML or JSON
cdi_values() {
    sed 's/[{},]/\
/g' "$3" | sed -n "s/^[][[:space:]\"-]*$1\"\{0,1\}[[:space:]]*:[[:space:]]*\"\{0,1\}\([^\"]*\).*/$2 \1/p" | sort -u
}

# What each specification promises, and whether the files are there.
describe_cdi_specs() {
    while read -r spec; do
        echo "spec $spec"
        cdi_values cdiVersion version "$spec"
        cdi_values kind kind "$spec"
        cdi_values name device "$spec"
        cdi_values path path "$spec" | with_existence
        cdi_values hostPath host_path "$spec" | with_existence
    done <"$scratch/cdi_specs.out"
}

with_existence() {
    while read -r word file; do
        if [ -e "$file" ]; then echo "$word there $file"; else echo "$word missing $file"; fi
    done
}

describe_host() {
    for file in /dev/nvidia[0-9]* /dev/nvidia-uvm /dev/dxg /usr/share/containers/oci/hooks.d/*nvidia* \
        /etc/containers/oci/hooks.d/*nvidia* /run/containers/oci/hooks.d/*nvidia* /home/kubernetes/bin/nvidia; do
        [ -e "$file" ] && echo "file $file"
    done
    set -- /dev/char/195:*
    [ -e "$1" ] && echo "char_links $#"
    [ -r /sys/fs/selinux/enforce ] && echo "selinux $(cat /sys/fs/selinux/enforce)"
    return 0
}

list_gpus() { "$@" -L; }

# ---- the experiment

# Sets gpu, the UUID of the first whole GPU or else of the first MIG device. WSL can't single one out.
choose_gpu() {
    gpu='' mig='' number=0 gpu_number=0
    while read -r line; do
        uuid=${line##*UUID: }
        uuid=${uuid%%)*}
        case $line in
            'GPU '*UUID:\ GPU-*)
                [ -z "$gpu" ] || break
                gpu=$uuid gpu_number=$number number=$((number + 1))
                ;;
            *MIG*UUID:\ MIG-*) : "${mig:=$uuid}" && gpu='' ;;
        esac
    done <"$scratch/gpu_list.out"
    gpu=${gpu:-$mig}
    [ -z "$gpu" ] || [ ! -e /dev/dxg ] || gpu=all
}

# The kind of a specification for whole nodes, else that of the device plugin's own.
cdi_kind() {
    if ! grep -qx 'kind nvidia.com/gpu' "$scratch/cdi_contents.out" &&
        grep -qx 'kind k8s.device-plugin.nvidia.com/gpu' "$scratch/cdi_contents.out"; then
        printf k8s.device-plugin.
    fi
    echo nvidia.com/gpu
}

# The name that the CDI specification has for that GPU.
cdi_name() {
    if grep -qx "device $gpu" "$scratch/cdi_contents.out" || ! grep -qx "device $gpu_number" "$scratch/cdi_contents.out"; then
        echo "$gpu"
    else
        echo "$gpu_number"
    fi
}

# What the container runs: the nonces show that all of its output arrived.
inside=$(
    cat <<'EOF'
echo "begin $0"
nvidia-smi -L
code=$?
for device in /dev/nvidia[0-9]*; do
    [ -e "$device" ] && echo "device $device"
done
if [ -e /dev/nvidia-uvm ]; then echo "uvm there"; else echo "uvm missing"; fi
cuda=missing
while read -r _source target _rest; do
    case $target in *libcuda.so*) cuda=there ;; esac
done </proc/mounts
echo "libcuda $cuda"
echo "end $0"
sleep 0.1 2>/dev/null || : # ctr stops to copy when the container ends, on a busy node before its last lines
exit "$code"
EOF
)

# run_container NAME OPTION... : the options say how the GPU is asked for.
run_container() {
    name=$1
    shift
    case $runtime in
        docker)
            docker run ${handler:+--runtime "$handler"} --rm --pull=never --network none --name "$name" "$@" \
                --entrypoint /bin/sh "$image" -c "$inside" "$nonce"
            ;;
        crio) # its images are podman's, its containers are the kubelet's alone
            podman ${wrapper:+--runtime "$wrapper"} run --rm --pull=never --network none --name "$name" "$@" \
                --entrypoint /bin/sh "$image" -c "$inside" "$nonce"
            ;;
        *) # in a control group right below the root, so that no empty one above it is left behind
            ctr_here run --rm --cgroup "/$name" ${snapshotter:+--snapshotter "$snapshotter"} \
                ${wrapper:+--runc-binary "$wrapper"} "$@" "$image" "$name" /bin/sh -c "$inside" "$nonce"
            ;;
    esac
}

remove_container() {
    case $runtime in
        docker) docker rm --force "$1" ;;
        crio) podman rm --force "$1" ;;
        *)
            ctr_here tasks delete --force "$1"
            ctr_here containers delete "$1"
            ctr_here snapshots ${snapshotter:+--snapshotter "$snapshotter"} delete "$1"
            ;;
    esac
}

# A container that came to its end is removed already, by --rm.
clean_up() {
    [ -z "${left_over:-}" ] || run_to_deadline 20 clean_up remove_container "$left_over"
}

# try_container RECORD NAME OPTION...
try_container() {
    record_name=$1
    left_over=$2
    shift
    exit_code=none # look sets it
    look -t 30 "$record_name" run_container "$@"
    [ "$exit_code" = none ] || left_over=''
}

list_image() {
    case $runtime in
        docker) docker image inspect --format '{{.Id}}' "$image" ;;
        crio) podman image inspect --format '{{.Id}}' "$image" ;;
        *) ctr_here images list -q "name==$image" ;;
    esac
}

pull_image() {
    [ -z "$(list_image 2>/dev/null)" ] || return 0
    case $runtime in
        docker) docker pull --quiet "$image" ;;
        *) crictl_here pull "$image" ;; # with the kubelet's mirrors and credentials of the registry
    esac
}

choose_snapshotter() {
    snapshotter=''
    [ "$runtime" = containerd ] || return 0
    snapshotter=$(
        {
            sed -n 's/^snapshotter \([a-z].*\)/\1/p' "$scratch/loaded_settings.out"
            [ ! -r "$scratch/config_dump" ] || sed -n "s/^ *snapshotter = [\"']\([^\"']\{1,\}\)[\"']/\1/p" "$scratch/config_dump"
        } | head -n 1
    )
}

# Sets way: as a device plugin would ask for a GPU, as far as this toolkit listens to it.
choose_way() {
    by_variable=$(toolkit_setting accept-nvidia-visible-devices-envvar-when-unprivileged)
    by_mount=$(toolkit_setting accept-nvidia-visible-devices-as-volume-mounts)
    way=variable
    case $wrapper in *nvidia*) ;; *) grep -q oci/hooks "$scratch/host.out" || way=cdi ;; esac
    if [ $way = variable ] && [ "$by_variable" = false ]; then
        if [ "$by_mount" = true ]; then way=mount; else way=cdi; fi
    fi
}

# Asks for a GPU, and then, as a control, for nothing.
experiment() {
    choose_gpu
    choose_way
    [ -n "$gpu" ] && [ -n "$image" ] && [ -s "$scratch/image.out" ] || return 0
    [ $way != cdi ] || [ -s "$scratch/cdi_specs.out" ] || return 0
    visible=$gpu
    [ "$(toolkit_setting mode)" != cdi ] || visible=$(cdi_name)
    folder=/var/run/nvidia-container-devices
    case $way in
        variable) set -- --env "NVIDIA_VISIBLE_DEVICES=$visible" ;;
        mount) set -- --env "NVIDIA_VISIBLE_DEVICES=$folder" "$(mount_option)" "$(mount_of "$folder/$visible")" ;;
        cdi) set -- --env NVIDIA_VISIBLE_DEVICES=void --device "$(cdi_kind)=$(cdi_name)" ;;
    esac
    try_container gpu_container "gpu-k8s-$nonce-gpu" "$@" --env NVIDIA_DRIVER_CAPABILITIES=compute,utility
    [ -z "$left_over" ] || return 0 # it hangs: another one would as well
    try_container control_container "gpu-k8s-$nonce-control" --env NVIDIA_VISIBLE_DEVICES=void
}

mount_option() { if [ "$runtime" = containerd ]; then echo --mount; else echo --volume; fi; }

mount_of() {
    case $runtime in
        containerd) echo "type=bind,src=/dev/null,dst=$1,options=rbind:ro" ;;
        *) echo "/dev/null:$1:ro" ;;
    esac
}

probe_toolkit() {
    look boot_id cat /proc/sys/kernel/random/boot_id
    look kubelet describe_kubelet
    choose_runtime
    look runtime describe_runtime
    look runtime_version runtime_version
    look loaded_handlers list_loaded_handlers
    look loaded_settings list_loaded_settings
    [ -z "$daemon" ] || look config_on_disk show_config_on_disk
    look handler_files list_handler_files
    look cni show_cni
    choose_handler
    choose_snapshotter
    look toolkit_version toolkit_tool nvidia-ctk --version
    [ -z "$wrapper" ] || look wrapper_version toolkit_tool "$wrapper" --version
    look cli_version toolkit_tool nvidia-container-cli --version
    look toolkit_config cat "$toolkit_config"
    look cdi_specs list_cdi_specs
    look cdi_contents describe_cdi_specs
    look host describe_host
    look gpu_list with_nvidia_smi list_gpus
    [ "$pull" != yes ] || look -t 300 image_pull pull_image
    look image list_image
    experiment
}

if wanted toolkit; then probe_toolkit; fi
