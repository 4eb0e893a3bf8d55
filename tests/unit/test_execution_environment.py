# SPDX-License-Identifier: GPL-3.0-or-later
"""What the collection tells ansible-builder, and the example that uses it."""

from __future__ import annotations

import typing as t
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def read(path: str) -> dict[str, t.Any]:
    loaded = yaml.safe_load((ROOT / path).read_text())
    assert isinstance(loaded, dict)
    return loaded


def test_every_list_is_where_ansible_builder_looks_for_it() -> None:
    lists = read("meta/execution-environment.yml")["dependencies"]
    assert sorted(lists) == ["python", "system"]
    assert all((ROOT / path).is_file() for path in lists.values())


def test_the_example_takes_the_archive_that_galaxy_makes() -> None:
    galaxy = read("galaxy.yml")
    archive = f"{galaxy['namespace']}-{galaxy['name']}-{galaxy['version']}.tar.gz"
    example = read("docs/examples/execution-environment.yml")
    assert example["additional_build_files"] == [{"src": archive, "dest": "collections"}]
    assert example["dependencies"]["galaxy"] == {"collections": [{"name": f"collections/{archive}", "type": "file"}]}
