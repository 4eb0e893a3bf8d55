# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an installation came to: what was done, what was not, and how to go on or back."""

from __future__ import annotations

import typing as t
from collections.abc import Iterable, Mapping, Sequence

from .._render.markdown import code, plain, table
from .wish import Object

Outcome = dict[str, t.Any]

_GO_ON = "Mend what is told above and run the same command again: it goes on where it stopped."
_GO_BACK = "Or go back with gpu.k8s.uninstall: it takes away what this collection put there, and nothing else."
_AGAIN = "Run the same command again when what is said to come later can be looked at."


def outcome(
    run: Object, plan: Object, by_host: Mapping[str, Iterable[Object]], in_cluster: Iterable[Object]
) -> Outcome:
    """Return what became of each step. ``by_host`` and ``in_cluster`` are what the role registered as done."""
    check_mode = bool(run["check_mode"])
    hosts = {host: _became(steps, by_host.get(host) or (), check_mode) for host, steps in plan["hosts"].items()}
    cluster = _became(plan["cluster"], in_cluster, check_mode)
    every = [(host, step) for host, steps in hosts.items() for step in steps]
    every += [("the cluster", step) for step in cluster]
    failed = [f"{where}: {_in_words(step)}" for where, step in every if step["status"] in ("failed", "not reached")]
    later = any(step["status"] == "later" for _where, step in every)
    return {
        "schema": 1,
        "run": run["id"],
        "check_mode": check_mode,
        "hosts": hosts,
        "cluster": cluster,
        "failed_steps": failed,
        "next": [*([_GO_ON, _GO_BACK] if failed else ()), *([_AGAIN] if later else ())],
    }


def _became(steps: Iterable[Object], done: Iterable[Object], check_mode: bool) -> list[Outcome]:
    """Each planned step with its status: done, would be done, failed, not reached, kept or later."""
    ended = {str(entry["component"]): entry for entry in done}
    told = []
    for step in steps:
        entry = ended.get(step["component"]) or {}
        status = {"keep": "kept", "later": "later"}.get(step["does"]) or str(entry.get("status") or "not reached")
        if check_mode and step["does"] == "install" and status != "failed":
            status = "would be done"
        says = f"{entry.get('step')}: {entry.get('says')}".strip(": ") if entry else ""
        told.append({"component": step["component"], "status": status, "because": step["because"], "says": says})
    return told


def _in_words(step: Object) -> str:
    said = f" ({step['says']})" if step["says"] else ""
    return f"{step['component'].replace('_', ' ')} {step['status']}{said}"


def in_lines(told: Outcome) -> str:
    """Return it for the terminal."""
    lines = [f"{_head(told)}:"]
    lines += [f"- {host}: {_in_words(step)}" for host, steps in told["hosts"].items() for step in steps]
    lines += [f"- the cluster: {_in_words(step)}" for step in told["cluster"]]
    return "\n".join([*lines, *told["next"]])


def in_markdown(told: Outcome) -> str:
    """Return it as a page."""
    rows = [_row(host, step) for host, steps in told["hosts"].items() for step in steps]
    rows += [_row("(the cluster)", step) for step in told["cluster"]]
    lines = [f"# {_head(told)}", "", f"Run {code(told['run'])}.", ""]
    lines += table(["where", "what", "", "because", "what it said"], rows)
    return "\n".join([*lines, "", *(f"{plain(line)}\n" for line in told["next"])])


def _row(where: str, step: Object) -> Sequence[str]:
    return [plain(cell) for cell in (where, step["component"], step["status"], step["because"], step["says"])]


def _head(told: Outcome) -> str:
    if told["check_mode"]:
        return "Nothing was changed (check mode)"
    return "Not everything was installed" if told["failed_steps"] else "What was installed"
