# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The verdict document: what report.json holds, and what every other report is made of.

docs/schemas/report.schema.json describes it.
"""

from __future__ import annotations

import typing as t
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from .._catalogue import CATALOGUE
from .._chain import CheckpointVerdict, Conclusion, Finding, NodeVerdict, conclude_run
from .._evidence.excerpt import excerpt, proofs
from .._evidence.facts import facts_of
from .._judge.owner import owners

SCHEMA = 1

Document = dict[str, t.Any]
Evidence = Mapping[str, t.Any]


def document(
    run: Mapping[str, t.Any],
    cluster: Mapping[str, t.Any],
    evidence: Sequence[Evidence],
    verdicts: Sequence[NodeVerdict],
) -> Document:
    """Return the verdict document of all nodes; ``verdicts`` are those of ``evidence``, in its order.

    ``run``: ``id``, ``started``, ``finished`` (UTC, ISO 8601), ``chosen``, ``check_mode``, ``hosts`` (the pattern),
    ``by``, ``versions``, and ``ended_early``: null, or why the run did not come to its end.
    ``cluster``: ``context``, ``server``, ``version``, ``uid``, ``identity``, ``missing_permissions`` and
    ``nodes_without_host``.
    """
    counts = Counter(verdict.conclusion for verdict in verdicts)
    return {
        "schema": SCHEMA,
        "run": dict(run),
        "cluster": dict(cluster),
        "conclusion": _conclusion(run, verdicts),
        "summary": {
            "nodes": len(verdicts),
            "usable": counts["usable"],
            "broken": counts["broken"],
            "not_proven": counts["not proven"],
            "waived": counts["waived"],
        },
        "nodes": [_node(one, verdict) for one, verdict in zip(evidence, verdicts, strict=True)],
    }


def _conclusion(run: Mapping[str, t.Any], verdicts: Sequence[NodeVerdict]) -> Conclusion:
    """A run that ended early, or of which a host has no evidence, is neither usable nor waived by what is left."""
    conclusion = conclude_run(verdicts)
    lost = set(run.get("hosts") or ()) - {verdict.host for verdict in verdicts}
    whole = not lost and not run.get("ended_early")
    return conclusion if whole or conclusion == "broken" else "not proven"


def _node(evidence: Evidence, verdict: NodeVerdict) -> Document:
    deciding = verdict.deciding
    given = proofs(evidence)
    excerpts = _excerpts(evidence, verdict, given)
    return {
        "host": verdict.host,
        "node": verdict.node,
        "conclusion": verdict.conclusion,
        "first_broken_layer": verdict.first_broken_layer,
        "deciding": _finding(deciding) if deciding else None,
        "not_proven": list(verdict.not_proven),
        "facts": facts_of(evidence),
        "owners": {layer: asdict(owner) for layer, owner in owners(evidence).items()},
        "checkpoints": [
            _checkpoint(checkpoint, [pointer for pointer in given[checkpoint.number] if pointer in excerpts])
            for checkpoint in verdict.checkpoints
        ],
        "excerpts": excerpts,
    }


def _checkpoint(checkpoint: CheckpointVerdict, proof: Sequence[str]) -> Document:
    return {
        "number": checkpoint.number,
        "layer": checkpoint.layer,
        "title": checkpoint.title,
        "status": checkpoint.status,
        "seen": checkpoint.seen,
        "proof": list(proof) if checkpoint.seen else [],
        "findings": [_finding(finding) for finding in checkpoint.findings],
    }


def _finding(finding: Finding) -> Document:
    return {**asdict(finding), "title": CATALOGUE[finding.code].title, "evidence": list(finding.evidence)}


def _excerpts(evidence: Evidence, verdict: NodeVerdict, given: Mapping[int, Sequence[str]]) -> Document:
    """The lines that findings and proofs point at, by pointer; those of a proof only where it was given."""
    said: dict[str, str] = {}
    for checkpoint in verdict.checkpoints:
        for finding in checkpoint.findings:
            for pointer in finding.evidence:
                said[pointer] = f"{said.get(pointer, '')} {finding.message}"
        for pointer in given[checkpoint.number] if checkpoint.seen else ():
            said.setdefault(pointer, checkpoint.seen or "")
    found = {pointer: excerpt(evidence, pointer, words) for pointer, words in said.items()}
    return {pointer: dict(vars(lines)) for pointer, lines in found.items() if lines}
