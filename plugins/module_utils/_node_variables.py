# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a Node object tells, as variables and groups of a host in an inventory. Private to the collection.

Annotations are left out: they may hold secrets.
"""

from __future__ import annotations

import typing as t
from collections.abc import Iterable, Mapping

from ._evidence.gpu_nodes import has_gpus
from ._evidence.kubernetes_quantity import quantity
from ._judge.owner import owners, platform_of
from ._startup_taint import LABEL

Object = Mapping[str, t.Any]

# Labels in the order in which they are believed: what has looked at the GPU first, then who ordered the machine.
_MODEL = (
    "nvidia.com/gpu.product",
    "cloud.google.com/gke-accelerator",
    "eks.amazonaws.com/instance-gpu-name",
    "karpenter.k8s.aws/instance-gpu-name",
    "karpenter.azure.com/sku-gpu-name",
)
_POOL = (
    "karpenter.sh/nodepool",
    "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "oke.oraclecloud.com/pool.name",
)


def read_gpu_node(node: Object, resource: str) -> dict[str, t.Any]:
    """Return the host variable ``gpu_node`` of a Node object; None is what the Node does not tell.

    A Node whose device plugin is gone keeps ``resource`` with the capacity 0: it has GPUs as well.
    """
    metadata, spec, status = node["metadata"], node.get("spec") or {}, node.get("status") or {}
    labels, info = metadata.get("labels") or {}, status.get("nodeInfo") or {}
    capacity = _of_vendor(status.get("capacity"), resource)
    evidence = {"expect": {}, "kubernetes": {"node": node}}
    return {
        "name": metadata["name"],
        "has_gpus": has_gpus(node) or resource in capacity,
        "count": capacity.get(resource),
        "capacity": capacity,
        "allocatable": _of_vendor(status.get("allocatable"), resource),
        "model": _first(labels, _MODEL),
        "zone": labels.get("topology.kubernetes.io/zone"),
        "region": labels.get("topology.kubernetes.io/region"),
        "pool": _first(labels, _POOL),
        "instance_type": labels.get("node.kubernetes.io/instance-type"),
        "platform": platform_of(evidence),
        "owners": {layer: owner.owner for layer, owner in owners(evidence).items()},
        "provider_id": spec.get("providerID"),
        "ready": _ready(status),
        "unschedulable": bool(spec.get("unschedulable")),
        "verified": labels.get(LABEL),
        "taints": [{key: taint.get(key) for key in ("key", "value", "effect")} for taint in spec.get("taints") or ()],
        "labels": dict(labels),
        "addresses": _addresses(status),
        "os_image": info.get("osImage"),
        "kernel": info.get("kernelVersion"),
        "architecture": info.get("architecture"),
        "kubelet": info.get("kubeletVersion"),
        "container_runtime": info.get("containerRuntimeVersion"),
        "boot_id": info.get("bootID"),
        "machine_id": info.get("machineID"),
    }


def address_of(gpu_node: Object, kinds: Iterable[str]) -> str | None:
    """Return the first address of the first of these types that the Node has; ``name`` is its name."""
    known = {**gpu_node["addresses"], "name": [gpu_node["name"]]}
    return next((known[kind][0] for kind in kinds if known.get(kind)), None)


def groups_of(gpu_node: Object) -> list[str]:
    """Return the names of the groups of a Node's host, not yet made safe for Ansible."""
    told = {
        "owner": gpu_node["owners"]["driver"],
        "model": gpu_node["model"],
        "zone": gpu_node["zone"],
        "pool": gpu_node["pool"],
    }
    return [f"gpu_{kind}_{value}" for kind, value in told.items() if value]


def _of_vendor(quantities: Mapping[str, t.Any] | None, resource: str) -> dict[str, int]:
    """The resources of the same vendor, such as MIG profiles. What is no number is left out."""
    vendor = resource.partition("/")[0] + "/"
    amounts = {name: quantity(text) for name, text in (quantities or {}).items() if name.startswith(vendor)}
    return {name: int(amount) for name, amount in amounts.items() if amount is not None}


def _first(labels: Mapping[str, str], names: Iterable[str]) -> str | None:
    return next((labels[name] for name in names if labels.get(name)), None)


def _ready(status: Object) -> bool:
    """A Node that says nothing of itself is not ready."""
    return any(one.get("type") == "Ready" and one.get("status") == "True" for one in status.get("conditions") or ())


def _addresses(status: Object) -> dict[str, list[str]]:
    """The addresses by their type. A Node with IPv4 and IPv6 has two of a type."""
    by_type: dict[str, list[str]] = {}
    for one in status.get("addresses") or ():
        by_type.setdefault(str(one.get("type")), []).append(str(one.get("address")))
    return by_type
