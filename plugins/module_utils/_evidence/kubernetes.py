# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the cluster says of one Node, typed. Objects are the API's own, less the fields that nobody reads."""

from __future__ import annotations

import typing as t
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .kubernetes_quantity import count
from .kubernetes_taints import Taint, read_taints

Object = Mapping[str, t.Any]


@dataclass(frozen=True)
class Condition:
    """A condition of a Node: its type, its status (True, False or Unknown), since when, and why."""

    kind: str
    status: str
    since: str
    why: str


@dataclass(frozen=True)
class NodeFacts:
    """A Node. Counts are None when the Node does not have the resource.

    ``others`` are the capacities of other resources of the same vendor: MIG profiles, shared or renamed GPUs.
    ``runtime_handlers`` is None where the kubelet or the runtime does not tell (before Kubernetes 1.30).
    """

    name: str
    boot_id: str | None
    machine_id: str | None
    architecture: str | None
    labels: Mapping[str, str]
    capacity: int | None
    allocatable: int | None
    unschedulable: bool
    taints: tuple[Taint, ...]
    conditions: tuple[Condition, ...]
    runtime_handlers: tuple[str, ...] | None
    others: Mapping[str, int]

    def condition(self, kind: str) -> Condition | None:
        return next((c for c in self.conditions if c.kind == kind), None)


def read_node(node: Object, resource: str) -> NodeFacts:
    """Read a Node object."""
    spec, status, metadata = node.get("spec") or {}, node.get("status") or {}, node["metadata"]
    info = status.get("nodeInfo") or {}
    capacity = status.get("capacity") or {}
    vendor = resource.partition("/")[0] + "/"
    counts = {name: count(amount or 0) for name, amount in capacity.items() if name.startswith(vendor)}
    return NodeFacts(
        name=metadata["name"],
        boot_id=info.get("bootID"),
        machine_id=info.get("machineID"),
        architecture=info.get("architecture"),
        labels=metadata.get("labels") or {},
        capacity=_count(capacity, resource),
        allocatable=_count(status.get("allocatable"), resource),
        unschedulable=bool(spec.get("unschedulable")),
        taints=tuple(read_taints(node)),
        conditions=tuple(_condition(c) for c in status.get("conditions") or ()),
        runtime_handlers=tuple(str(h or "") for h in status.get("runtimeHandlers") or ()) or None,
        others={name: amount for name, amount in counts.items() if name != resource and amount},
    )


def _condition(condition: Object) -> Condition:
    return Condition(
        kind=str(condition.get("type") or ""),
        status=str(condition.get("status") or "Unknown"),
        since=str(condition.get("lastTransitionTime") or ""),
        why=": ".join(str(condition[key]) for key in ("reason", "message") if condition.get(key)),
    )


def _count(quantities: Mapping[str, t.Any] | None, resource: str) -> int | None:
    value = (quantities or {}).get(resource)
    return None if value is None else count(value)


def find_node(nodes: Iterable[Object], names: Iterable[str], machine_id: str | None) -> Object | None:
    """Return the Node of a host: by its names in their order, else by its machine-id, else by an address.

    The names come first, since it is by them that the answer is read: whether the machine behind the name is that
    Node is for the judge to say.
    """
    nodes, names = list(nodes), list(names)
    for name in names:
        for node in nodes:
            if node["metadata"]["name"] == name:
                return node
    if machine_id:
        same = [n for n in nodes if ((n.get("status") or {}).get("nodeInfo") or {}).get("machineID") == machine_id]
        if len(same) == 1:  # cloned disk images share a machine-id: then it identifies nobody
            return same[0]
    for node in nodes:
        addresses = {a.get("address") for a in (node.get("status") or {}).get("addresses") or ()}
        if addresses & set(names):
            return node
    return None
