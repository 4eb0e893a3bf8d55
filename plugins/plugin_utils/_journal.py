# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the tasks of a run registered, on disk until the report is written: what an interrupted run leaves behind.

Private to the collection.
"""

from __future__ import annotations

import json
import typing as t
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from ansible.plugins.action import ActionBase

from ._report_folder import JOURNAL, write_json

Result = dict[str, t.Any]

_NAMES = ("gpu_k8s_node_name", "ansible_host")


def open_journal(folder: Path, run: Result, cluster: Result) -> Path:
    """Begin the journal of a run. ``cluster``: where its Pods will be. Return the file that is there until the end."""
    marker = folder / JOURNAL / "run.json"
    write_json(marker, {"run": run, "cluster": cluster})
    return marker


def close_journal(folder: Path) -> None:
    """The report is written. The marker goes first: from here on there is nothing to wind up."""
    journal = folder / JOURNAL
    (journal / "run.json").unlink(missing_ok=True)
    for entry in journal.glob("*.json"):
        entry.unlink(missing_ok=True)
    if journal.is_dir():
        journal.rmdir()


def kept(action: ActionBase, task_vars: Mapping[str, t.Any] | None, result: Result) -> Result:
    """Return what a task registers, written down under its host and name. Without a run there is no journal."""
    variables = task_vars or {}
    hostvars = variables.get("hostvars") or {}
    run = hostvars["localhost"].get("preflight_run") if "localhost" in hostvars else None
    if not run or not run.get("journal"):
        return result
    journal, name, host = Path(run["journal"]), action._task.register, str(variables.get("inventory_hostname", ""))
    if name and (journal / "run.json").exists():
        names = {key: str(action._templar.template(variables[key])) for key in _NAMES if variables.get(key)}
        entry = {"host": host, "name": name, "names": names, "result": result}
        write_json(journal / f"{quote(host, safe='')}.{name}.json", entry)
    return result


def read_journal(folder: Path) -> tuple[Result, Result, dict[str, Result]]:
    """Return the run, where its Pods are, and what it registered as hostvars have it. Raises OSError or ValueError."""
    about = json.loads((folder / JOURNAL / "run.json").read_text(encoding="utf-8"))
    hostvars: dict[str, Result] = {host: {} for host in ("localhost", *about["run"]["hosts"])}
    for file in sorted((folder / JOURNAL).glob("*.json")):
        if file.name != "run.json":
            entry = json.loads(file.read_text(encoding="utf-8"))
            hostvars.setdefault(entry["host"], {}).update({**entry["names"], entry["name"]: entry["result"]})
    return about["run"], about["cluster"], hostvars
