# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The chain on the terminal: a row a node, six marks, and details only for what is not fine. 80 columns, no colour."""

from __future__ import annotations

import textwrap
import typing as t
from collections.abc import Iterator, Mapping, Sequence

from .._access import in_words, permissions_of
from .._chain import Finding, NodeVerdict

_WIDTH = 80
_NAMED = 8  # names of a list that may be long
_COLUMNS = ("driver", "toolkit", "plugin", "sched.", "placed", "proven")
_MARKS = {"fail": "FAIL", "unknown": "?", "skip": "skipped"}


def chain(document: Mapping[str, t.Any], verdicts: Sequence[NodeVerdict]) -> str:
    """Return the text to show for a run. ``document`` is that of the same verdicts."""
    notes = list(_notes(document["cluster"]))
    lines = [*_heading(document), "", *_table(verdicts), *_details(document, verdicts), ""]
    return "\n".join([*lines, *notes, *([""] if notes else []), _total(document)])


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


def _details(document: Mapping[str, t.Any], verdicts: Sequence[NodeVerdict]) -> Iterator[str]:
    """What is not fine, once for all hosts of which the same is said."""
    hosts: dict[tuple[str, ...], list[str]] = {}
    for verdict, node in zip(verdicts, document["nodes"], strict=True):
        said = (_headline(verdict), *_findings(verdict), *_owners(verdict, node["owners"]))
        hosts.setdefault(said, []).append(verdict.host)
    for (headline, *findings), alike in hosts.items():
        if findings or not headline.startswith("usable"):
            yield ""
            yield from _wrapped("", f"{', '.join(alike)}: {headline}", " " * 2)
            yield from findings


def _headline(verdict: NodeVerdict) -> str:
    if verdict.conclusion == "broken":
        return f"broken. First broken layer: {verdict.first_broken_layer}"
    if verdict.conclusion == "usable":
        return "usable"
    skipped = [str(c.number) for c in verdict.checkpoints if c.status == "skip"]
    return f"not proven. Missing checkpoints: {', '.join(map(str, verdict.not_proven))}" + (
        f"; skipped: {', '.join(skipped)}" if skipped else ""
    )


def _findings(verdict: NodeVerdict) -> Iterator[str]:
    """The findings that decide, each once, and warnings. What lies above the first broken layer is not told."""
    for finding in _told_once(verdict):
        if _decides(finding, verdict) or finding.status == "warning":
            yield from _finding(finding)


def _told_once(verdict: NodeVerdict) -> Iterator[Finding]:
    """All findings, less what an earlier checkpoint has said already, perhaps in other words."""
    told: set[tuple[str, str]] = set()
    for checkpoint in verdict.checkpoints:
        new = [f for f in dict.fromkeys(checkpoint.findings) if (f.code, f.remedy) not in told]
        yield from new
        told |= {(finding.code, finding.remedy) for finding in new}


def _decides(finding: Finding, verdict: NodeVerdict) -> bool:
    wanted = {"fail"} if verdict.conclusion == "broken" else {"unknown", "busy"}
    return finding.status in wanted and verdict.first_broken_layer in (None, finding.layer)


def _owners(verdict: NodeVerdict, owners: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Whose the layers are that something has to be done about: remedies are to be read with it."""
    layers = {f.layer for c in verdict.checkpoints for f in c.findings if _decides(f, verdict)}
    for layer, own in owners.items():
        if layer in layers and own["owner"] not in ("nobody", "unknown"):
            yield from _wrapped("  ", f"The {layer} layer is owned by {own['owner']} ({own['because']}).")


def _finding(finding: Finding) -> Iterator[str]:
    yield from _wrapped(f"  {finding.code} ", f"{finding.layer}: {finding.message}")
    yield from _wrapped("         remedy: ", finding.remedy)
    if finding.evidence:
        yield from _wrapped("         evidence: ", ", ".join(finding.evidence))


def _wrapped(start: str, text: str, indent: str = " " * 9) -> list[str]:
    flat = " ".join(text.split())
    return textwrap.wrap(flat, _WIDTH, initial_indent=start, subsequent_indent=indent, break_on_hyphens=False)


def _notes(cluster: Mapping[str, t.Any]) -> Iterator[str]:
    """What concerns the run and no host of it."""
    explains = [one for one in cluster.get("missing_permissions") or () if not one["required"]]
    if explains:
        who, verbs = (
            cluster.get("identity") or "This identity",
            in_words(permissions_of(explains), explains[0]["namespace"]),
        )
        yield from _wrapped(
            "", f"{who} may not {verbs}. They only explain; missing-permissions.yml grants them.", " " * 2
        )
    others = cluster.get("nodes_without_host") or ()
    if others:
        more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
        yield from _wrapped("", f"GPU Nodes without a host in this run: {', '.join(others[:_NAMED])}{more}", " " * 2)


def _total(document: Mapping[str, t.Any]) -> str:
    s = document["summary"]
    return f"{s['usable']} of {s['nodes']} nodes usable, {s['broken']} broken, {s['not_proven']} not proven"
