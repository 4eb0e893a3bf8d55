# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What Pods take of a resource, counted as the scheduler counts it."""

from __future__ import annotations

import typing as t
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .kubernetes_quantity import count

Object = Mapping[str, t.Any]


@dataclass(frozen=True)
class Holder:
    """A Pod that holds some of a resource. ``state`` says in a word what it does with it."""

    name: str
    amount: int
    since: str
    state: str

    def __str__(self) -> str:
        since = f", since {self.since}" if self.since else ""
        return f"{self.name} ({self.amount}, {self.state}{since})"


def holders(pods: Iterable[Object], node: str, resource: str) -> list[Holder]:
    """Return who on a Node takes how much of the resource: every Pod that is bound to it and has not ended.

    One that waits for its start, that crashes again and again, or that is being deleted holds it as well.
    """
    taken = []
    for pod in pods:
        if (pod.get("spec") or {}).get("nodeName") == node and not is_terminal(pod):
            amount = effective_request(pod, resource)
            if amount:
                meta = pod["metadata"]
                since = str(meta.get("creationTimestamp") or "")
                taken.append(Holder(f"{meta.get('namespace')}/{meta['name']}", amount, since, _state(pod)))
    return taken


def effective_request(pod: Object, resource: str) -> int:
    """Return how much of an extended resource a Pod takes, as the scheduler counts it.

    Init containers run one after the other, beside the sidecars (init containers that restart) started before
    them. Requests of the Pod as a whole exist for CPU, memory and huge pages alone.
    Source: Kubernetes documentation, "Sidecar containers", section "Resource sharing within containers".
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
    overhead = count((spec.get("overhead") or {}).get(resource) or 0)
    return max(main + sidecars, peak) + overhead


def _requested(container: Object, resource: str) -> int:
    resources = container.get("resources") or {}
    for kind in ("requests", "limits"):  # an extended resource may be given as a limit alone
        if resource in (resources.get(kind) or {}):
            return count(resources[kind][resource] or 0)
    return 0


def is_terminal(pod: Object) -> bool:
    """Whether the Pod holds nothing any more."""
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def _state(pod: Object) -> str:
    status = pod.get("status") or {}
    if (pod.get("metadata") or {}).get("deletionTimestamp"):
        return "being deleted"
    waiting = [(c.get("state") or {}).get("waiting") or {} for c in status.get("containerStatuses") or ()]
    if any(w.get("reason") == "CrashLoopBackOff" for w in waiting):
        return "crashing again and again"
    return "not started yet" if status.get("phase") == "Pending" else "running"
