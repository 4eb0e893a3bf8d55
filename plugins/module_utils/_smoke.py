# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is decided about smoke Pods before they are made. Pure; private to the collection."""

from __future__ import annotations

import datetime
import typing as t
from collections.abc import Iterable, Mapping

from ._chain import NodeVerdict
from ._evidence.kubernetes import read_node
from ._evidence.kubernetes_objects import read_asked
from ._evidence.kubernetes_taints import tolerated


def tolerations(node: Mapping[str, t.Any], expect: Mapping[str, t.Any]) -> list[dict[str, str]]:
    """Return what a Node's own taints call for, as far as GPU Pods are known, or said by the user, to tolerate them."""
    asked, facts = read_asked(expect), read_node(node, expect["resource"])
    return [
        {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}
        for taint in tolerated(facts.taints, asked.resource, facts.architecture, asked.tolerate, asked.startup)
    ]


# A missing permission counts only where it is one that the smoke Pods need.
_NO_GROUND = {
    "PRE004": "the host is not the Node of that name",
    "PRE007": "this identity lacks a permission that smoke Pods need",
    "PRE008": "several hosts stand for its Node",
    "SCH005": "its Node has none of what the Pod would ask for",
    "SCH007": "its Node has less than the Pod would ask for",
    "SCH019": "its PriorityClass would push out other Pods",
    "SCH025": "a LimitRange would give a GPU to its control as well",
}


def reason_not_to_try(evidence: Mapping[str, t.Any], verdict: NodeVerdict) -> str | None:
    """Return why no smoke Pod is made for this node; None when one is worth trying."""
    if verdict.first_broken_layer:
        return f"the {verdict.first_broken_layer} layer below it is broken"
    if any(checkpoint.status == "busy" for checkpoint in verdict.checkpoints):
        return "no GPU is free"
    node = (evidence.get("kubernetes") or {}).get("node")
    if node is None:
        return "its Node is not known"
    for checkpoint in verdict.checkpoints:
        for finding in checkpoint.findings:
            if finding.code in _NO_GROUND and (finding.code != "PRE007" or checkpoint.layer == "smoke_pod"):
                return _NO_GROUND[finding.code]
    if "kubernetes.io/hostname" not in (node["metadata"].get("labels") or {}):
        return "its Node has no label kubernetes.io/hostname"
    return None


def left_over(pods: Iterable[Mapping[str, t.Any]], now: datetime.datetime | None = None) -> list[dict[str, str]]:
    """Return the Pods that an earlier run left behind: those that have ended, or outlived their own deadline."""
    now = now or datetime.datetime.now(datetime.UTC)
    old = []
    for pod in pods:
        created = datetime.datetime.fromisoformat(pod["metadata"]["creationTimestamp"].replace("Z", "+00:00"))
        deadline = datetime.timedelta(seconds=2 * float((pod.get("spec") or {}).get("activeDeadlineSeconds") or 600))
        ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
        if now - created > (datetime.timedelta(minutes=10) if ended else deadline):
            old.append({"namespace": pod["metadata"]["namespace"], "name": pod["metadata"]["name"]})
    return old
