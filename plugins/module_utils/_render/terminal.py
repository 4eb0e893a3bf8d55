# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The chain on the terminal: a row a node, six marks, and details only for what is not fine. 80 columns, no colour."""

from __future__ import annotations

import textwrap
import typing as t
from collections.abc import Iterator, Mapping, Sequence

from .._chain import Finding, NodeVerdict

_WIDTH = 80
_COLUMNS = ("driver", "toolkit", "plugin", "sched.", "placed", "proven")
_MARKS = {"fail": "FAIL", "unknown": "?", "skip": "skipped"}


def chain(document: Mapping[str, t.Any], verdicts: Sequence[NodeVerdict]) -> str:
    """Return the text to show for a run. ``document`` is that of the same verdicts."""
    return "\n".join([*_heading(document), "", *_table(verdicts), *_details(verdicts), "", _total(document)])


def _heading(document: Mapping[str, t.Any]) -> Iterator[str]:
    cluster = document["cluster"]
    where = f"{cluster['context']} ({cluster['version'] or 'not reached'})" if cluster.get("context") else "not asked"
    yield f"Can a Pod get a GPU?   cluster: {where}   run: {document['run']['id']}"


def _table(verdicts: Sequence[NodeVerdict]) -> Iterator[str]:
    width = max([4, *(len(verdict.host) for verdict in verdicts)])
    yield " ".join([f"{'host':<{width}}", *(f"{n} {name}".ljust(9) for n, name in enumerate(_COLUMNS, 1))]).rstrip()
    for verdict in verdicts:
        marks = (_MARKS.get(c.status, c.status).ljust(9) for c in verdict.checkpoints)
        yield " ".join([f"{verdict.host:<{width}}", *marks]) + f" {verdict.conclusion}"


def _details(verdicts: Sequence[NodeVerdict]) -> Iterator[str]:
    for verdict in verdicts:
        lines = list(_node(verdict))
        if lines:
            yield ""
            yield from lines


def _node(verdict: NodeVerdict) -> Iterator[str]:
    """The findings that decide, each once; what lies above the first broken layer is not told."""
    if verdict.conclusion == "broken":
        yield f"{verdict.host} is broken. First broken layer: {verdict.first_broken_layer}"
        wanted = {"fail"}
    elif verdict.conclusion == "not proven":
        skipped = [str(c.number) for c in verdict.checkpoints if c.status == "skip"]
        why = f"; skipped: {', '.join(skipped)}" if skipped else ""
        yield f"{verdict.host} is not proven. Missing checkpoints: {', '.join(map(str, verdict.not_proven))}{why}"
        wanted = {"unknown", "busy"}
    else:
        wanted = set()
    told = dict.fromkeys(f for c in verdict.checkpoints for f in c.findings)
    for finding in told:
        same_layer = verdict.first_broken_layer in (None, finding.layer)
        if (finding.status in wanted and same_layer) or finding.status == "warning":
            yield from _finding(finding)


def _finding(finding: Finding) -> Iterator[str]:
    yield from _wrapped(f"  {finding.code} ", f"{finding.layer}: {finding.message}")
    yield from _wrapped("         remedy: ", finding.remedy)
    if finding.evidence:
        yield from _wrapped("         evidence: ", ", ".join(finding.evidence))


def _wrapped(start: str, text: str) -> list[str]:
    flat = " ".join(text.split())
    return textwrap.wrap(flat, _WIDTH, initial_indent=start, subsequent_indent=" " * 9, break_on_hyphens=False)


def _total(document: Mapping[str, t.Any]) -> str:
    s = document["summary"]
    return f"{s['usable']} of {s['nodes']} nodes usable, {s['broken']} broken, {s['not_proven']} not proven"
