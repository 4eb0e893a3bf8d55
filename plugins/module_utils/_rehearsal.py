# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A rehearsal: which faults are tried together, and the confusion matrix: was the right layer blamed, and nobody else?

Pure; private to the collection.
"""

from __future__ import annotations

import itertools
import json
import typing as t
from collections.abc import Iterator, Mapping, Sequence

Fault = Mapping[str, t.Any]
Round = dict[str, t.Any]
Entry = dict[str, t.Any]

_ASPECTS = ("layer", "status", "code")
_NO_VERDICT = "no verdict"


class Verification(t.NamedTuple):
    """How a verification ended, and its report."""

    exit_status: int
    report: Mapping[str, t.Any]

    @property
    def conclusions(self) -> dict[str, str]:
        """The conclusion of each node by its name."""
        return {node["host"]: node["conclusion"] for node in self.report["nodes"]}

    def not_usable(self, nodes: Sequence[str]) -> list[str]:
        """Those of ``nodes`` that were not called usable; also those that nothing was said of."""
        return [node for node in nodes if self.conclusions.get(node) != "usable"]

    def blamed(self, host: str) -> dict[str, str]:
        """What decided about the node."""
        for node in self.report["nodes"]:
            if node["host"] == host:
                return _aspects(node["deciding"] or {}, node["conclusion"])
        return _aspects({}, _NO_VERDICT)


def rounds(faults: Sequence[Fault], nodes: Sequence[str]) -> list[Round]:
    """Plan which faults are tried at the same time, each on a node of its own.

    One node at least stays whole in each round, another one each time. A fault that hits every node has a round for
    itself. Faults share a round only if they are verified with the same settings; and those that must not be noticed
    are apart from the others, so that the exit status says so too. Those that make a verification wait share the wait.
    """
    faults = sorted(faults, key=lambda fault: not fault.get("waits"))
    alone = [[fault] for fault in faults if fault.get("everywhere")]
    together: dict[str, list[Fault]] = {}
    for fault in faults:
        if not fault.get("everywhere"):
            together.setdefault(json.dumps([_settings(fault), _must_work(fault)], sort_keys=True), []).append(fault)
    size = max(len(nodes) - 1, 1)
    shared = [group[i : i + size] for group in together.values() for i in range(0, len(group), size)]
    plan: list[Round] = []
    nothing: list[Fault] = []
    # The node that stays whole proves that it was mended: so a shared round follows each fault that hit every node.
    for number, pair in enumerate(itertools.zip_longest(alone, shared, fillvalue=nothing)):
        plan += [_round(batch, nodes, number) for batch in pair if batch]
    return plan


def _round(batch: Sequence[Fault], nodes: Sequence[str], number: int) -> Round:
    placed = [
        {
            "name": fault["name"],
            "node": nodes[(place - number) % len(nodes)],
            "expect": fault["expect"],
            "everywhere": bool(fault.get("everywhere")),
        }
        for place, fault in enumerate(batch)
    ]
    return {"name": "+".join(fault["name"] for fault in batch), "settings": _settings(batch[0]), "faults": placed}


def _settings(fault: Fault) -> dict[str, t.Any]:
    return dict(fault.get("settings") or {})


def _must_work(fault: Fault) -> bool:
    return "conclusion" in fault["expect"]


def _aspects(finding: Mapping[str, str], otherwise: str = "") -> dict[str, str]:
    return {aspect: finding.get(aspect, otherwise) for aspect in _ASPECTS}


def entries(
    plan: Sequence[Round], nodes: Sequence[str], broken: Sequence[Verification], mended: Verification
) -> list[Entry]:
    """Judge each fault of a rehearsal.

    ``broken`` are the verifications while the faults of each round were there, ``mended`` is the one at the end, when
    nothing was broken. What was mended is proven by the first verification in which no fault hit that node. If that
    node is not usable then, all faults since it last was are to blame, and those of that very round, if there are any:
    nobody knows which.
    """
    found = []
    for number, one in enumerate(plan):
        later = [*zip(plan[number + 1 :], broken[number + 1 :], strict=True), ({"faults": []}, mended)]
        for fault in one["faults"]:
            entry = _entry(fault, one["faults"], nodes, broken[number])
            not_mended = list(_not_mended(_hit(fault, nodes), nodes, later))
            entry["false_alarms"] += not_mended
            entry["right"] = entry["right"] and not not_mended
            found.append(entry)
    return found


def _hit(fault: Fault, nodes: Sequence[str]) -> list[str]:
    return list(nodes) if fault["everywhere"] else [fault["node"]]


def _entry(fault: Fault, beside: Sequence[Fault], nodes: Sequence[str], seen: Verification) -> Entry:
    hit = _hit(fault, nodes)
    hit_by_any = {node for other in beside for node in _hit(other, nodes)}
    wanted = _aspects(fault["expect"], fault["expect"].get("conclusion", ""))
    alarms = seen.not_usable([node for node in nodes if node not in hit_by_any])
    false_passes = []
    if _must_work(fault):
        alarms += seen.not_usable(hit)
        if seen.exit_status != 0 and not alarms:
            alarms = ["the exit status"]
    else:
        false_passes = [node for node in hit if seen.conclusions.get(node) == "usable"]
        if seen.exit_status == 0 and not false_passes:
            false_passes = ["the exit status"]
    blamed = bool(hit) and all(seen.blamed(node) == wanted for node in hit)
    return {
        "fault": fault["name"],
        "node": fault["node"],
        "expected": wanted,
        "got": seen.blamed(fault["node"]),
        "right": blamed and not alarms and not false_passes,
        "exit_status": seen.exit_status,
        "false_passes": false_passes,
        "false_alarms": alarms,
    }


def _not_mended(
    hit: Sequence[str], nodes: Sequence[str], later: Sequence[tuple[Mapping[str, t.Any], Verification]]
) -> Iterator[str]:
    """Name the nodes that were still not usable when nothing hit them any more."""
    for node in hit:
        spared = [
            (one["faults"], seen)
            for one, seen in later
            if not any(node in _hit(fault, nodes) for fault in one["faults"])
        ]
        faults, proof = spared[0]  # the last verification of all spares every node
        if proof.not_usable([node]):
            yield f"{node} after mending"
        elif not faults and proof.exit_status != 0 and not proof.not_usable(nodes):
            yield "the exit status after mending"


def matrix(judged: Sequence[Entry]) -> dict[str, t.Any]:
    """Return the matrix document: one entry a fault, and the totals."""
    return {
        "faults": len(judged),
        "right": sum(one["right"] for one in judged),
        "false_passes": sum(len(one["false_passes"]) for one in judged),
        "false_alarms": sum(len(one["false_alarms"]) for one in judged),
        "matrix": list(judged),
    }


def table(document: Mapping[str, t.Any]) -> str:
    """Return the matrix for the terminal."""
    return "\n".join(_lines(document))


def _lines(document: Mapping[str, t.Any]) -> Iterator[str]:
    yield f"{'fault':<28} {'node':<6} {'expected':<29} {'got':<29}"
    for one in document["matrix"]:
        expected, got = (_words(one[which]) for which in ("expected", "got"))
        yield f"{one['fault']:<28} {one['node']:<6} {expected:<29} {got:<29} {'right' if one['right'] else 'WRONG'}"
        for words, hosts in (("false pass", one["false_passes"]), ("false alarm", one["false_alarms"])):
            if hosts:
                yield f"{'':<28} {words}: {', '.join(hosts)}"
    yield (
        f"{document['right']} of {document['faults']} faults right, "
        f"{document['false_passes']} false passes, {document['false_alarms']} false alarms"
    )


def _words(finding: Mapping[str, str]) -> str:
    """Layer, status and code; a conclusion, which stands for all three, only once."""
    return " ".join(dict.fromkeys(finding[aspect] for aspect in _ASPECTS))
