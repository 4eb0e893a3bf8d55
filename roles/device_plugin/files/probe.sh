# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the device plugin layer looks at on a node; it needs the functions of the driver's probe before it:
#   cat driver/files/probe.sh device_plugin/files/probe.sh | ssh NODE sudo sh -s

kubelet_folder=${GPU_K8S_KUBELET_FOLDER:-/var/lib/kubelet}

probe_device_plugin() {
    look kubelet_checkpoint cat "$kubelet_folder/device-plugins/kubelet_internal_checkpoint"
    look plugin_sockets ls -l "$kubelet_folder/device-plugins"
}

if wanted device_plugin; then probe_device_plugin; fi
