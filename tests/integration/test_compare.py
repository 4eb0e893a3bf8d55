# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu.k8s.compare on what a verification of the lab left behind, and on copies of it in which a node changed."""

from __future__ import annotations

import json
import shutil
import stat
import typing as t
from pathlib import Path

import pytest
from conftest import Playbook, Run


def compared(play: Playbook, before: Path, after: Path, **variables: t.Any) -> tuple[Run, dict[str, t.Any]]:
    """Run the playbook and return what it wrote."""
    run = play(
        playbook="playbooks/compare.yml",
        inventory="localhost,",
        gpu_k8s_before=str(before),
        gpu_k8s_after=str(after),
        **variables,
    )
    return run, json.loads((run.folder / "comparison.json").read_text())


@pytest.fixture
def lost(healthy: Run, tmp_path: Path) -> Path:
    """The healthy run's evidence, but that node2's driver lists no GPU any more."""
    folder = tmp_path / "lost"
    shutil.copytree(healthy.folder / "evidence", folder)
    file = folder / "node-node2.json"
    node = json.loads(file.read_text())
    node["driver"]["records"]["nvidia_smi_list"] |= {"exit_code": 6, "stdout": "No devices were found\n"}
    file.write_text(json.dumps(node))
    return folder


def test_a_node_that_broke_closes_the_gate(play: Playbook, healthy: Run, lost: Path) -> None:
    run, comparison = compared(play, healthy.folder, lost)
    assert run.exit_status != 0
    assert [(node["host"], node["word"]) for node in comparison["nodes"]] == [
        ("node2", "worse"),
        ("node1", "same"),
        ("node3", "same"),
    ]
    assert "node2: worse, usable -> broken" in run.output
    assert "1 of 3 nodes are not known to be as good as before: node2" in run.output
    written = [run.folder / name for name in ("comparison.json", "comparison.md")]
    assert [stat.S_IMODE(file.stat().st_mode) for file in written] == [0o600, 0o600]


def test_a_node_that_was_mended_leaves_it_open(play: Playbook, healthy: Run, lost: Path) -> None:
    run, comparison = compared(play, lost, healthy.folder)
    assert run.exit_status == 0, run.output
    assert comparison["summary"]["better"] == 1


def test_the_gate_can_be_kept_open(play: Playbook, healthy: Run, lost: Path) -> None:
    run, comparison = compared(play, healthy.folder, lost, gpu_k8s_gate="none")
    assert run.exit_status == 0, run.output
    assert comparison["summary"]["worse"] == 1


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("", "{healthy}", "gpu_k8s_before is not set"),
        ("{healthy}", "", "gpu_k8s_after is not set"),
        ("{healthy}", "{healthy}/evidence", "gpu_k8s_before and gpu_k8s_after are the same run"),
        ("{healthy}", "/nowhere", "gpu_k8s_after: /nowhere holds no cluster.json"),
    ],
)
def test_wrong_input_names_the_variable(play: Playbook, healthy: Run, before: str, after: str, says: str) -> None:
    run = play(
        playbook="playbooks/compare.yml",
        inventory="localhost,",
        gpu_k8s_before=before.format(healthy=healthy.folder),
        gpu_k8s_after=after.format(healthy=healthy.folder),
    )
    assert run.exit_status != 0
    assert says in " ".join(run.output.split())
