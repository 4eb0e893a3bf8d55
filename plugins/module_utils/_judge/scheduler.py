# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoint 4: the Node's GPUs can be allocated, and one is free."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .._catalogue import found
from .._chain import Finding, Judgement
from .._evidence.kubernetes import NodeFacts


def judge_scheduler(node: NodeFacts, resource: str, taken: Mapping[str, int], asked: int) -> Judgement:
    """Judge whether the Node can take one more GPU Pod.

    ``taken`` is what running and waiting Pods on the Node request, ``asked`` what the smoke Pod would ask for.
    """
    findings = [*_ready(node), *_not_cordoned(node), *_one_free(node, resource, taken, asked)]
    free = (node.allocatable or 0) - sum(taken.values())
    seen = f"allocatable {node.allocatable}, requested {sum(taken.values())}, free {free}"
    return Judgement(4, tuple(findings), None if findings else seen)


def _ready(node: NodeFacts) -> Iterator[Finding]:
    if node.ready is None:
        yield found("SCH004", "kubernetes.node.status.conditions", missing="the Node has no Ready condition")
    elif node.ready != "True":
        reason = node.ready_reason or "no reason given"
        yield found("SCH003", "kubernetes.node.status.conditions", node=node.name, reason=reason)


def _not_cordoned(node: NodeFacts) -> Iterator[Finding]:
    if node.unschedulable:
        yield found("SCH001", "kubernetes.node.spec.unschedulable", node=node.name)


def _one_free(node: NodeFacts, resource: str, taken: Mapping[str, int], asked: int) -> Iterator[Finding]:
    allocatable = node.allocatable or 0
    if allocatable < asked:
        yield found("SCH005", "kubernetes.node.status.allocatable", resource=resource)
    elif allocatable - sum(taken.values()) < asked:
        who = ", ".join(f"{pod} ({amount})" for pod, amount in taken.items())
        yield found("SCH002", "kubernetes.pods", allocatable=allocatable, resource=resource, holders=who)
