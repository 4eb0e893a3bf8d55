# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A comparison of two runs in words: for the terminal (80 columns) and as Markdown.

Nodes that share a change are told of once, so that an upgrade of a thousand nodes is a few lines.
"""

from __future__ import annotations

import textwrap
import typing as t
from collections.abc import Iterator, Sequence
from dataclasses import replace

from .._chain import CHECKPOINTS
from .._compare import Comparison, NodeChange, RunTold, Told
from .hosts import folded
from .markdown import plain

_WIDTH = 80
_NAMED = 8  # names, or ranges of names, of a list that may be long
_FACTS = {"os": "operating system", "container_runtime": "container runtime", "models": "GPUs"}

Group = Sequence[NodeChange]


def terminal(comparison: Comparison) -> str:
    """Return the text to show."""
    lines = ["What changed on the GPU nodes?", *_wrapped("before: ", _run(comparison.before))]
    lines += _wrapped("after:  ", _run(comparison.after))
    for caution in comparison.cautions:
        lines += ["", *_wrapped("Caution: ", caution)]
    for group in _groups(comparison.nodes):
        lines += ["", *_wrapped("", f"{names(_hosts(group))}: {_headline(group[0])}")]
        for line in _details(group):
            lines += _wrapped("  ", line, "    ")
    return "\n".join([*lines, "", total(comparison)])


def markdown(comparison: Comparison) -> str:
    """Return the same as a page, in which every node is named."""
    lines = ["# What changed on the GPU nodes", ""]
    lines += [f"* before: {plain(_run(comparison.before))}", f"* after: {plain(_run(comparison.after))}"]
    for caution in comparison.cautions:
        lines += ["", f"> **Caution:** {plain(caution)}"]
    lines += ["", f"**{total(comparison)}**"]
    for group in _groups(comparison.nodes):
        lines += ["", f"## {_headline(group[0]).capitalize()}", "", plain(", ".join(folded(_hosts(group))))]
        details = [f"* {plain(line)}" for line in _details(group)]
        lines += ["", *details] if details else []
    return "\n".join(lines) + "\n"


def total(comparison: Comparison) -> str:
    """Return the numbers in one line."""
    told = ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in comparison.summary.items() if count)
    return f"{len(comparison.nodes)} nodes: {told}"


def names(hosts: Sequence[str]) -> str:
    """Name hosts in few words; of very many only the first."""
    told = folded(hosts)
    return ", ".join(told[:_NAMED]) + (f", ... ({len(hosts)} hosts)" if len(told) > _NAMED else "")


def _run(run: RunTold) -> str:
    where = f"{run.context} ({run.kubernetes or 'not reached'})" if run.context else "no cluster"
    began = f"{run.started[:16].replace('T', ' ')} UTC" if run.started else "at an unknown time"
    return f"run {run.id}, {began}, {where}"


def _groups(nodes: Sequence[NodeChange]) -> list[Group]:
    """Nodes of which the same is to be said, but for their names and those of their GPUs and Pods."""
    groups: dict[str, list[NodeChange]] = {}
    for node in nodes:
        alike = replace(
            node,
            host="",
            node=None,
            came=tuple(replace(told, message="") for told in node.came),
            went=tuple(replace(told, message="") for told in node.went),
            gpus_gone=("",) * len(node.gpus_gone),
            gpus_new=("",) * len(node.gpus_new),
        )
        groups.setdefault(repr(alike), []).append(node)
    return list(groups.values())


def _hosts(group: Group) -> list[str]:
    return [node.host for node in group]


def _headline(node: NodeChange) -> str:
    if node.before is None or node.after is None:
        return f"{node.word}, was {node.before}" if node.before else f"{node.word}, is {node.after}"
    return f"{node.word}, {node.after if node.before == node.after else f'{node.before} -> {node.after}'}"


def _details(group: Group) -> Iterator[str]:
    node = group[0]
    if node.word == "gone":
        yield (
            "The Node is still in the cluster; the second run did not look at it."
            if node.still_there
            else ("The second run did not look at it, and saw no such GPU Node without a host.")
        )
    steps: dict[tuple[str, str], list[int]] = {}
    for change in node.checkpoints:
        steps.setdefault((change.before, change.after), []).append(change.number)
    for (before, after), numbers in steps.items():
        yield f"{_checkpoints(numbers)}: {before} -> {after}"
    if node.not_compared:
        yield f"not compared, since one of the runs left it out: {_checkpoints(node.not_compared)}"
    yield from _findings("new", group, [one.came for one in group])
    yield from _findings("no longer found", group, [one.went for one in group])
    for fact in node.facts:
        if fact.name != "gpus":  # the models are told with their numbers
            yield f"{_FACTS.get(fact.name, fact.name)}: {_value(fact.before)} -> {_value(fact.after)}"
    yield from _gpus(group)


def _checkpoints(numbers: Sequence[int]) -> str:
    return ", ".join(f"{c.number} {c.layer}" for c in CHECKPOINTS if c.number in numbers)


def _findings(how: str, group: Group, told: Sequence[Sequence[Told]]) -> Iterator[str]:
    """The group's findings in the words of its first node; whose words they are is said where others differ."""
    for place, finding in enumerate(told[0]):
        alike = all(others[place].message == finding.message for others in told)
        whose = "" if alike else f" (here on {group[0].host})"
        yield f"{how}{whose}: {finding.code} {finding.layer}: {finding.message}"


def _gpus(group: Group) -> Iterator[str]:
    gone, new = group[0].gpus_gone, group[0].gpus_new
    each = "" if len(group) == 1 else " on each of them"
    for uuids, how in ((gone, "gone"), (new, "new")):
        if uuids:
            which = f": {', '.join(uuids)}" if not each else f"{each}; comparison.json has their UUIDs"
            yield f"{len(uuids)} GPU{'s' if len(uuids) > 1 else ''} {how}{which}"


def _value(value: t.Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _wrapped(start: str, text: str, indent: str = "  ") -> list[str]:
    flat = " ".join(text.split())
    return textwrap.wrap(flat, _WIDTH, initial_indent=start, subsequent_indent=indent, break_on_hyphens=False)
