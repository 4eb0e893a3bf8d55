# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What must not be done next, as far as a verdict document shows it."""

from __future__ import annotations

import re
import typing as t
from collections.abc import Iterator, Mapping, Sequence

from .markdown import codes, plain

Fields = Mapping[str, t.Any]

_INTERRUPTS = re.compile(r"\b(drain|reboot|reset|power-cycle)", re.IGNORECASE)


def stops(document: Fields) -> Iterator[str]:
    """Yield the stop conditions of a run as Markdown, the most pressing first."""
    yield from _of_the_run(document)
    nodes = document["nodes"]
    yield from _out_of_service(nodes)
    yield from _waived(nodes)
    yield from _lowest_first(nodes)
    yield from _owned(nodes)
    yield from _shared(nodes)
    yield from _interrupting(nodes)
    yield from _in_use(nodes)


def decisive(node: Fields) -> list[Fields]:
    """Return the findings that make a node what it is, each once."""
    found: list[Fields] = []
    for checkpoint in node["checkpoints"]:
        if checkpoint["status"] in ("fail", "busy", "unknown"):
            found += [one for one in checkpoint["findings"] if one["status"] != "warning" and one not in found]
    return found


def _of_the_run(document: Fields) -> Iterator[str]:
    run, cluster, nodes = document["run"], document["cluster"], document["nodes"]
    if run.get("ended_early"):
        yield f"**Verify again before anything else.** The run came to no end of its own: {plain(run['ended_early'])}."
    if not nodes:
        yield "**Conclude nothing.** No node was judged."
    if run.get("check_mode"):
        yield "**Put nothing into service on this run alone.** It ran in check mode, in which no Pod is created."
    missing = [one for one in cluster.get("missing_permissions") or () if one["required"]]
    if missing:
        names = codes(list(dict.fromkeys(f"{one['verb']} {one['resource']}" for one in missing)))
        yield (
            f"**Do not look for a fault in what was not allowed to be read.** Missing: {names}. "
            "Grant it (`missing-permissions.yml` of the sender) and verify again."
        )
    others = cluster.get("nodes_without_host") or ()
    if others:
        yield f"**Conclude nothing about GPU Nodes that no host of the run stands for:** {codes(others)}."


def _out_of_service(nodes: Sequence[Fields]) -> Iterator[str]:
    for conclusion, why in (("broken", "broken"), ("not proven", "not proven, and that is not a pass")):
        hosts = [node["host"] for node in nodes if node["conclusion"] == conclusion]
        if hosts:
            yield f"**Do not put into service:** {codes(hosts)} ({why})."


def _waived(nodes: Sequence[Fields]) -> Iterator[str]:
    hosts: dict[tuple[str, ...], list[str]] = {}
    for node in nodes:
        layers = tuple(plain(c["layer"]) for c in node["checkpoints"] if c["status"] == "waived")
        if layers:
            hosts.setdefault(layers, []).append(node["host"])
    for layers, alike in hosts.items():
        yield f"**Conclude nothing about {' and '.join(layers)} of {codes(alike)}:** waived, so not looked at."


def _lowest_first(nodes: Sequence[Fields]) -> Iterator[str]:
    layers = dict.fromkeys(node["first_broken_layer"] for node in nodes if node["first_broken_layer"])
    for layer in layers:
        if layer == "smoke_pod":  # nothing lies above it
            continue
        hosts = [node["host"] for node in nodes if node["first_broken_layer"] == layer]
        yield (
            f"**Do not mend what lies above the {plain(layer)} layer** of {codes(hosts)}: it was blocked, "
            "and may be fine. Mend one layer, then verify again."
        )


def _owned(nodes: Sequence[Fields]) -> Iterator[str]:
    hosts: dict[tuple[str, str], list[str]] = {}
    for node in nodes:
        for layer in dict.fromkeys(finding["layer"] for finding in decisive(node)):
            owner = node["owners"].get(layer, {}).get("owner", "nobody")
            if owner != "nobody":
                hosts.setdefault((layer, owner), []).append(node["host"])
    for (layer, owner), alike in hosts.items():
        if owner == "unknown":
            yield f"**Do not change the {plain(layer)} layer of {codes(alike)}** before its owner is known."
        else:
            yield (
                f"**Do not replace or repair the {plain(layer)} layer of {codes(alike)} by hand.** "
                f"It is owned by {plain(owner)}: use its means, or ask it."
            )


def _shared(nodes: Sequence[Fields]) -> Iterator[str]:
    hosts: dict[tuple[str, str], list[str]] = {}
    for node in nodes:
        if node["deciding"]:
            hosts.setdefault((node["deciding"]["code"], node["deciding"]["layer"]), []).append(node["host"])
    for (code, layer), alike in hosts.items():
        if len(alike) > 1:
            yield (
                f"**Do not mend all {len(alike)} nodes with {plain(code)} ({plain(layer)}) at once:** {codes(alike)}. "
                "Mend one and verify it. If that does not help, stop: the cause is another, or lies outside the nodes."
            )


def _interrupting(nodes: Sequence[Fields]) -> Iterator[str]:
    hosts = [node["host"] for node in nodes if any(_INTERRUPTS.search(f["remedy"]) for f in decisive(node))]
    if hosts:
        yield (
            f"**Do not drain, reset or reboot {codes(hosts)}** before those whose Pods run there have agreed. "
            "A remedy asks for it."
        )


def _in_use(nodes: Sequence[Fields]) -> Iterator[str]:
    hosts = [node["host"] for node in nodes if any(c["status"] == "busy" for c in node["checkpoints"])]
    if hosts:
        yield f"**Do not delete the Pods that hold the GPUs of {codes(hosts)}.** Verify again when one is free."
