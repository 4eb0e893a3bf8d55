# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What to say while Pods are waited for. Pure; private to the collection."""

from __future__ import annotations

import typing as t
from collections.abc import Collection, Iterable, Mapping

Pod = Mapping[str, t.Any]

_AT_ONCE = 3
"""Names that are said of one group; of the others only how many they are."""


def state_of(pod: Pod | None, pulling: Collection[str] = ()) -> str:
    """Return in words what a Pod that has not ended waits for. ``pulling``: Pods whose image is being pulled."""
    if pod is None:
        return "not seen yet"
    status, name = pod.get("status") or {}, pod["metadata"]["name"]
    conditions = {c.get("type"): c for c in status.get("conditions") or ()}
    scheduled = conditions.get("PodScheduled") or {}
    if scheduled.get("status") != "True":
        return f"unscheduled: {scheduled['message']}" if scheduled.get("message") else "waiting for the scheduler"
    statuses = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    states = [one.get("state") or {} for one in statuses]
    if any(state.get("running") is not None for state in states):
        return "running"
    reasons = [str((state.get("waiting") or {}).get("reason") or "") for state in states]
    bad = next((reason for reason in reasons if reason not in ("", "ContainerCreating", "PodInitializing")), "")
    if bad:
        return bad
    if name in pulling:
        return "pulling the image"
    return "starting" if statuses else "not taken up by the node yet"


def progress(what: str, done: int, total: int, seconds: float, waiting: Iterable[tuple[str, str, float]]) -> str:
    """Return one line, of what Pods it says.

    ``waiting``: of each Pod that is still waited for its Node, its state, and for how many seconds.
    """
    groups: dict[str, list[tuple[str, float]]] = {}
    for node, state, age in waiting:
        groups.setdefault(state, []).append((node, age))
    said = [f"{what}: {done} of {total} done after {seconds:.0f} s"]
    for state, members in sorted(groups.items(), key=lambda group: -len(group[1])):
        nodes = list(dict.fromkeys(node for node, _age in members))
        names = ", ".join(nodes[:_AT_ONCE]) + (" ..." if len(nodes) > _AT_ONCE else "")
        oldest = max(age for _node, age in members)
        said.append(f"{len(members)} {_short(state)} (oldest {oldest:.0f} s; {names})")
    return "; ".join(said)


def _short(state: str) -> str:
    return state if len(state) <= 100 else state[:97] + "..."
