# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the cluster says of one Node, typed. Objects are the API's own, less the fields that nobody reads."""

from __future__ import annotations

import typing as t
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Object = Mapping[str, t.Any]


@dataclass(frozen=True)
class NodeFacts:
    """A Node. Counts are None when the Node does not have the resource.

    ``others`` are the capacities of other resources of the same vendor: MIG profiles, shared or renamed GPUs.
    """

    name: str
    boot_id: str | None
    machine_id: str | None
    capacity: int | None
    allocatable: int | None
    unschedulable: bool
    ready: str | None
    ready_reason: str
    others: Mapping[str, int]


def read_node(node: Object, resource: str) -> NodeFacts:
    """Read a Node object."""
    spec, status = node.get("spec") or {}, node.get("status") or {}
    info = status.get("nodeInfo") or {}
    capacity = status.get("capacity") or {}
    vendor = resource.partition("/")[0] + "/"
    ready: Object = next((c for c in status.get("conditions") or () if c.get("type") == "Ready"), {})
    return NodeFacts(
        name=node["metadata"]["name"],
        boot_id=info.get("bootID"),
        machine_id=info.get("machineID"),
        capacity=_count(capacity, resource),
        allocatable=_count(status.get("allocatable"), resource),
        unschedulable=bool(spec.get("unschedulable")),
        ready=ready.get("status"),
        ready_reason=": ".join(str(ready[key]) for key in ("reason", "message") if ready.get(key)),
        others={n: int(q or 0) for n, q in capacity.items() if n.startswith(vendor) and n != resource and int(q or 0)},
    )


def _count(quantities: Mapping[str, t.Any] | None, resource: str) -> int | None:
    value = (quantities or {}).get(resource)
    return None if value is None else int(value)  # extended resources are whole numbers


def effective_request(pod: Object, resource: str) -> int:
    """Return how much of an extended resource a Pod takes, as the scheduler counts it.

    Init containers run one after the other, beside the sidecars (init containers that restart) started before
    them. Source: Kubernetes documentation, "Sidecar containers", section "Resource sharing within containers".
    """
    spec = pod.get("spec") or {}
    main = sum(_requested(c, resource) for c in spec.get("containers") or ())
    sidecars = peak = 0
    for container in spec.get("initContainers") or ():
        amount = _requested(container, resource)
        if container.get("restartPolicy") == "Always":
            sidecars += amount
            peak = max(peak, sidecars)
        else:
            peak = max(peak, sidecars + amount)
    overhead = int((spec.get("overhead") or {}).get(resource, 0))
    return max(main + sidecars, peak) + overhead


def _requested(container: Object, resource: str) -> int:
    resources = container.get("resources") or {}
    for kind in ("requests", "limits"):  # an extended resource may be given as a limit alone
        if resource in (resources.get(kind) or {}):
            return int(resources[kind][resource])
    return 0


def is_terminal(pod: Object) -> bool:
    """Whether the Pod holds nothing any more."""
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def holders(pods: Iterable[Object], node: str, resource: str) -> dict[str, int]:
    """Return what the Pods on a Node take of the resource, as ``namespace/name: amount``."""
    taken = {}
    for pod in pods:
        if (pod.get("spec") or {}).get("nodeName") == node and not is_terminal(pod):
            amount = effective_request(pod, resource)
            if amount:
                taken[f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"] = amount
    return taken


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
