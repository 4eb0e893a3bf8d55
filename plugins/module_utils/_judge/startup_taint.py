# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What became of the startup taint, and what that says of the Node."""

from __future__ import annotations

import typing as t
from collections.abc import Iterator, Mapping
from dataclasses import replace

from .._catalogue import found
from .._chain import Finding, Judgement, NodeVerdict
from .._evidence.kubernetes import NodeFacts

_POINTER = "startup_taint"
_TAINTS = "kubernetes.node.spec.taints"


def with_startup_taint(judgement: Judgement, node: NodeFacts, evidence: Mapping[str, t.Any]) -> Judgement:
    """Add what a run that decides about the startup taint came to. A Node that should be open and is not fails."""
    if (evidence["expect"].get("startup_taint") or "ignore") == "ignore":
        return judgement
    outcome = evidence.get("startup_taint")
    findings = list(_not_come_to_it(node) if outcome is None else _came_to(node, outcome))
    seen = judgement.seen
    if seen and outcome and outcome["changed"] and outcome["taint"] == "absent":
        seen += "; its startup taint was taken away"
    return replace(judgement, findings=(*judgement.findings, *findings), seen=seen)


def still_closed(verdict: NodeVerdict, evidence: Mapping[str, t.Any]) -> Finding | None:
    """Return what keeps a Node from being usable that its run left closed. None where nothing does.

    The run did so since it came to another verdict: its evidence was judged by other rules then.
    """
    outcome = evidence.get("startup_taint") or {}
    if verdict.conclusion not in ("usable", "waived") or outcome.get("taint") != "present":
        return None
    return found("SCH040", _POINTER, node=verdict.node, why=f"the run left it there, since {outcome['why']}")


def _not_come_to_it(node: NodeFacts) -> Iterator[Finding]:
    if _is_closed(node):
        yield found("SCH041", _TAINTS, node=node.name, why="the run did not come to it")


def _is_closed(node: NodeFacts) -> bool:
    return any(taint.of_startup and taint.repels for taint in node.taints)


def _came_to(node: NodeFacts, outcome: Mapping[str, t.Any]) -> Iterator[Finding]:
    """``outcome``: what became of this host, as gpu.k8s.startup_taint returns it."""
    wanted, taint, error = outcome["wanted"], outcome["taint"], outcome["error"]
    if wanted == "leave":  # nothing was written, so the taint is there if it was
        if _is_closed(node):
            yield found("SCH044", _TAINTS, _POINTER, node=node.name, why=outcome["why"])
        return
    if wanted == "release" and taint != "absent":
        yield found("SCH040" if taint == "present" else "SCH041", _POINTER, node=node.name, why=error)
        return
    if error:
        yield found("SCH043", _POINTER, node=node.name, why=error)
    if taint == "present":
        how = "was put back" if outcome["changed"] else "stays"
        yield found("SCH042", _POINTER, node=node.name, how=how, why=outcome["why"])
