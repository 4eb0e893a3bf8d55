# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that dies in the middle: what it saw is kept, what it made is gone, and nothing is proven."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
import typing as t
from pathlib import Path

import pytest
from conftest import BIN, PROGRAMS, ROOT, Playbook

SMOKE_PODS = ("get", "pods", "--selector", "app.kubernetes.io/managed-by=gpu.k8s", "--output", "name")


def wait(what: t.Callable[[], object], seconds: int = 60) -> None:
    ends = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < ends, "waited in vain"
        time.sleep(0.1)


def start(folder: Path, **variables: str) -> subprocess.Popen[str]:
    given = {"gpu_k8s_report_folder": str(folder), "gpu_k8s_smoke_timeout": 40, **variables}
    return subprocess.Popen(
        [BIN / "ansible-playbook", "-i", "inventories/lab", "verify.yml", "-e", json.dumps(given)],
        cwd=ROOT,
        env=os.environ | PROGRAMS,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )


def kill(run: subprocess.Popen[str]) -> None:
    """Kill ansible-playbook, and then its workers: one with a long result would wait for ever to hand it over."""
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
    workers = [int(pid) for pid in children.read_text().split()]
    run.kill()
    run.wait(30)
    for pid in workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wound_up(folder: Path) -> dict[str, t.Any]:
    wait(lambda: not (folder / "evidence/.journal").exists())
    assert (folder / "conclusion").read_text() == "not_proven\n"
    report: dict[str, t.Any] = json.loads((folder / "report.json").read_text())
    assert report["conclusion"] == "not proven"
    assert report["run"]["ended_early"]
    return report


def test_ctrl_c_while_pods_are_there(tmp_path: Path, kubectl: t.Callable[..., str]) -> None:
    folder = tmp_path / "report"
    run = start(folder)
    wait(lambda: kubectl(*SMOKE_PODS))
    os.killpg(run.pid, signal.SIGINT)
    assert run.wait(30) == 99
    report = wound_up(folder)
    assert kubectl(*SMOKE_PODS) == ""
    for node in report["nodes"]:
        assert [c["status"] for c in node["checkpoints"][:4]] == ["pass"] * 4
        assert node["checkpoints"][5]["status"] == "unknown"


def test_killed_while_hosts_are_examined(tmp_path: Path, ssh: t.Callable[..., str]) -> None:
    folder = tmp_path / "report"
    run = start(folder)
    wait(lambda: list(folder.glob("evidence/.journal/node*.driver_result.json")))
    kill(run)
    report = wound_up(folder)
    assert {node["conclusion"] for node in report["nodes"]} == {"not proven"}
    assert "pass" in {node["checkpoints"][0]["status"] for node in report["nodes"]}
    wait(lambda: "gpu-k8s-" not in ssh("node1", "ctr --namespace k8s.io containers list --quiet"))


def test_a_task_that_fails_does_not_lose_what_was_seen(play: Playbook, kubectl: t.Callable[..., str]) -> None:
    """Not even where the gate would let every verdict pass. The variable is a role's own, and no input of it."""
    run = play(gpu_k8s_gate="none", __smoke_pod_labels="none")
    assert run.exit_status == 2
    assert run.word == "not_proven"
    assert run.marks("node1")[:4] == ["pass"] * 4
    assert run.report is not None
    assert "Try | " in run.report["run"]["ended_early"]
    wait(lambda: not kubectl(*SMOKE_PODS), 20)


def test_what_an_ended_run_leaves_is_not_wound_up_again(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            BIN / "ansible-playbook",
            "-i",
            "localhost,",
            "playbooks/wind_up.yml",
            "-e",
            f"gpu_k8s_report_folder={tmp_path}",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "There is no unfinished run" in done.stdout + done.stderr


@pytest.mark.parametrize("tags", ["driver", "all"])
def test_nothing_keeps_watch_over_a_run_that_has_ended(tmp_path: Path, tags: str) -> None:
    """Bad input ends a run before it has begun, the gate after the report."""
    bad = ["-e", "gpu_k8s_hosts=nobody"] if tags == "all" else []
    folder = tmp_path / "report"
    command = [BIN / "ansible-playbook", "-i", "inventories/lab", "verify.yml", "--tags", tags, *bad]
    subprocess.run([*command, "-e", f"gpu_k8s_report_folder={folder}"], cwd=ROOT, capture_output=True, check=False)
    wait(lambda: not watching(folder), 5)


def watching(folder: Path) -> list[str]:
    """Processes that have the report folder in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"GPU_K8S_MARKER={folder}" in (process / "environ").read_bytes().decode(errors="replace"):
                found.append(process.name)
        except OSError:
            continue
    return found
