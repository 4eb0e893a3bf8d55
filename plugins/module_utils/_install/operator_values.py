# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Installing the GPU Operator: which of its parts stay off, and what each platform needs set.

What the node's image or somebody else brings stays off, so that there is never a second one. Sources: NVIDIA's pages
of the operator for GKE, EKS, AKS, MicroK8s and preinstalled drivers; Talos' and RKE2's pages on NVIDIA GPUs.
"""

from __future__ import annotations

import typing as t
from collections.abc import Mapping, Sequence

from .consent import nobody_owns, nothing_is_replaced
from .presence import Ground
from .wish import COMPONENTS, Component, Refusal, Wish

Values = dict[str, t.Any]

_SWITCHES: Mapping[Component, str] = {"driver": "driver", "toolkit": "toolkit", "device_plugin": "devicePlugin"}

# These wire up a toolkit that lies where the operator puts it; the operator has to be told where their containerd is.
_CONTAINERD: Mapping[str, Mapping[str, str]] = {
    "k3s": {
        "CONTAINERD_CONFIG": "/var/lib/rancher/k3s/agent/etc/containerd/config.toml",
        "CONTAINERD_SOCKET": "/run/k3s/containerd/containerd.sock",
    },
    "rke2": {
        "CONTAINERD_CONFIG": "/var/lib/rancher/rke2/agent/etc/containerd/config.toml",
        "CONTAINERD_SOCKET": "/run/k3s/containerd/containerd.sock",
    },
    "microk8s": {
        "CONTAINERD_CONFIG": "/var/snap/microk8s/current/args/containerd-template.toml",
        "CONTAINERD_SOCKET": "/var/snap/microk8s/common/run/containerd.sock",
    },
}
_GKE_ROOT = "/home/kubernetes/bin/nvidia"
_TALOS_ROOT = "/usr/local"


def operator_values(wish: Wish, grounds: Sequence[Ground]) -> tuple[Values, list[Refusal]]:
    """Return the values that serve all hosts, or why there are none."""
    refusals = [refusal for ground in grounds for refusal in _refusals(ground)]
    if refusals:
        return {}, refusals
    by_host = {ground.host: _values(wish, ground) for ground in grounds}
    values = list(by_host.values())
    if any(one != values[0] for one in values):
        return {}, [_differ(by_host)]
    return (values[0] if values else {}), []


def _refusals(ground: Ground) -> list[Refusal]:
    if ground.platform == "openshift":
        saw = f"{ground.node} is a Node of OpenShift, where the operator comes from OperatorHub"
        return [Refusal(ground.host, saw, "the operator is installed there by OpenShift's own means")]
    refusals = []
    for component in COMPONENTS:
        present = ground.present[component]
        if present.state == "works" or _is_the_operators(ground, component):
            continue
        owned = None if _wires_what_the_operator_brings(ground, component) else nobody_owns(ground, component)
        refusal = owned or nothing_is_replaced(ground, component)
        if refusal is None and component == "driver" and ground.platform == "gke":
            saw = "there is no driver, and the operator brings none on GKE"
            must_be = "GKE's own DaemonSet nvidia-driver-installer, or the node image, has installed it"
            refusal = Refusal(f"{ground.host}, driver", saw, must_be)
        if refusal:
            refusals.append(refusal)
    return refusals


def _is_the_operators(ground: Ground, component: Component) -> bool:
    """Whether the operator that this collection installed brings the component already."""
    return ground.by_our_operator and ground.present[component].owner.owner == "gpu-operator"


def _wires_what_the_operator_brings(ground: Ground, component: Component) -> bool:
    return component == "toolkit" and ground.present[component].owner.owner in _CONTAINERD


def _values(wish: Wish, ground: Ground) -> Values:
    """Return the values for one host on which nothing stands against them."""
    on = {name: _is_the_operators(ground, name) or ground.present[name].state != "works" for name in COMPONENTS}
    values: Values = {_SWITCHES[name]: {"enabled": on[name]} for name in COMPONENTS}
    if on["driver"] and wish.driver_module != "auto":
        values["driver"]["kernelModuleType"] = wish.driver_module
    environment = _CONTAINERD.get(ground.platform or "", {})
    if ground.platform == "gke":
        values["hostPaths"] = {"driverInstallDir": _GKE_ROOT}
        if on["toolkit"]:
            values["cdi"] = {"enabled": True}
            values["toolkit"]["installDir"] = _GKE_ROOT
            environment = {"RUNTIME_CONFIG_SOURCE": "file"}
    elif ground.platform == "talos":
        values["hostPaths"] = {"driverInstallDir": _TALOS_ROOT}
    elif ground.platform == "aks" and not on["toolkit"]:
        values["operator"] = {"runtimeClass": "nvidia-container-runtime"}
    if on["toolkit"] and environment:
        values["toolkit"]["env"] = [{"name": name, "value": value} for name, value in environment.items()]
    if ground.labels.get("kubernetes.azure.com/dcgm-exporter") == "enabled":
        values["dcgmExporter"] = {"enabled": False}
    if not ground.by_our_operator and any(name.startswith("feature.node.kubernetes.io/") for name in ground.labels):
        values["nfd"] = {"enabled": False}
    return values


def _differ(by_host: Mapping[str, Values]) -> Refusal:
    """Say which values differ, and for which hosts they are what."""
    told = []
    for key in dict.fromkeys(key for values in by_host.values() for key in values):
        hosts: dict[str, list[str]] = {}
        for host, values in by_host.items():
            hosts.setdefault(_in_words(values.get(key)), []).append(host)
        if len(hosts) > 1:
            told += [f"{key} {word} for {', '.join(names)}" for word, names in hosts.items()]
    must_be = "the hosts of gpu_k8s_hosts need the same of the operator, which has one set of values for a cluster"
    return Refusal("the GPU Operator", f"its hosts differ: {'; '.join(told)}", must_be)


def _in_words(value: t.Any) -> str:
    if value is None:
        return "not set"
    enabled = value.get("enabled")
    rest = {name: setting for name, setting in value.items() if name != "enabled"}
    switch = {True: "on", False: "off"}.get(enabled, "set to")
    return f"{switch} {rest}" if rest else switch
