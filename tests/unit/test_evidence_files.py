# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence in files: what was saved is read back, and what is not whole is refused with words."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from cases import Tree
from documents import of_case
from fleet import CLUSTER, RUN

from ansible_collections.gpu.k8s.plugins.plugin_utils._evidence_files import (
    NoEvidenceError,
    read_evidence,
    save_evidence,
)

HOSTS = ["gpu-2", "gpu-10", "rack/1"]


def saved(folder: Path, hosts: list[str] | None = None) -> tuple[Tree, Tree, list[Tree]]:
    hosts = HOSTS if hosts is None else hosts
    found = RUN | {"hosts": hosts}, CLUSTER, [of_case("healthy-h100", host) for host in hosts]
    save_evidence(folder, *found)
    return found


def refused(folder: Path) -> str:
    with pytest.raises(NoEvidenceError) as caught:
        read_evidence(folder)
    return str(caught.value)


def test_what_was_saved_is_read_back_in_the_order_of_the_run(tmp_path: Path) -> None:
    found = saved(tmp_path)
    assert read_evidence(tmp_path) == found


def test_a_host_name_with_a_slash_stays_in_the_folder(tmp_path: Path) -> None:
    saved(tmp_path, ["../../etc/x"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cluster.json", "node-..%2F..%2Fetc%2Fx.json"]


def test_a_report_folder_will_do(tmp_path: Path) -> None:
    found = saved(tmp_path / "evidence")
    assert read_evidence(tmp_path) == found


def test_files_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    saved(tmp_path / "evidence")
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "evidence").iterdir()} == {0o600}


@pytest.mark.parametrize("suffix", ["yml", "yaml"])
def test_yaml_holds_the_same(tmp_path: Path, suffix: str) -> None:
    found = saved(tmp_path)
    for path in list(tmp_path.iterdir()):
        path.with_suffix(f".{suffix}").write_text(yaml.safe_dump(json.loads(path.read_text())))
        path.unlink()
    assert read_evidence(tmp_path) == found


def test_a_time_in_yaml_without_quotes_stays_text(tmp_path: Path) -> None:
    saved(tmp_path)
    cluster = json.loads((tmp_path / "cluster.json").read_text())
    text = yaml.safe_dump(cluster).replace(f"'{RUN['started']}'", RUN["started"])
    assert f"started: {RUN['started']}" in text
    (tmp_path / "cluster.yml").write_text(text)
    (tmp_path / "cluster.json").unlink()
    assert read_evidence(tmp_path)[0]["started"] == RUN["started"]


@pytest.mark.parametrize(("schema", "what"), [(2, "made by a newer gpu.k8s"), (0, "Collect the evidence anew")])
@pytest.mark.parametrize("name", ["cluster.json", "node-gpu-2.json"])
def test_another_schema_is_refused(tmp_path: Path, name: str, schema: int, what: str) -> None:
    saved(tmp_path)
    tree = json.loads((tmp_path / name).read_text())
    (tmp_path / name).write_text(json.dumps(tree | {"schema": schema}))
    assert what in refused(tmp_path)
    assert name in refused(tmp_path)


@pytest.mark.parametrize("text", ["{}", "[]", "null", '{"schema": "1"}', '{"schema": true}', '{"schema": null}'])
def test_what_names_no_schema_is_refused(tmp_path: Path, text: str) -> None:
    saved(tmp_path)
    (tmp_path / "node-gpu-2.json").write_text(text)
    assert "node-gpu-2.json is no evidence of gpu.k8s: it names no schema" in refused(tmp_path)


@pytest.mark.parametrize(("name", "text"), [("node-gpu-2.json", '{"schema": 1, '), ("node-a.yml", "a: [b")])
def test_what_is_broken_is_refused(tmp_path: Path, name: str, text: str) -> None:
    saved(tmp_path)
    (tmp_path / name).write_text(text)
    assert re.search(rf"{name} can't be read: ", refused(tmp_path))


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    saved(tmp_path)
    (tmp_path / "node-gpu-2.json").write_bytes(b'{"schema": 1, "host": "\xff"}')
    assert "node-gpu-2.json can't be read" in refused(tmp_path)


@pytest.mark.parametrize("folder", ["", "missing"])
def test_a_folder_without_anything_is_refused(tmp_path: Path, folder: str) -> None:
    assert "holds no cluster.json, so there is no saved run" in refused(tmp_path / folder)


def test_a_folder_without_nodes_is_refused(tmp_path: Path) -> None:
    saved(tmp_path, [])
    assert "holds no node-*.json, so there is nothing to judge" in refused(tmp_path)


def test_a_folder_without_the_cluster_is_refused(tmp_path: Path) -> None:
    saved(tmp_path)
    (tmp_path / "cluster.json").unlink()
    assert "holds no cluster.json" in refused(tmp_path)


@pytest.mark.parametrize(
    ("name", "part"), [("cluster.json", "run"), ("cluster.json", "cluster"), ("node-gpu-2.json", "host")]
)
def test_a_file_that_lacks_a_part_is_refused(tmp_path: Path, name: str, part: str) -> None:
    saved(tmp_path)
    tree = json.loads((tmp_path / name).read_text())
    del tree[part]
    (tmp_path / name).write_text(json.dumps(tree))
    assert f"is not whole: it has no '{part}'" in refused(tmp_path)


def test_a_host_of_the_run_without_its_file_is_refused(tmp_path: Path) -> None:
    """A run is not usable because the file of its broken node was left out."""
    saved(tmp_path)
    (tmp_path / "node-gpu-10.json").unlink()
    assert "the run had gpu-10 as well" in refused(tmp_path)


def test_a_host_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    saved(tmp_path)
    (tmp_path / "node-copy.json").write_text((tmp_path / "node-gpu-2.json").read_text())
    assert "two files of gpu-2" in refused(tmp_path)
