# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is decided about smoke Pods before they are made. Pure; private to the collection."""

from __future__ import annotations

import datetime
import typing as t
from collections.abc import Iterable, Mapping

from ._chain import NodeVerdict

# Taints that say that something is wrong with the Node. A Pod that tolerates them proves nothing.
_TROUBLE = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "ToBeDeletedByClusterAutoscaler")


def tolerations(taints: Iterable[Mapping[str, t.Any]]) -> list[dict[str, str]]:
    """Return what the Node's own taints call for, and nothing else.

    Source: Kubernetes documentation, "Taints and Tolerations".
    """
    wanted = []
    for taint in taints:
        if taint["effect"] == "PreferNoSchedule" or taint["key"].startswith(_TROUBLE):
            continue
        wanted.append(
            {"key": taint["key"], "operator": "Equal", "value": taint.get("value") or "", "effect": taint["effect"]}
        )
    return wanted


def reason_not_to_try(evidence: Mapping[str, t.Any], verdict: NodeVerdict) -> str | None:
    """Return why no smoke Pod is made for this node; None when one is worth trying."""
    if verdict.first_broken_layer:
        return f"the {verdict.first_broken_layer} layer below it is broken"
    if any(checkpoint.status == "busy" for checkpoint in verdict.checkpoints):
        return "no GPU is free"
    node = (evidence.get("kubernetes") or {}).get("node")
    if node is None:
        return "its Node is not known"
    if any(f.code == "PRE004" for checkpoint in verdict.checkpoints for f in checkpoint.findings):
        return "the host is not the Node of that name"
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
