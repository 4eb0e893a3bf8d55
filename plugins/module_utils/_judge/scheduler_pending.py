# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Why a smoke Pod was not placed, told by the Node's own numbers and fields.

The scheduler's sentence speaks of all Nodes at once, and newer schedulers leave out which taint it was: it is a hint
for what the evidence does not hold (CPU, memory, volumes).
"""

from __future__ import annotations

import re
import typing as t
from collections.abc import Mapping

from .._catalogue import found
from .._chain import Finding
from .._evidence.kubernetes import NodeFacts
from .._evidence.kubernetes_objects import Asked, Object, listed
from .._evidence.kubernetes_pods import holders
from .._evidence.kubernetes_taints import tolerates
from .scheduler import one_free
from .scheduler_node import pods_may_come

_OTHER_LACK = re.compile(r"Insufficient (?P<what>[\w./-]+)|Too many pods|volume|persistentvolume|free ports|topology")
_CLAIM = re.compile(r"claim|device class|cannot fit resource", re.IGNORECASE)


def explain_pending(
    node: NodeFacts | None, kubernetes: Mapping[str, t.Any] | None, asked: Asked, which: str, pod: Object
) -> Finding:
    """Return what kept the Pod from being placed on its Node.

    ``node`` and ``kubernetes`` are the Node and that part of the evidence, None when they are not known; ``which`` is
    smoke or control; ``pod`` is the Pod as the API has it now.
    """
    spec, said = pod.get("spec") or {}, _said(pod)
    gates = [str(gate.get("name")) for gate in spec.get("schedulingGates") or ()]
    if gates:
        return found("SCH036", f"{which}_pod.pod", which=which, gates=", ".join(gates))
    own = _told_by_the_node(node, kubernetes, asked, which, spec) if node is not None else None
    return own or _told_by_the_scheduler(node, asked, which, spec, said)


def _told_by_the_node(
    node: NodeFacts, kubernetes: Mapping[str, t.Any] | None, asked: Asked, which: str, spec: Object
) -> Finding | None:
    kubernetes = kubernetes or {}
    pointer = f"{which}_pod.pod"
    for finding in pods_may_come(node, asked, listed(kubernetes, "runtime_classes")):
        if finding.status == "fail":
            return finding
    for taint in node.taints:
        if taint.repels and not any(tolerates(toleration, taint) for toleration in spec.get("tolerations") or ()):
            reason = f"it does not tolerate the taint {taint}"
            return found("SCH035", pointer, node=node.name, which=which, reason=reason)
    selector = spec.get("nodeSelector") or {}
    lacking = [f"{key}={value}" for key, value in selector.items() if node.labels.get(key) != value]
    if lacking:
        return found("SCH034", pointer, node=node.name, which=which, lacking=", ".join(lacking))
    pods = kubernetes.get("pods")
    if which == "smoke" and not asked.by_claim and pods is not None:
        return next(one_free(node, asked, holders(pods, node.name, asked.resource)), None)
    return None


def _told_by_the_scheduler(node: NodeFacts | None, asked: Asked, which: str, spec: Object, said: str) -> Finding:
    pointer, name = f"{which}_pod.pod", node.name if node else "that was meant"
    scheduler = str(spec.get("schedulerName") or "default-scheduler")
    if scheduler != "default-scheduler":
        return found("SCH037", pointer, which=which, scheduler=scheduler, reason=said or "it says nothing")
    if f"Insufficient {asked.resource}" in said:  # free when it was counted, and not any more
        return found("SMK005", pointer, resource=asked.resource, reason=said)
    if asked.by_claim and _CLAIM.search(said):
        return found("SCH038", pointer, which=which, node=name, reason=said)
    if _OTHER_LACK.search(said):
        return found("SCH035", pointer, which=which, node=name, reason=said)
    return found("SMK004", pointer, which=which, reason=said or "the scheduler gives no reason")


def _said(pod: Object) -> str:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    scheduled: Object = next((c for c in conditions if c.get("type") == "PodScheduled"), {})
    return str(scheduled.get("message") or "")
