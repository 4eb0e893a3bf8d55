# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The gate: what makes a run fail. Private to the collection."""

from __future__ import annotations

import typing as t
from collections.abc import Sequence

from ._chain import NodeVerdict
from ._render.hosts import folded

Gate = t.Literal["usable", "chosen", "broken", "none"]


def why_closed(
    gate: Gate, verdicts: Sequence[NodeVerdict], chosen: Sequence[str], ended_early: str | None = None
) -> str:
    """Return in one line why the gate is closed; empty when it is open.

    ``usable``: every node must be usable. ``chosen``: every layer that the run looked at must pass on every node; a
    waived one was not looked at, and a node of which nothing was keeps the gate closed.
    ``broken``: no node may be broken. A gate without nodes, or of a run that ended early, is never open, unless it is
    ``none``, which only keeps verdicts from closing it: a run that came to no end is no verdict.
    """
    if ended_early:
        return f"Not proven: the run came to no end of its own: {ended_early}"
    if gate == "none":
        return ""
    if not verdicts:
        return "Not proven: no node was judged."
    shut = [verdict for verdict in verdicts if not _fine(verdict, gate, chosen)]
    if not shut:
        return "" if gate != "chosen" or chosen else "Not proven: no layer was looked at."
    fates: dict[str, list[str]] = {}
    for verdict in shut:
        fates.setdefault(_fate(verdict), []).append(verdict.host)
    told = "; ".join(f"{', '.join(folded(hosts))} {fate}" for fate, hosts in fates.items())
    return f"{len(shut)} of {len(verdicts)} nodes keep the gate closed: {told}{_hint(gate, shut, chosen)}"


def _fine(verdict: NodeVerdict, gate: Gate, chosen: Sequence[str]) -> bool:
    if gate == "usable":
        return verdict.conclusion == "usable"
    if gate == "broken":
        return verdict.conclusion != "broken"
    looked_at = [c for c in verdict.checkpoints if c.layer in chosen and c.status != "waived"]
    return all(c.status == "pass" for c in looked_at) and (bool(looked_at) or not chosen)


def _fate(verdict: NodeVerdict) -> str:
    code = f" ({verdict.deciding.code})" if verdict.deciding else ""
    if verdict.conclusion == "broken":
        return f"broken at {verdict.first_broken_layer}{code}"
    return f"{verdict.conclusion}{code}"


def _hint(gate: Gate, shut: Sequence[NodeVerdict], chosen: Sequence[str]) -> str:
    if gate == "usable" and all(_fine(verdict, "chosen", chosen) for verdict in shut) and chosen:
        return ". Every layer that was looked at passes; gpu_k8s_gate=chosen asks for no more than that."
    return "."
