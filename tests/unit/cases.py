# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of tests/evidence: a healthy base, what differs from it, and what the judge must say.

docs/contributing.md tells how to write one.
"""

from __future__ import annotations

import copy
import functools
import typing as t
from pathlib import Path

import yaml

FOLDER = Path(__file__).parents[1] / "evidence"
HOST_LAYERS = ("driver", "toolkit", "device_plugin")

Tree = dict[str, t.Any]


BASES = sorted(path.stem for path in (FOLDER / "base").glob("*.yml"))


@functools.cache
def _read(path: Path) -> Tree:
    return yaml.safe_load(path.read_text())


def base(name: str) -> Tree:
    """Return a base of one's own, to be changed at will."""
    return copy.deepcopy(_read(FOLDER / "base" / f"{name}.yml"))


def cases() -> dict[str, Tree]:
    paths = sorted(path for path in FOLDER.glob("*/*.yml") if path.parent.name != "base")
    return {f"{path.parent.name}/{path.stem}": _read(path) for path in paths}


def evidence(case: Tree) -> Tree:
    """Return the evidence of a case. Under a host layer, ``differs`` speaks of the records of its probe."""
    whole = base(case["base"])
    differs = copy.deepcopy(case.get("differs", {}))
    for layer, error in differs.pop("errors", {}).items():
        whole[layer]["error"] = error
    for layer in HOST_LAYERS:
        if layer in differs:
            differs[layer] = {"records": differs[layer]}
    return _merged(whole, differs) | case.get("replaces", {})


def _merged(base: Tree, differs: Tree) -> Tree:
    """Dictionaries are merged, everything else is replaced; null takes a record or field away."""
    for key, value in differs.items():
        if value is None and key in base:
            base[key] = None
        elif isinstance(value, dict) and isinstance(base.get(key), dict):
            _merged(base[key], value)
        else:
            base[key] = value
    records = base.get("records")
    if isinstance(records, dict):
        base["records"] = {name: record for name, record in records.items() if record is not None}
    return base
