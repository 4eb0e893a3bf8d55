# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the toolkit layer looks at on a node; it needs the functions of the driver's probe before it:
#   cat driver/files/probe.sh toolkit/files/probe.sh | ssh NODE sudo sh -s
#
# Its end is an experiment: a minimal container apart from Kubernetes, through the runtime that the
# kubelet uses, which asks for one GPU by UUID, and a control that asks for none. Both are removed.

: "${scratch:?the probe of the driver layer has to come first}"
image=${GPU_K8S_IMAGE:-}                      # full reference; it must be on the node already
runtime_handler=${GPU_K8S_RUNTIME_HANDLER:-nvidia}
nonce=${GPU_K8S_NONCE:-$$}
containerd_socket=/run/containerd/containerd.sock
cdi_folders='/etc/cdi /var/run/cdi'

list_cdi_specs() {
    for folder in $cdi_folders; do
        for spec in "$folder"/*.yaml "$folder"/*.json; do
            [ -f "$spec" ] && ls -l "$spec"
        done
    done
    return 0
}

# The handlers that the running daemon has loaded, one a line: name, binary.
list_loaded_handlers() {
    crictl info -o go-template --template "$(cat <<'EOF'
{{range $name, $runtime := .config.containerd.runtimes}}{{$name}} {{with $runtime.options}}{{.BinaryName}}{{end}}
{{end}}
EOF
    )"
}

handler_binary() {
    while read -r name binary; do
        [ "$name" = "$1" ] && printf '%s' "$binary"
    done <"$scratch/loaded_handlers.out"
}

first_gpu() {
    sed -n 's/^GPU [0-9]*: .*(UUID: \(GPU-[0-9a-f-]*\)).*/\1/p' "$scratch/gpu_list.out" | head -n 1
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
echo "end $0"
exit "$code"
EOF
)

# run_container NAME OPTION... : the options say how the GPU is asked for.
run_container() {
    container=$1
    shift
    ctr -n k8s.io run --rm "$@" "$image" "$container" /bin/sh -c "$inside" "$nonce"
}

# `ctr run --rm` removes the container itself, but not when it was abandoned.
remove_container() {
    ctr -n k8s.io tasks kill --signal SIGKILL "$1" >/dev/null 2>&1 &&
        ctr -n k8s.io tasks delete "$1" >/dev/null 2>&1
    ctr -n k8s.io containers delete "$1" >/dev/null 2>&1
    ctr -n k8s.io snapshots delete "$1" >/dev/null 2>&1
}

clean_up() {
    [ -n "${experiment:-}" ] || return 0
    run_to_deadline 20 clean_gpu remove_container "$experiment-gpu"
    run_to_deadline 20 clean_control remove_container "$experiment-control"
}

experiment_with_containerd() {
    gpu=$(first_gpu)
    wrapper=$(handler_binary "$runtime_handler")
    [ -n "$gpu" ] && [ -n "$image" ] && [ -s "$scratch/image.out" ] || return 0
    experiment=gpu-k8s-$nonce
    if [ -n "$wrapper" ]; then
        look -t 60 gpu_container run_container "$experiment-gpu" --runc-binary "$wrapper" \
            --env "NVIDIA_VISIBLE_DEVICES=$gpu" --env NVIDIA_DRIVER_CAPABILITIES=utility
        look -t 60 control_container run_container "$experiment-control" --runc-binary "$wrapper" \
            --env NVIDIA_VISIBLE_DEVICES=void
    elif [ -s "$scratch/cdi_specs.out" ]; then
        look -t 60 gpu_container run_container "$experiment-gpu" --device "nvidia.com/gpu=$gpu"
        look -t 60 control_container run_container "$experiment-control"
    fi
}

probe_toolkit() {
    look containerd_socket ls -l "$containerd_socket"
    look runtime_version crictl version
    look runtime_config crictl info
    look loaded_handlers list_loaded_handlers
    look toolkit_version nvidia-ctk --version
    look toolkit_config cat /etc/nvidia-container-runtime/config.toml
    look cdi_specs list_cdi_specs
    look gpu_list nvidia-smi -L
    look image ctr -n k8s.io images list -q "name==$image"
    experiment_with_containerd
}

if wanted toolkit; then probe_toolkit; fi
