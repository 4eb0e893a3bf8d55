# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The device plugin as a workload: its DaemonSets, its Pods on one Node, and what the GPU Operator says."""

from __future__ import annotations

import datetime
import re
import typing as t
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .kubernetes_objects import listed

Object = Mapping[str, t.Any]

_PLUGIN = re.compile(r"device-plugin|gpu-plugin")
_CLAIMS = re.compile(r"dra.*kubelet-plugin")
_OF_NVIDIA = re.compile(r"nvidia|gpu|nvdp|hami|volcano")
# The same image, and names like it, also serve what hands out nothing to the kubelet, or other vendors' devices.
_SOMETHING_ELSE = re.compile(
    r"feature-discovery|mps-control|exporter|validator|mig-manager|dra-driver|node-status"
    r"|intel|amd(?!64)|rocm|habana|sriov|rdma|kubevirt"
)


@dataclass(frozen=True)
class PluginPod:
    """A device plugin's Pod on the Node. ``why`` says why it is not ready, ``waits`` in one word what it waits for.

    ``started``: when it or the newest of its containers began, in seconds since the epoch.
    """

    name: str
    owner: str
    ready: bool
    why: str
    waits: str
    started: float | None


@dataclass(frozen=True)
class Workload:
    """What the cluster runs to hand out GPUs. None: it could not be read.

    ``claim_pods``: those of a DRA driver on the Node.
    ``refusals``: why Pods of a DaemonSet could not be created, by ``namespace/name``.
    ``operator``: the reason and message of the GPU Operator's conditions that are not met, or empty.
    """

    pods: tuple[PluginPod, ...] | None
    claim_pods: tuple[PluginPod, ...] | None
    daemon_sets: tuple[Object, ...] | None
    refusals: Mapping[str, str]
    operator: tuple[tuple[str, str], ...]


def read_workload(kubernetes: Object) -> Workload:
    """Read the parts of a node's evidence that tell of the plugin's workload."""
    pods = kubernetes.get("pods")
    sets = listed(kubernetes, "daemon_sets")
    return Workload(
        pods=None if pods is None else tuple(_read_pod(p) for p in pods if _is_plugin(p)),
        claim_pods=None if pods is None else tuple(_read_pod(p) for p in pods if _CLAIMS.search(p["metadata"]["name"])),
        daemon_sets=None if sets is None else tuple(one for one in sets if _is_plugin(one)),
        refusals=_refusals(listed(kubernetes, "daemon_set_events") or ()),
        operator=tuple(_operator(kubernetes)),
    )


def full_name(item: Object) -> str:
    return f"{item['metadata'].get('namespace')}/{item['metadata']['name']}"


def _is_plugin(item: Object) -> bool:
    """A Pod or a DaemonSet, by its name and the names and images of its containers."""
    name = str(item["metadata"]["name"])
    containers = (item.get("spec") or {}).get("containers") or ()
    words = [name, *(str(c.get(field) or "") for c in containers for field in ("name", "image"))]
    if _SOMETHING_ELSE.search(name) or not any(_PLUGIN.search(word) for word in words):
        return False
    return any(_OF_NVIDIA.search(word) for word in words) and not _SOMETHING_ELSE.search(" ".join(words))


def _read_pod(pod: Object) -> PluginPod:
    status = pod.get("status") or {}
    conditions = {c.get("type"): c.get("status") for c in status.get("conditions") or ()}
    states = [
        (container.get("name"), container.get("state") or {})
        for kind in ("initContainerStatuses", "containerStatuses")
        for container in status.get(kind) or ()
    ]
    waiting = [(name, state["waiting"]) for name, state in states if state.get("waiting")]
    reasons = [w.get("reason") for _name, w in waiting if w.get("reason") not in (None, "PodInitializing")]
    told = [f"{name}: {w.get('reason')}" + (f" ({w['message']})" if w.get("message") else "") for name, w in waiting]
    metadata = pod["metadata"]
    starts = [metadata.get("creationTimestamp")]
    starts += [state["running"].get("startedAt") for _name, state in states if state.get("running")]
    owner = metadata.get("owner") or {}
    return PluginPod(
        name=full_name(pod),
        owner=f"{owner.get('kind')} {owner.get('name')}" if owner.get("name") else full_name(pod),
        ready=status.get("phase") == "Running" and conditions.get("Ready") == "True",
        why="; ".join(told) or f"it is {status.get('phase') or 'in no known phase'}",
        waits=str(reasons[0]) if reasons else str(status.get("phase") or ""),
        started=max((at for text in starts if (at := seconds_of(text)) is not None), default=None),
    )


def seconds_of(text: str | None) -> float | None:
    """Return the seconds since the epoch of a time as the API writes it."""
    try:
        return datetime.datetime.fromisoformat(text or "").timestamp()
    except ValueError:
        return None


def _refusals(events: Sequence[Object]) -> Mapping[str, str]:
    """The newest refusal of each DaemonSet."""
    refused: dict[str, str] = {}
    for event in sorted(events, key=lambda event: str(event.get("lastTimestamp") or "")):
        about = event.get("involvedObject") or {}
        if event.get("reason") == "FailedCreate":
            refused[f"{about.get('namespace')}/{about.get('name')}"] = str(event.get("message") or "no reason given")
    return refused


def _operator(kubernetes: Object) -> list[tuple[str, str]]:
    said = []
    for name in ("cluster_policies", "nvidia_drivers"):
        for policy in listed(kubernetes, name) or ():
            status = policy.get("status") or {}
            found = [
                (str(c.get("reason") or ""), str(c.get("message") or ""))
                for c in status.get("conditions") or ()
                if c.get("reason") not in (None, "", "Reconciled", "Ready", "Error")
                and (c.get("type"), c.get("status")) in (("Ready", "True"), ("Ready", "False"), ("Error", "True"))
            ]
            if not found and str(status.get("state") or "ready").lower() != "ready":
                found = [(str(status["state"]), "")]
            said += found
    return said
