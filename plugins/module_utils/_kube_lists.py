# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists that are read from a cluster: where they are, and which of their fields the judge reads.

Private to the collection. A field that a rule reads must be in its projection here (JMESPath).
"""

from __future__ import annotations

from dataclasses import dataclass, field

MANAGED_BY = {"app.kubernetes.io/managed-by": "gpu.k8s"}
"""The label of every object that this collection creates."""

_METADATA = "metadata: metadata.{name: name, namespace: namespace, labels: labels}"
_CONTAINER = "{name: name, restartPolicy: restartPolicy, resources: resources}"


@dataclass(frozen=True)
class ReadableList:
    """``api`` and ``method`` name the client library's call; ``projection`` is applied to each object."""

    api: str
    method: str
    projection: str
    query: dict[str, str] = field(default_factory=dict)


LISTS = {
    "nodes": ReadableList(
        "core",
        "list_node",
        f"{{{_METADATA}, spec: spec.{{unschedulable: unschedulable, taints: taints}}, "
        "status: status.{capacity: capacity, allocatable: allocatable, conditions: conditions, "
        "addresses: addresses, nodeInfo: nodeInfo}}",
    ),
    "pods": ReadableList(
        "core",
        "list_pod_for_all_namespaces",
        f"{{{_METADATA}, spec: spec.{{nodeName: nodeName, overhead: overhead, "
        f"containers: containers[].{_CONTAINER}, initContainers: initContainers[].{_CONTAINER}}}, "
        "status: status.{phase: phase}}",
        {"field_selector": "status.phase!=Succeeded,status.phase!=Failed"},
    ),
    "runtime_classes": ReadableList(
        "node",
        "list_runtime_class",
        f"{{{_METADATA}, handler: handler}}",
    ),
    "smoke_pods": ReadableList(
        "core",
        "list_pod_for_all_namespaces",
        "{metadata: metadata.{name: name, namespace: namespace, labels: labels, creationTimestamp: creationTimestamp}, "
        "spec: spec.{activeDeadlineSeconds: activeDeadlineSeconds}, status: status.{phase: phase}}",
        {"label_selector": ",".join(f"{key}={value}" for key, value in MANAGED_BY.items())},
    ),
}
