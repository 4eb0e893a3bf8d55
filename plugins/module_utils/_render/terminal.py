# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The chain on the terminal: a row a node, six marks, and details only for what is not fine. 80 columns wide."""

from __future__ import annotations

import typing as t
from collections.abc import Callable, Iterator, Mapping, Sequence

from .._access import in_words, permissions_of
from .._chain import decides
from .hosts import cut, folded
from .wrap import WIDTH, printable, wrapped

Document = Mapping[str, t.Any]
Paint = Callable[[str, str], str]
"""Colours a word. Its second argument is what the word stands for: a status, or a conclusion."""

_INDENT = " " * 9
_NAMED = 8  # names of a list that may be long
_WORDINGS = 3  # of one finding; more are as many hosts with messages of their own
_ROWS = 60  # of usable nodes; of more it is enough to say how many and which

_COLUMNS = ("driver", "toolkit", "plugin", "sched.", "placed", "proven")
_LAYERS = {"device_plugin": "plugin", "scheduler": "sched.", "smoke_pod": "pod"}
_MARKS = {"fail": "FAIL", "unknown": "?", "blocked": "-"}
_LEFT_OUT = {"skip": "skipped", "waived": "waived"}
_ORDER = ("broken", "not proven", "waived", "usable")
_LEGEND = {
    "blocked": "-: not tried, since a layer below is broken",
    "unknown": "?: could not be told",
    "waived": "waived: not looked at, as the user wants it",
}


def _plain(word: str, _stands_for: str) -> str:
    return word


def chain(document: Document, paint: Paint = _plain) -> str:
    """Return the text to show for a run."""
    notes = list(_notes(document["cluster"]))
    lines = [*_heading(document, paint), "", *_table(document["nodes"], paint), *_details(document["nodes"], paint), ""]
    return "\n".join([*lines, *notes, *([""] if notes else []), _total(document)])


def _heading(document: Document, paint: Paint) -> Iterator[str]:
    run, cluster = document["run"], document["cluster"]
    if run.get("ended_early"):
        early = wrapped("THE RUN ENDED EARLY: ", str(run["ended_early"]), " " * 2)
        yield from (paint(line, "broken") for line in early)
        yield ""
    where = f"{cluster['context']} ({cluster['version'] or 'not reached'})" if cluster.get("context") else "not asked"
    said = ["Can a Pod get a GPU?", f"cluster: {where}", f"run: {run['id']}"]
    line = printable("   ".join(said))
    yield from [line] if len(line) <= WIDTH else [part for one in said for part in wrapped("", one, " " * 2)]


# ---- the table


def _table(nodes: Sequence[Document], paint: Paint) -> Iterator[str]:
    usable = [node["host"] for node in nodes if node["conclusion"] == "usable"]
    rows = [node for node in nodes if len(usable) <= _ROWS or node["conclusion"] != "usable"]
    room = WIDTH - len(" ".join(_COLUMNS)) - 2 - max((len(_ending(node)) for node in rows), default=0)
    hosts = [printable(node["host"]) for node in rows]
    width = min(room, max(map(len, ["host", *hosts])))
    labels = cut(hosts, width)
    if rows:
        yield " ".join(["host".ljust(width), *_COLUMNS])
    for node, label in zip(rows, labels or hosts, strict=True):
        if labels is None and len(label) > width:
            yield from wrapped("", label, "")
            label = ""
        yield " ".join([label.ljust(width), *_marks(node, paint), paint(_ending(node), node["conclusion"])])
    statuses = {checkpoint["status"] for node in rows for checkpoint in node["checkpoints"]}
    legend = [words for status, words in _LEGEND.items() if status in statuses]
    if legend:
        yield from wrapped("(", f"{'; '.join(legend)})", " ")
    if len(usable) > _ROWS:
        yield from wrapped(f"{len(usable)} usable: ", _some(usable), " " * 2)


def _marks(node: Document, paint: Paint) -> Iterator[str]:
    for checkpoint, column in zip(node["checkpoints"], _COLUMNS, strict=True):
        mark = _MARKS.get(checkpoint["status"], checkpoint["status"])
        yield paint(mark, checkpoint["status"]) + " " * (len(column) - len(mark))


def _ending(node: Document) -> str:
    """The conclusion, and what it hangs on."""
    code = node["deciding"]["code"] if node["deciding"] else ""
    if node["conclusion"] == "broken":
        layer = node["first_broken_layer"]
        return f"broken: {_LAYERS.get(layer, layer)} {code}"
    return f"{node['conclusion']}: {code}" if code else str(node["conclusion"])


# ---- the details


def _details(nodes: Sequence[Document], paint: Paint) -> Iterator[str]:
    """What is not fine, once for all hosts of which the same is said. What is broken comes first."""
    groups: dict[tuple[t.Any, ...], list[Document]] = {}
    for node in nodes:
        codes = [finding["code"] for finding in _told(node)]
        if codes or node["conclusion"] != "usable":
            groups.setdefault((_headline(node), *codes, *_owners(node)), []).append(node)
    for alike in sorted(groups.values(), key=lambda group: _ORDER.index(group[0]["conclusion"])):
        yield ""
        first = alike[0]
        headline = _headline(first)
        *before, last = wrapped("", f"{_all(alike)}: {headline}", " " * 2)
        yield from before
        yield last.replace(f": {first['conclusion']}", f": {paint(first['conclusion'], first['conclusion'])}", 1)
        for findings in zip(*map(_told, alike), strict=True):
            yield from _finding([(node["host"], one) for node, one in zip(alike, findings, strict=True)], paint)
        for owner in _owners(first):
            yield from wrapped("  ", owner, _INDENT)


def _headline(node: Document) -> str:
    if node["conclusion"] == "broken":
        return f"broken. First broken layer: {node['first_broken_layer']}"
    if node["conclusion"] == "usable":
        return "usable"
    left: dict[str, list[str]] = {"missing": [], "skipped": [], "waived": []}
    for name, checkpoint in zip(_COLUMNS, node["checkpoints"], strict=True):
        if checkpoint["status"] != "pass":
            left[_LEFT_OUT.get(checkpoint["status"], "missing")].append(name)
    if node["conclusion"] == "waived":
        return f"waived ({', '.join(left['waived'])}); all that was looked at passes"
    said = [f"{how}: {', '.join(names)}" for how, names in left.items() if names]
    return f"not proven ({'; '.join(said)})"


def _told(node: Document) -> list[Document]:
    """The findings that decide, each once, and warnings. What lies above the first broken layer is not told."""
    return [f for f in _told_once(node) if _decides(f, node) or f["status"] == "warning"]


def _told_once(node: Document) -> Iterator[Document]:
    """All findings, less what an earlier checkpoint has said already, perhaps in other words."""
    told: set[tuple[str, str]] = set()
    for checkpoint in node["checkpoints"]:
        new = [f for f in _unlike(checkpoint["findings"]) if (f["code"], f["remedy"]) not in told]
        yield from new
        told |= {(finding["code"], finding["remedy"]) for finding in new}


def _unlike(findings: Sequence[Document]) -> list[Document]:
    return [finding for n, finding in enumerate(findings) if finding not in findings[:n]]


def _decides(finding: Document, node: Document) -> bool:
    return decides(finding["status"], finding["layer"], node["conclusion"], node["first_broken_layer"])


def _owners(node: Document) -> Iterator[str]:
    """Whose the layers are that something has to be done about: remedies are to be read with it."""
    layers = {finding["layer"] for finding in _told(node) if _decides(finding, node)}
    for layer, own in node["owners"].items():
        if layer in layers and own["owner"] not in ("nobody", "unknown"):
            yield f"The {layer} layer is owned by {own['owner']} ({own['because']})."


def _finding(told: Sequence[tuple[str, Document]], paint: Paint) -> Iterator[str]:
    """One finding of several hosts, which may say it in words of their own."""
    wordings: dict[tuple[str, str, str], list[str]] = {}
    for host, finding in told:
        words = (finding["message"], finding["remedy"], ", ".join(finding["evidence"]))
        wordings.setdefault(words, []).append(host)
    one = told[0][1]
    shown = list(wordings.items())[:_WORDINGS]
    for n, ((message, *advice), hosts) in enumerate(shown, 1):
        whose = f"{one['layer']}, {_some(hosts)}" if len(wordings) > 1 else one["layer"]
        first, *rest = wrapped(f"  {one['code']} ", f"{whose}: {message}", _INDENT)
        yield first.replace(one["code"], paint(one["code"], one["status"]), 1)
        yield from rest
        if n == len(shown) or advice != list(shown[n][0][1:]):
            yield from _advice(*advice)
    others = [host for hosts in list(wordings.values())[_WORDINGS:] for host in hosts]
    if others:
        yield f"{_INDENT}{len(others)} more hosts say {one['code']} in words of their own: see the report."


def _advice(remedy: str, evidence: str) -> Iterator[str]:
    yield from wrapped(f"{_INDENT}remedy: ", remedy, _INDENT)
    if evidence:
        yield from wrapped(f"{_INDENT}evidence: ", evidence, _INDENT)


# ---- beneath


def _notes(cluster: Document) -> Iterator[str]:
    """What concerns the run and no host of it."""
    explains = [one for one in cluster.get("missing_permissions") or () if not one["required"]]
    if explains:
        namespaces = {one["scope"]: one["namespace"] for one in explains}
        who, verbs = cluster.get("identity") or "This identity", in_words(permissions_of(explains), namespaces)
        yield from wrapped(
            "", f"{who} may not {verbs}. They only explain; missing-permissions.yml grants them.", " " * 2
        )
    others = cluster.get("nodes_without_host") or ()
    if others:
        yield from wrapped("", f"GPU Nodes without a host in this run: {_some(others)}", " " * 2)


def _total(document: Document) -> str:
    s = document["summary"]
    waived = f", {s['waived']} waived" if s["waived"] else ""
    return f"{s['usable']} of {s['nodes']} nodes usable, {s['broken']} broken, {s['not_proven']} not proven{waived}"


def _all(nodes: Sequence[Document]) -> str:
    return ", ".join(folded([node["host"] for node in nodes]))


def _some(hosts: Sequence[str]) -> str:
    """The hosts if they are few or alike, else some of them."""
    items = folded(hosts)
    if len(items) <= _NAMED:
        return ", ".join(items)
    return f"{', '.join(hosts[:_NAMED])} and {len(hosts) - _NAMED} more"
