# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What changed between two runs, node by node, from their verdict documents (_render/document.py).

Private to the collection. Only what both runs looked at is compared: what one of them left out or could not see is
neither better nor worse.
"""

from __future__ import annotations

import re
import typing as t
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ._chain import Conclusion, Layer, Status

SCHEMA = 1
"""Of comparison.json."""

Document = Mapping[str, t.Any]
Word = t.Literal["worse", "gone", "not compared", "better", "changed", "new", "same"]

WORDS: tuple[Word, ...] = t.get_args(Word)
"""What can be said of a node, in the order in which a reader wants to know it."""

_FACTS = (
    *("driver", "toolkit", "kernel", "os", "kubelet", "container_runtime"),
    *("gpus", "models", "capacity", "allocatable"),
)
_DEVICE = re.compile(r"\b(?:(?:GPU|MIG)-[0-9a-f-]{36}|[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})\b", re.IGNORECASE)


@dataclass(frozen=True)
class StatusChange:
    """A checkpoint whose status is another one now."""

    number: int
    layer: Layer
    before: Status
    after: Status


@dataclass(frozen=True)
class FactChange:
    """A fact (_evidence/facts.py) that both runs saw, and that is another one now."""

    name: str
    before: t.Any
    after: t.Any


@dataclass(frozen=True)
class Told:
    """A finding that one of the runs told and the other did not."""

    code: str
    layer: Layer
    status: str
    message: str


@dataclass(frozen=True)
class NodeChange:
    """What became of a node.

    ``before`` and ``after`` are its conclusions; None: that run has no such node. ``not_compared`` are the numbers of
    the checkpoints that one of the runs left out. ``came`` are findings that are new, ``went`` those that are no longer
    found where it was looked. ``gpus_gone`` and ``gpus_new`` are UUIDs. ``still_there``: the second run did not look at
    a node that is still a GPU Node of the cluster.
    """

    host: str
    node: str | None
    word: Word
    before: Conclusion | None
    after: Conclusion | None
    checkpoints: tuple[StatusChange, ...] = ()
    not_compared: tuple[int, ...] = ()
    came: tuple[Told, ...] = ()
    went: tuple[Told, ...] = ()
    facts: tuple[FactChange, ...] = ()
    gpus_gone: tuple[str, ...] = ()
    gpus_new: tuple[str, ...] = ()
    still_there: bool = False


@dataclass(frozen=True)
class RunTold:
    """Which run it was, and of which cluster."""

    id: str
    started: str
    context: str | None
    uid: str | None
    kubernetes: str | None


@dataclass(frozen=True)
class Comparison:
    """``cautions`` are what a reader must know before they believe the rest. The worst ``nodes`` come first."""

    before: RunTold
    after: RunTold
    cautions: tuple[str, ...]
    summary: Mapping[str, int]
    nodes: tuple[NodeChange, ...]

    @property
    def worse(self) -> tuple[str, ...]:
        """The hosts that are not known to be as good as they were: a node of which nothing was compared is none."""
        return tuple(node.host for node in self.nodes if node.word in ("worse", "gone", "not compared"))


def compare(before: Document, after: Document) -> Comparison:
    """Compare two verdict documents, of which ``after`` is that of the later run."""
    pairs, gone, new = _matched(before["nodes"], after["nodes"])
    elsewhere = after["cluster"].get("nodes_without_host") or ()
    changes = [_change(a, b) for a, b in pairs]
    for a in gone:
        still_there = a["node"] in elsewhere
        changes.append(NodeChange(a["host"], a["node"], "gone", a["conclusion"], None, still_there=still_there))
    changes += [NodeChange(b["host"], b["node"], "new", None, b["conclusion"]) for b in new]
    counts = Counter(change.word for change in changes)
    places = {node["host"]: place for place, node in enumerate((*before["nodes"], *after["nodes"]))}
    return Comparison(
        before=_run(before),
        after=_run(after),
        cautions=tuple(_cautions(before, after)),
        summary={word.replace(" ", "_"): counts[word] for word in WORDS},
        nodes=tuple(sorted(changes, key=lambda change: (WORDS.index(change.word), places[change.host]))),
    )


def _matched(
    before: Sequence[Document], after: Sequence[Document]
) -> tuple[list[tuple[Document, Document]], list[Document], list[Document]]:
    """Match nodes by both their names, else by the Node's, else by the host's. Return pairs, and who has no match."""
    pairs, gone, new = [], list(before), list(after)
    for names in (("node", "host"), ("node",), ("host",)):
        there = {tuple(b[name] for name in names): b for b in reversed(new) if b[names[0]]}
        rest = []
        for a in gone:
            b = there.pop(tuple(a[name] for name in names), None)
            if b is None:
                rest.append(a)
            else:
                pairs.append((a, b))
        taken = {id(b) for _a, b in pairs}
        gone, new = rest, [b for b in new if id(b) not in taken]
    return pairs, gone, new


def _change(old: Document, new: Document) -> NodeChange:
    both = [
        StatusChange(a["number"], a["layer"], a["status"], b["status"])
        for a, b in zip(old["checkpoints"], new["checkpoints"], strict=True)
        if _both_looked(a["status"], b["status"])
    ]
    compared = [c.number for c in both]
    told = [c.number for c in both if c.after != "blocked"]
    looked_at_again = [c.number for c in both if c.before != "blocked" and c.after in ("pass", "fail", "busy")]
    gpus_gone, gpus_new = _gpus(old["facts"], new["facts"])
    change = NodeChange(
        host=new["host"],
        node=new["node"] or old["node"],
        word="same",
        before=old["conclusion"],
        after=new["conclusion"],
        checkpoints=tuple(c for c in both if c.before != c.after),
        not_compared=tuple(c["number"] for c in old["checkpoints"] if c["number"] not in compared),
        came=_only_in(new, old, told),
        went=_only_in(old, new, looked_at_again),
        facts=tuple(_facts(old["facts"], new["facts"])),
        gpus_gone=gpus_gone,
        gpus_new=gpus_new,
    )
    return replace(change, word=_word(both, change))


def _both_looked(before: Status, after: Status) -> bool:
    """A waived layer was not looked at either; but one that is blamed all the same counts."""
    if "waived" in (before, after):
        return "fail" in (before, after)
    return "skip" not in (before, after)


def _word(both: Sequence[StatusChange], change: NodeChange) -> Word:
    """Better needs something that is proven now and was not: that a fault can no longer be seen is not enough."""
    if not both:
        return "not compared"
    lost = any(c.before == "pass" for c in change.checkpoints)
    broke = any(c.after == "fail" for c in both) and not any(c.before == "fail" for c in both)
    if lost or broke:
        return "worse"
    if any(c.after == "pass" for c in change.checkpoints):
        return "better"
    differs = (change.checkpoints, change.came, change.went, change.facts, change.gpus_gone, change.gpus_new)
    return "changed" if any(differs) else "same"


def _only_in(one: Document, other: Document, numbers: Sequence[int]) -> tuple[Told, ...]:
    """The findings of these checkpoints of one run that the other run does not have at all, each once."""
    known = {_which(finding) for checkpoint in other["checkpoints"] for finding in checkpoint["findings"]}
    told = {
        _which(finding): Told(finding["code"], finding["layer"], finding["status"], finding["message"])
        for checkpoint in reversed(one["checkpoints"])
        for finding in reversed(checkpoint["findings"])
        if checkpoint["number"] in numbers and _which(finding) not in known
    }
    return tuple(reversed(told.values()))


def _which(finding: Document) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """What makes two findings the same: the code, what it rests on, and the GPUs that it names. Other words vary."""
    gpus = {gpu.lower() for gpu in _DEVICE.findall(finding["message"])}
    return finding["code"], tuple(finding["evidence"]), tuple(sorted(gpus))


def _facts(old: Document, new: Document) -> Iterator[FactChange]:
    for name in _FACTS:
        before, after = old.get(name), new.get(name)
        if before is not None and after is not None and before != after:
            yield FactChange(name, before, after)


def _gpus(old: Document, new: Document) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The UUIDs that are gone, and those that are new, where both runs saw which there are."""
    before, after = old.get("uuids"), new.get("uuids")
    if before is None or after is None:
        return (), ()
    return tuple(sorted({*before} - {*after})), tuple(sorted({*after} - {*before}))


def _run(document: Document) -> RunTold:
    run, cluster = document["run"], document["cluster"]
    names = (cluster.get(name) for name in ("context", "uid", "version"))
    return RunTold(run.get("id") or "without an id", run.get("started") or "", *names)


def _cautions(before: Document, after: Document) -> Iterator[str]:
    uids = [document["cluster"].get("uid") for document in (before, after)]
    if None in uids:
        yield "One of the runs did not learn which cluster it asked: these may be two clusters."
    elif uids[0] != uids[1]:
        yield f"These are two clusters: their UIDs are {uids[0]} and {uids[1]}."
    if bool(before["run"].get("redacted")) != bool(after["run"].get("redacted")):
        yield "One of the runs is redacted and the other is not: the same host has two names, and so has the cluster."
    if (before["run"].get("started") or "") > (after["run"].get("started") or ""):
        yield "The run given as the one before began after the other: they may have been swapped."
    for which, document in (("before", before), ("after", after)):
        if document["run"].get("ended_early"):
            yield f"The run {which} came to no end of its own ({document['run']['ended_early']})."
