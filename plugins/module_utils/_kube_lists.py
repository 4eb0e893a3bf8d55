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


@dataclass(frozen=True)
class ReadableList:
    """``api`` and ``method`` name the client library's call, ``args`` what it is called with.

    ``projection`` is applied to each object, after ``keep`` (JMESPath as well) has thrown away what nobody judges.
    ``namespaced``: the Namespace of the smoke Pods is the last argument. ``one``: the call gets one object, no list.
    ``optional``: a cluster that does not serve it (HTTP 404) has none.
    """

    api: str
    method: str
    projection: str
    query: dict[str, str] = field(default_factory=dict)
    args: tuple[str, ...] = ()
    keep: str = ""
    namespaced: bool = False
    one: bool = False
    optional: bool = False


def _custom(group: str, version: str, plural: str, projection: str, keep: str = "") -> ReadableList:
    """A list outside the core API, which the client library has no typed method for in every release."""
    return ReadableList(
        "custom", "list_cluster_custom_object", projection, args=(group, version, plural), keep=keep, optional=True
    )


def _fields(*names: str) -> str:
    return "{" + ", ".join(f"{name}: {name}" for name in names) + "}"


_METADATA = f"metadata: metadata.{_fields('name', 'namespace', 'labels', 'creationTimestamp')}"
_CONTAINER = _fields("name", "restartPolicy", "resources", "image")

# A Pod that may hold a GPU (it asks for some extended resource, or for a claim), or belongs to what hands them out.
_ASKS = (
    "[containers[].resources.limits, initContainers[].resources.limits][][] | [?@] | [].keys(@)[] | [?contains(@, '/')]"
)
_IMAGES = "join(' ', containers[].image)"
_SERVES_GPUS = (
    f"(contains({_IMAGES}, 'device-plugin') || contains({_IMAGES}, 'nvidia') || contains({_IMAGES}, 'dra-driver'))"
)

LISTS = {
    "nodes": ReadableList(
        "core",
        "list_node",
        f"{{{_METADATA}, spec: spec.{_fields('unschedulable', 'taints', 'providerID')}, "
        f"status: status.{{capacity: capacity, allocatable: allocatable, conditions: conditions, "
        f"addresses: addresses, nodeInfo: nodeInfo, runtimeHandlers: runtimeHandlers[].name}}}}",
    ),
    "pods": ReadableList(
        "core",
        "list_pod_for_all_namespaces",
        "{metadata: metadata.{name: name, namespace: namespace, labels: labels, creationTimestamp: creationTimestamp, "
        "deletionTimestamp: deletionTimestamp, owner: ownerReferences[0].{kind: kind, name: name}}, "
        "spec: spec.{nodeName: nodeName, overhead: overhead, priority: priority, resourceClaims: resourceClaims, "
        f"containers: containers[].{_CONTAINER}, initContainers: initContainers[].{_CONTAINER}}}, "
        f"status: status.{{phase: phase, conditions: conditions[].{_fields('type', 'status', 'reason')}, "
        f"initContainerStatuses: initContainerStatuses[].{_fields('name', 'ready', 'restartCount', 'state')}, "
        f"containerStatuses: containerStatuses[].{_fields('name', 'ready', 'restartCount', 'state')}}}}}",
        {"field_selector": "status.phase!=Succeeded,status.phase!=Failed"},
        keep=f"spec | resourceClaims || ({_ASKS}) || {_SERVES_GPUS}",
    ),
    "smoke_pods": ReadableList(
        "core",
        "list_pod_for_all_namespaces",
        f"{{metadata: metadata.{_fields('name', 'namespace', 'labels', 'creationTimestamp')}, "
        "spec: spec.{activeDeadlineSeconds: activeDeadlineSeconds}, status: status.{phase: phase}}",
        {"label_selector": ",".join(f"{key}={value}" for key, value in MANAGED_BY.items())},
    ),
    # ---- what hands out GPUs
    "daemon_sets": _custom(
        "apps",
        "v1",
        "daemonsets",
        f"{{{_METADATA}, spec: spec.template.spec.{{nodeSelector: nodeSelector, affinity: affinity, "
        "tolerations: tolerations, runtimeClassName: runtimeClassName, priorityClassName: priorityClassName, "
        f"containers: containers[].{_fields('name', 'image')}}}, status: status}}",
        keep=f"spec.template.spec | {_SERVES_GPUS}",
    ),
    "daemon_set_events": ReadableList(
        "core",
        "list_event_for_all_namespaces",
        f"{_fields('involvedObject', 'reason', 'message', 'count', 'lastTimestamp')}",
        {"field_selector": "involvedObject.kind=DaemonSet,type=Warning"},
    ),
    "resource_slices": _custom(
        "resource.k8s.io",
        "v1",
        "resourceslices",
        f"{{{_METADATA}, spec: spec.{{driver: driver, nodeName: nodeName, pool: pool, "
        "devices: devices[].{name: name, uuid: attributes.uuid.string, type: attributes.type.string, "
        "product: attributes.productName.string, taints: taints}}}",
        keep="contains(spec.driver, 'gpu')",
    ),
    "device_classes": _custom(
        "resource.k8s.io", "v1", "deviceclasses", f"{{{_METADATA}, spec: spec.{_fields('extendedResourceName')}}}"
    ),
    "cluster_policies": _custom("nvidia.com", "v1", "clusterpolicies", f"{{{_METADATA}, status: status}}"),
    "nvidia_drivers": _custom("nvidia.com", "v1alpha1", "nvidiadrivers", f"{{{_METADATA}, status: status}}"),
    # ---- what may keep a Pod away
    "runtime_classes": _custom(
        "node.k8s.io", "v1", "runtimeclasses", f"{{{_METADATA}, handler: handler, scheduling: scheduling}}"
    ),
    "priority_classes": _custom(
        "scheduling.k8s.io",
        "v1",
        "priorityclasses",
        f"{{{_METADATA}, value: value, globalDefault: globalDefault, preemptionPolicy: preemptionPolicy}}",
    ),
    "namespace": ReadableList(
        "core",
        "read_namespace",
        f"{{{_METADATA}, status: status.{_fields('phase')}}}",
        namespaced=True,
        one=True,
        optional=True,
    ),
    "resource_quotas": ReadableList(
        "core",
        "list_namespaced_resource_quota",
        f"{{{_METADATA}, spec: spec, status: status}}",
        namespaced=True,
    ),
    "limit_ranges": ReadableList(
        "core", "list_namespaced_limit_range", f"{{{_METADATA}, spec: spec}}", namespaced=True
    ),
    # ---- what tells that others use the cluster; read for installing alone (_install/signs.py)
    "namespaces": ReadableList("core", "list_namespace", f"{{{_METADATA}}}"),
    "deployments": _custom("apps", "v1", "deployments", f"{{{_METADATA}}}"),
    "stateful_sets": _custom("apps", "v1", "statefulsets", f"{{{_METADATA}}}"),
    "all_daemon_sets": _custom("apps", "v1", "daemonsets", f"{{{_METADATA}}}"),
    "cron_jobs": _custom("batch", "v1", "cronjobs", f"{{{_METADATA}}}"),
    "all_pods": ReadableList(
        "core",
        "list_pod_for_all_namespaces",
        f"{{{_METADATA}}}",
        {"field_selector": "status.phase!=Succeeded,status.phase!=Failed"},
    ),
    "services": ReadableList(
        "core",
        "list_service_for_all_namespaces",
        f"{{{_METADATA}, spec: spec.{_fields('type')}}}",
        keep="spec.type == 'LoadBalancer'",
    ),
    "persistent_volume_claims": ReadableList(
        "core",
        "list_persistent_volume_claim_for_all_namespaces",
        f"{{{_METADATA}, status: status.{_fields('phase')}}}",
    ),
}
