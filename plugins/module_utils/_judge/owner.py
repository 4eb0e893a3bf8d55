# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who owns the driver, the toolkit and the device plugin of a Node, so that remedies are read with it.

Judged by objects of the cluster alone. An owner is told, and decides nothing.
"""

from __future__ import annotations

import typing as t
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

Object = Mapping[str, t.Any]

OWNED = ("driver", "toolkit", "device_plugin")
"""The layers that somebody may own who does not want them changed by hand."""

OWNERS = (
    "gpu-operator",
    "gke",
    "eks",
    "aks",
    "oke",
    "openshift",
    "k3s",
    "rke2",
    "microk8s",
    "talos",
    "bottlerocket",
    "nobody",
)
"""``nobody``: no vendor and no distribution, so whoever runs the node. Beside these there is ``unknown``."""


@dataclass(frozen=True)
class Owner:
    """Who owns a layer of a Node, and the sign of it in words."""

    owner: str
    because: str


def owners(evidence: Object) -> dict[str, Owner]:
    """Return the owner of each layer: as the user says, else the GPU Operator by its operands, else the platform."""
    kubernetes, given = evidence.get("kubernetes") or {}, evidence["expect"].get("owner") or {}
    node = kubernetes.get("node")
    told = {layer: Owner(str(given[layer]), "gpu_k8s_owner says so") for layer in OWNED if given.get(layer)}
    if not node:
        return {layer: told.get(layer) or Owner("unknown", "its Node is not known") for layer in OWNED}
    signs = _Signs.of(node, kubernetes.get("objects") or {})
    return {layer: told.get(layer) or _owner(layer, signs) for layer in OWNED}


def platform_of(evidence: Object) -> str | None:
    """Return the vendor or distribution whose Node this is, whatever it brings; None where there is no sign of one."""
    kubernetes = evidence.get("kubernetes") or {}
    if not kubernetes.get("node"):
        return None
    signs = _Signs.of(kubernetes["node"], kubernetes.get("objects") or {})
    return next((platform.name for platform, _sign in _platforms_of(signs)), None)


@dataclass(frozen=True)
class _Signs:
    """What owners are known by. ``daemon_sets`` is None when they could not be read."""

    labels: Mapping[str, str]
    provider: str
    image: str
    kubelet: str
    daemon_sets: list[Object] | None

    @classmethod
    def of(cls, node: Object, objects: Object) -> _Signs:
        info = (node.get("status") or {}).get("nodeInfo") or {}
        return cls(
            labels=node["metadata"].get("labels") or {},
            provider=str((node.get("spec") or {}).get("providerID") or ""),
            image=str(info.get("osImage") or ""),
            kubelet=str(info.get("kubeletVersion") or ""),
            daemon_sets=(objects.get("daemon_sets") or {}).get("items"),
        )

    def label(self, *names: str) -> str | None:
        """Return the first of these labels that the Node has, in words."""
        return next((f"label {name}={self.labels[name]}" for name in names if name in self.labels), None)

    def label_under(self, domain: str) -> str | None:
        return self.label(*sorted(name for name in self.labels if name.startswith(domain)))


# ---- the GPU Operator: an operand's DaemonSet selects Nodes by the label with which the operator deploys it

_OPERANDS = {
    "nvidia.com/gpu.deploy.driver": "driver",
    "nvidia.com/gpu.deploy.container-toolkit": "toolkit",
    "nvidia.com/gpu.deploy.device-plugin": "device_plugin",
    "nvidia.com/gpu.deploy.dra-driver": "device_plugin",
}


def _operand(layer: str, signs: _Signs) -> Owner | None:
    for daemon_set in signs.daemon_sets or ():
        selector = (daemon_set.get("spec") or {}).get("nodeSelector") or {}
        for label in selector:
            value = str(signs.labels.get(label, ""))
            if _OPERANDS.get(label) == layer and (value == "true" or value.startswith("paused-")):
                return Owner("gpu-operator", f"{_name(daemon_set)} and the Node's label {label}={value}")
    return None


def _might_have_operands(signs: _Signs) -> str | None:
    """The sign that DaemonSets would have to be read to know."""
    return signs.label_under("nvidia.com/gpu.deploy.") if signs.daemon_sets is None else None


def _name(daemon_set: Object) -> str:
    return f"DaemonSet {daemon_set['metadata'].get('namespace')}/{daemon_set['metadata']['name']}"


# ---- platforms: how each is known, and which layers it brings


@dataclass(frozen=True)
class _Platform:
    """``sign`` returns what shows that the Node is one of this platform.

    ``layers`` maps a layer to what shows that the platform brings it here; a layer that is not there is nobody's.
    """

    name: str
    sign: Callable[[_Signs], str | None]
    layers: Mapping[str, Callable[[_Signs], str | None]] = field(default_factory=dict)


def _always(_signs: _Signs) -> str:
    return ""


def _image(start: str) -> Callable[[_Signs], str | None]:
    return lambda signs: f"osImage {signs.image!r}" if signs.image.startswith(start) else None


def _kubelet(part: str) -> Callable[[_Signs], str | None]:
    return lambda signs: f"kubeletVersion {signs.kubelet}" if part in signs.kubelet else None


def _provider(start: str, domain: str) -> Callable[[_Signs], str | None]:
    """A label of the vendor's domain, which a self-made cluster on its machines lacks."""
    return lambda signs: signs.label_under(domain) if signs.provider.startswith(start) else None


def _vendor_daemon_set(start: str) -> Callable[[_Signs], str | None]:
    def sign(signs: _Signs) -> str | None:
        for one in signs.daemon_sets or ():
            if one["metadata"]["name"].startswith(start) and one["metadata"].get("namespace") == "kube-system":
                return _name(one)
        return None

    return sign


_NO_GKE_PLUGIN = "gke-no-default-nvidia-gpu-device-plugin"


def _gke_driver(signs: _Signs) -> str | None:
    """GKE ends its installation of the driver in its plugin's DaemonSet, so that without the one there is no other."""
    if signs.labels.get(_NO_GKE_PLUGIN) == "true":
        return None
    if signs.labels.get("cloud.google.com/gke-gpu-driver-version") == "disabled":
        return None
    return signs.label("cloud.google.com/gke-gpu-driver-version") or _vendor_daemon_set("nvidia-driver-installer")(
        signs
    )


def _gke_plugin(signs: _Signs) -> str | None:
    if signs.labels.get(_NO_GKE_PLUGIN) == "true":
        return None
    if signs.daemon_sets is None:
        return signs.label("cloud.google.com/gke-accelerator")
    return _vendor_daemon_set("nvidia-gpu-device-plugin")(signs)


def _eks_auto(signs: _Signs) -> str | None:
    """In Auto Mode everything is Amazon's, and the device plugin no DaemonSet."""
    label = "eks.amazonaws.com/compute-type"
    return signs.label(label) if signs.labels.get(label) == "auto" else None


def _eks_host(signs: _Signs) -> str | None:
    """Amazon's own images bring driver and toolkit; what is on an Ubuntu image is its user's."""
    return _eks_auto(signs) or _image("Amazon Linux")(signs)


def _bottlerocket(signs: _Signs) -> str | None:
    return None if _eks_auto(signs) else _image("Bottlerocket")(signs)


def _aks_plugin(signs: _Signs) -> str | None:
    """Where AKS manages the GPUs, its plugin is a service of the node and no DaemonSet."""
    label = "kubernetes.azure.com/dcgm-exporter"
    return signs.label(label) if signs.labels.get(label) == "enabled" else None


def _oke(signs: _Signs) -> str | None:
    if "ocid1.instance" not in signs.provider:
        return None
    return signs.label_under("oke.oraclecloud.com/") or signs.label_under("oci.oraclecloud.com/oke-")


# The image's system first: it is the same whoever sells the machine.
_PLATFORMS = (
    _Platform("bottlerocket", _bottlerocket, dict.fromkeys(OWNED, _always)),
    _Platform("talos", _image("Talos"), {"driver": _always, "toolkit": _always}),
    _Platform(
        "openshift",
        lambda signs: signs.label("node.openshift.io/os_id") or _image("Red Hat Enterprise Linux CoreOS")(signs),
        {"driver": _always, "toolkit": _always},
    ),
    _Platform(
        "gke",
        _provider("gce://", "cloud.google.com/gke-"),
        {"driver": _gke_driver, "toolkit": _gke_plugin, "device_plugin": _gke_plugin},
    ),
    _Platform(
        "eks",
        _provider("aws://", "eks.amazonaws.com/"),
        {"driver": _eks_host, "toolkit": _eks_host, "device_plugin": _eks_auto},
    ),
    _Platform(
        "aks",
        _provider("azure://", "kubernetes.azure.com/"),
        {
            "driver": _always,
            "toolkit": _always,
            "device_plugin": _aks_plugin,
        },
    ),
    _Platform(
        "oke",
        _oke,
        {
            "driver": _always,
            "toolkit": _always,
            "device_plugin": _vendor_daemon_set("nvidia-gpu-device-plugin"),
        },
    ),
    _Platform("rke2", _kubelet("+rke2"), {"toolkit": _always}),
    _Platform("k3s", _kubelet("+k3s"), {"toolkit": _always}),
    _Platform("microk8s", lambda signs: signs.label("microk8s.io/cluster"), {"toolkit": _always}),
)


def _owner(layer: str, signs: _Signs) -> Owner:
    operand = _operand(layer, signs)
    if operand:
        return operand
    operands = _might_have_operands(signs)
    if operands:
        return Owner("unknown", f"the Node has the {operands}, and DaemonSets could not be read")
    for platform, sign in _platforms_of(signs):
        brings = platform.layers.get(layer, _nothing)(signs)
        if brings is not None:
            return Owner(platform.name, ", ".join(part for part in (sign, brings) if part))
    return Owner("nobody", "no sign of the GPU Operator, a vendor or a distribution")


def _nothing(_signs: _Signs) -> None:
    return None


def _platforms_of(signs: _Signs) -> Iterator[tuple[_Platform, str]]:
    for platform in _PLATFORMS:
        sign = platform.sign(signs)
        if sign:
            yield platform, sign
            return
