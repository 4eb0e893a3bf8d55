# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said of a run while it goes on: a line a layer, and who is not fine, out of the results of the tasks."""

from __future__ import annotations

import typing as t
from collections import Counter
from collections.abc import Mapping, Sequence

from .._catalogue import CATALOGUE
from .hosts import folded
from .wrap import wrapped

Result = Mapping[str, t.Any]

_NAMED = 20  # hosts of a layer that are named at once; of more it is said how many they are
_MARKS = {"fail": "FAIL", "unknown": "?"}
_NOT_ASKED = ("blocked", "unreachable", "refused", "no_access", "no_pod")


class HostLayers:
    """How far the layers are that are looked at on the hosts, each at its own pace."""

    def __init__(self, hosts: int = 0) -> None:
        """``hosts``: how many there are, if that is known."""
        self._hosts = hosts
        self._answers: Counter[str] = Counter()
        self._not_fine: Counter[str] = Counter()
        self._not_asked: Counter[str] = Counter()
        self._waived: Counter[str] = Counter()
        self._away: set[str] = set()
        self._done: set[str] = set()

    def answered(self, layer: str, host: str, result: Result) -> list[str]:
        """Take in the result of a layer on a host, and return what is to be said at once."""
        lines: list[str] = []
        kind = ((result.get("look") or {}).get("error") or {}).get("kind")
        if result.get("status") == "waived":
            self._waived[layer] += 1
        elif kind == "blocked" or host in self._away or (kind == "no_access" and "status" not in result):
            self._not_asked[layer] += 1
        elif result.get("status", "pass") != "pass":
            self._not_fine[layer] += 1
            if self._not_fine[layer] <= _NAMED:
                lines += not_fine(host, result)
        if kind in _NOT_ASKED:
            self._away.add(host)
        self._answers[layer] += 1
        if self._answers[layer] == self._hosts:
            lines.append(self._line(layer))
        return lines

    def going_on(self) -> str:
        """Return the layers that have not ended, in one line."""
        going = [f"{layer} {n} of {self._hosts}" for layer, n in self._answers.items() if layer not in self._done]
        return f"{', '.join(going)} hosts" if going else ""

    def ended(self) -> list[str]:
        """Return the lines of the layers that some hosts did not come to."""
        return [self._line(layer) for layer in self._answers if layer not in self._done]

    def _line(self, layer: str) -> str:
        self._done.add(layer)
        of = f" of {self._hosts}" if self._hosts else ""
        counts = (("not fine", self._not_fine), ("not asked", self._not_asked), ("waived", self._waived))
        more = "".join(f", {of_layers[layer]} {words}" for words, of_layers in counts if of_layers[layer])
        return of_layer(layer, f"{self._answers[layer]}{of} hosts{more}")[0]


def of_layer(layer: str, words: str) -> list[str]:
    """Return what is said of a layer, its name in front."""
    return wrapped(f"{layer:<14} ", words, " " * 15)


def not_fine(host: str, result: Result) -> list[str]:
    """Return in a line or two what is wrong with a host."""
    status = result["status"]
    decides = [finding["code"] for finding in result.get("findings") or () if finding["status"] == status]
    what = f"{decides[0]} {CATALOGUE[decides[0]].title}" if decides else "nothing proves it"
    return wrapped("  ", f"{host}: {_MARKS.get(status, status)} {what}", " " * 6)


def read(layer: str, result: Result) -> list[str]:
    """Return what came of reading lists of the cluster."""
    if result.get("error"):
        return of_layer(layer, "the cluster could not be read")
    lists = result.get("lists") or {}
    had = [
        f"{len(lists[name]['items'])} {word}" for name, word in _LISTS.items() if (lists.get(name) or {}).get("items")
    ]
    return of_layer(layer, f"{' and '.join(had) or 'nothing'} read")


_LISTS = {"nodes": "Nodes", "pods": "Pods"}


def not_tried(result: Result) -> list[str]:
    """Return which hosts no smoke Pod is made for, and why."""
    reasons: dict[str, list[str]] = {}
    for host, reason in result["not_tried"].items():
        reasons.setdefault(reason, []).append(host)
    said = [f"not tried on {_few(hosts)}: {reason}" for reason, hosts in reasons.items()]
    return [line for words in said for line in of_layer("smoke_pod", words)]


def tried(result: Result) -> list[str]:
    """Return what the smoke Pods came to."""
    verdicts: Sequence[Result] = result["verdicts"]
    bad = [verdict for verdict in verdicts if not verdict["passed"]]
    lines = [line for verdict in bad[:_NAMED] for line in not_fine(verdict["host"], verdict)]
    return lines + of_layer("smoke_pod", f"{len(verdicts) - len(bad)} of {len(verdicts)} hosts passed")


def changed(hosts: Sequence[str]) -> list[str]:
    """Return on which hosts a task has changed something."""
    return wrapped("  changed: ", ", ".join(folded(hosts)), " " * 4)


def _few(hosts: Sequence[str]) -> str:
    items = folded(hosts)
    return ", ".join(items) if len(items) <= _NAMED else f"{len(hosts)} hosts"
