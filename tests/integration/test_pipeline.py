# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of docs/pipelines.md, run as they are: only what they call is put in place of the real cluster."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import typing as t
from pathlib import Path

import pytest
import yaml
from conftest import BIN, ROOT, Run

sys.path.insert(0, str(ROOT / "tests/unit"))
from cases import cases, evidence

EXAMPLES = ROOT / "docs/examples"

OUTCOMES = [
    ("usable", None, 0),
    ("broken", "driver/gpu_lost", 10),
    ("not_proven", "preflight/api_away", 11),
    ("bad_input", None, 12),
    ("waived", "preflight/waived", 13),
]


@pytest.fixture
def site(tmp_path: Path, healthy: Run) -> t.Callable[[str, str | None], dict[str, str]]:
    """A folder to work in, where ansible-playbook verifies a cluster as it was once seen."""

    def make(word: str, case: str | None) -> dict[str, str]:
        shutil.copytree(healthy.folder / "evidence", tmp_path / "seen")
        if case:
            node = evidence(cases()[case]) | {"host": "node1"}
            (tmp_path / "seen/node-node1.json").write_text(json.dumps(node))
        given = {"gpu_k8s_evidence_folder": str(tmp_path / ("nowhere" if word == "bad_input" else "seen"))}
        program = tmp_path / "bin/ansible-playbook"
        program.parent.mkdir()
        program.write_text(
            f"#!/bin/sh\n# {word}: the arguments of the example must be those of a verification\n"
            '[ "$1" = gpu.k8s.verify ] || exit 64\n'
            f"ANSIBLE_CONFIG={ROOT}/ansible.cfg exec {BIN}/ansible-playbook gpu.k8s.replay -i localhost, "
            f"-e '{json.dumps(given)}'\n"
        )
        program.chmod(0o755)
        (tmp_path / "docs").symlink_to(ROOT / "docs")
        return {"PATH": f"{program.parent}:/usr/bin:/bin", "HOME": str(tmp_path)}

    return make


def run(command: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/bash", "-e", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("word", "case", "status"), OUTCOMES)
def test_the_shell_can_tell_them_apart(
    tmp_path: Path, site: t.Callable[..., dict[str, str]], word: str, case: str | None, status: int
) -> None:
    job = yaml.safe_load((EXAMPLES / "gitlab-ci.yml").read_text())["verify-gpus"]
    done = run("\n".join(job["script"]), tmp_path, site(word, case))
    assert done.returncode == status, done.stdout + done.stderr
    assert f"the nodes are: {word}" in done.stdout
    assert (status in job["allow_failure"]["exit_codes"]) == (word == "not_proven")
    kept = [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]
    assert all((tmp_path / path).exists() for path in kept) == (word != "bad_input")


def test_the_word_of_an_earlier_run_counts_for_nothing(tmp_path: Path, site: t.Callable[..., dict[str, str]]) -> None:
    environment = site("usable", None)
    (tmp_path / "gpu-k8s-report").mkdir()
    (tmp_path / "gpu-k8s-report/conclusion").write_text("usable\n")
    done = run("sh docs/examples/gate.sh ansible-playbook some.other.playbook", tmp_path, environment)
    assert done.returncode == 11, done.stdout + done.stderr


def test_a_workflow_fails_with_the_gate(tmp_path: Path, site: t.Callable[..., dict[str, str]]) -> None:
    steps = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text())["jobs"]["verify"]["steps"]
    done = run(steps[0]["run"], tmp_path, site("broken", "driver/gpu_lost"))
    assert done.returncode == 10
    assert (tmp_path / steps[1]["with"]["path"]).is_dir()
