# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The confusion matrix of a rehearsal: was the right layer blamed, and nobody else? Pure; private to the collection."""

from __future__ import annotations

import typing as t
from collections.abc import Collection, Iterator, Mapping, Sequence

Report = Mapping[str, t.Any]
Entry = dict[str, t.Any]

_ASPECTS = ("layer", "status", "code")


def entry(
    fault: str,
    node: str,
    expected: Mapping[str, str],
    everywhere: bool,
    broken: tuple[int, Report],
    mended: tuple[int, Report],
    others: Collection[str] = (),
) -> Entry:
    """Judge the rehearsal of one fault.

    ``broken`` and ``mended`` are the exit status and the report of the verification while the fault was there and
    after it was mended. ``everywhere``: the fault hits every node, not only ``node``. ``others``: the nodes that other
    faults hit in the same round; they are judged with those.
    """
    exit_status, report = broken
    got = {n["host"]: _got(n) for n in report["nodes"]}
    wanted = {aspect: expected[aspect] for aspect in _ASPECTS}
    hit = [n for n in report["nodes"] if everywhere or n["host"] == node]
    spared = [n for n in report["nodes"] if n not in hit and n["host"] not in others]
    alarms = [n["host"] for n in spared if n["conclusion"] != "usable"]
    not_mended = [n["host"] for n in mended[1]["nodes"] if n["conclusion"] != "usable"]
    still = [host for host in not_mended if host not in others]
    false_passes = [n["host"] for n in hit if n["conclusion"] == "usable"]
    if exit_status == 0 and not false_passes:
        false_passes = ["the exit status"]
    blamed = bool(hit) and all(got[n["host"]] == wanted for n in hit)
    mended_well = bool(mended[1]["nodes"]) and not still and (mended[0] == 0 or bool(not_mended))
    return {
        "fault": fault,
        "node": node,
        "expected": wanted,
        "got": got.get(node, dict.fromkeys(_ASPECTS, "no verdict")),
        "right": blamed and mended_well and not alarms and not false_passes,
        "exit_status": exit_status,
        "false_passes": false_passes,
        "false_alarms": alarms + [f"{host} after mending" for host in still],
    }


def _got(node: Mapping[str, t.Any]) -> dict[str, str]:
    deciding = node["deciding"]
    if deciding is None:
        return dict.fromkeys(_ASPECTS, node["conclusion"])
    return {aspect: deciding[aspect] for aspect in _ASPECTS}


def matrix(entries: Sequence[Entry]) -> dict[str, t.Any]:
    """Return the matrix document: one entry a fault, and the totals."""
    return {
        "faults": len(entries),
        "right": sum(one["right"] for one in entries),
        "false_passes": sum(len(one["false_passes"]) for one in entries),
        "false_alarms": sum(len(one["false_alarms"]) for one in entries),
        "matrix": list(entries),
    }


def table(document: Mapping[str, t.Any]) -> str:
    """Return the matrix for the terminal."""
    return "\n".join(_lines(document))


def _lines(document: Mapping[str, t.Any]) -> Iterator[str]:
    yield f"{'fault':<24} {'node':<6} {'expected':<29} {'got':<29}"
    for one in document["matrix"]:
        expected, got = (" ".join(one[which][aspect] for aspect in _ASPECTS) for which in ("expected", "got"))
        yield f"{one['fault']:<24} {one['node']:<6} {expected:<29} {got:<29} {'right' if one['right'] else 'WRONG'}"
        for words, hosts in (("false pass", one["false_passes"]), ("false alarm", one["false_alarms"])):
            if hosts:
                yield f"{'':<24} {words}: {', '.join(hosts)}"
    yield (
        f"{document['right']} of {document['faults']} faults right, "
        f"{document['false_passes']} false passes, {document['false_alarms']} false alarms"
    )
