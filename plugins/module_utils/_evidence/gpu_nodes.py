# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which Nodes of the cluster have GPUs, and which of those the run did not look at."""

from __future__ import annotations

import typing as t
from collections.abc import Mapping, Sequence

from .assemble import node_name_of

Lookup = Mapping[str, t.Any]

# Labels of Nodes on which somebody has seen an NVIDIA GPU, or ordered one: with this value, or with any.
_LABELS = {
    "nvidia.com/gpu.present": "true",
    "feature.node.kubernetes.io/pci-10de.present": "true",
    "feature.node.kubernetes.io/pci-0302_10de.present": "true",
    "cloud.google.com/gke-accelerator": None,
    "eks.amazonaws.com/instance-gpu-count": None,
    "karpenter.k8s.aws/instance-gpu-manufacturer": "nvidia",
    "karpenter.azure.com/sku-gpu-manufacturer": "nvidia",
    "kubernetes.azure.com/accelerator": "nvidia",
    "accelerator": "nvidia",
}


def nodes_without_host(cluster: Lookup, evidence: Sequence[Lookup]) -> list[str] | None:
    """Return the names of the GPU Nodes that no host of the run stands for; None when the Nodes were not read."""
    lists = cluster.get("lists") or {}
    nodes = (lists.get("nodes") or {}).get("items")
    if nodes is None:
        return None
    slices = (lists.get("resource_slices") or {}).get("items") or ()
    by_slices = {(one.get("spec") or {}).get("nodeName") for one in slices}
    known = {node_name_of(one) for one in evidence}
    with_gpus = (node["metadata"]["name"] for node in nodes if has_gpus(node) or node["metadata"]["name"] in by_slices)
    return sorted(name for name in with_gpus if name not in known)


def has_gpus(node: Lookup) -> bool:
    """Whether the Node object tells of an NVIDIA GPU, advertised or not."""
    labels, status = node["metadata"].get("labels") or {}, node.get("status") or {}
    advertised = [*(status.get("capacity") or {}).items(), *(status.get("allocatable") or {}).items()]
    if any(name.startswith("nvidia.com/") and str(amount) != "0" for name, amount in advertised):
        return True
    return any(name in labels and value in (None, labels[name]) for name, value in _LABELS.items())
