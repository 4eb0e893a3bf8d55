# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoint 4: the Node's GPUs can be allocated, and one is free."""

from __future__ import annotations

import typing as t
from collections.abc import Iterator, Mapping, Sequence

from .._catalogue import found
from .._chain import Finding, Judgement
from .._evidence.kubernetes import NodeFacts
from .._evidence.kubernetes_objects import Asked, Object, listed
from .._evidence.kubernetes_pods import Holder, holders
from .scheduler_classes import priority_class_serves, runtime_class_serves
from .scheduler_namespace import namespace_takes_pods
from .scheduler_node import pods_may_come

_MANY = 8  # holders that are named; the evidence has them all


def judge_scheduler(node: NodeFacts, kubernetes: Mapping[str, t.Any], asked: Asked) -> Judgement:
    """Judge whether the Node can take one more GPU Pod. ``kubernetes`` is that part of the evidence."""
    classes = listed(kubernetes, "runtime_classes")
    taken = holders(kubernetes["pods"], node.name, asked.resource)
    devices = _in_slices(kubernetes)
    by_claim = asked.by_claim or (not node.allocatable and bool(devices) and _stands_for(kubernetes, asked.resource))
    findings = [
        *pods_may_come(node, asked, classes),
        *(_devices_there(devices, asked) if by_claim else one_free(node, asked, taken)),
        *runtime_class_serves(node, asked, classes),
        *priority_class_serves(asked, listed(kubernetes, "priority_classes")),
        *namespace_takes_pods(kubernetes, asked),
    ]
    held_against = [finding for finding in findings if finding.status != "warning"]
    seen = f"its ResourceSlices hold {len(devices or ())} devices" if by_claim else _seen(node, taken)
    return Judgement(4, tuple(findings), None if held_against else seen)


def one_free(node: NodeFacts, asked: Asked, taken: Sequence[Holder]) -> Iterator[Finding]:
    """What is allocatable, less what Pods on the Node take, suffices (SCH002, SCH005, SCH007)."""
    allocatable, amount = node.allocatable or 0, sum(holder.amount for holder in taken)
    pointer = "kubernetes.node.status.allocatable"
    if allocatable == 0:
        yield found("SCH005", pointer, what=asked.resource)
    elif allocatable < asked.amount:
        yield found("SCH007", pointer, asked=asked.amount, resource=asked.resource, allocatable=allocatable)
    elif allocatable - amount < asked.amount:
        yield found(
            "SCH002",
            "kubernetes.pods",
            taken=amount,
            allocatable=allocatable,
            resource=asked.resource,
            free=max(allocatable - amount, 0),
            asked=asked.amount,
            holders=_named(taken),
        )


def _named(taken: Sequence[Holder]) -> str:
    shown = [str(holder) for holder in taken[:_MANY]]
    more = len(taken) - len(shown)
    return ", ".join((*shown, *([f"and {more} more"] if more else [])))


def _seen(node: NodeFacts, taken: Sequence[Holder]) -> str:
    allocatable, amount = node.allocatable or 0, sum(holder.amount for holder in taken)
    return f"allocatable {allocatable}, requested {amount}, free {allocatable - amount}"


def _in_slices(kubernetes: Mapping[str, t.Any]) -> Sequence[Object] | None:
    """Return the devices of the Node's ResourceSlices (DRA).

    Which of them are free, only the claims of all Namespaces would tell: it is left to the Pod to prove it.
    """
    slices = listed(kubernetes, "resource_slices")
    if slices is None:
        return None
    return [device for s in slices for device in (s.get("spec") or {}).get("devices") or () if _usable(device)]


def _stands_for(kubernetes: Mapping[str, t.Any], resource: str) -> bool:
    """Whether a DeviceClass stands for the resource's name: then Pods get it though the Node advertises none."""
    classes = listed(kubernetes, "device_classes") or ()
    return any((c.get("spec") or {}).get("extendedResourceName") == resource for c in classes)


def _usable(device: Object) -> bool:
    return not any(taint.get("effect") in ("NoSchedule", "NoExecute") for taint in device.get("taints") or ())


def _devices_there(devices: Sequence[Object] | None, asked: Asked) -> Iterator[Finding]:
    pointer = "kubernetes.objects.resource_slices"
    if devices is None:
        yield found("SCH004", pointer, missing="the ResourceSlices were not read")
    elif not devices:
        yield found("SCH005", pointer, what="device in ResourceSlices")
    elif len(devices) < asked.amount:
        yield found("SCH007", pointer, asked=asked.amount, resource="devices", allocatable=len(devices))
