# SPDX-License-Identifier: GPL-3.0-or-later
"""The stdout callback gpu.k8s.chain: little is said of what is fine, and nothing that went wrong is hidden."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from conftest import BIN, MINUTES, ROOT, Playbook, Run

OTHER = "tests/integration/callback/other.yml"
LAYERS = ["preflight", "driver", "toolkit", "device_plugin", "scheduler", "smoke_pod"]


@pytest.fixture(autouse=True)
def with_the_callback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSIBLE_STDOUT_CALLBACK", "gpu.k8s.chain")


def layers_told(output: str) -> list[str]:
    first_words = (line.partition(" ")[0] for line in output.splitlines())
    return list(dict.fromkeys(word for word in first_words if word in LAYERS))


def test_a_healthy_run_is_a_line_a_layer_and_the_table(healthy: Run) -> None:
    assert layers_told(healthy.output) == LAYERS
    assert "driver         3 of 3 hosts\n" in healthy.output
    assert "3 of 3 nodes usable" in healthy.output
    assert len(healthy.output.splitlines()) < 25
    assert all(line.isprintable() for line in healthy.output.splitlines())


def test_who_is_not_fine_is_named_at_once(motley: Run) -> None:
    progress, _chain, rest = motley.output.partition("Can a Pod get a GPU?")
    assert "  node2: FAIL DRV004" in progress
    assert "driver         3 of 3 hosts, 1 not fine\n" in progress
    assert "report 2 of 3 nodes keep the gate closed: node2 broken at driver (DRV004)" in " ".join(rest.split())


def test_on_a_terminal_the_last_line_is_written_over(tmp_path: Path) -> None:
    command = [str(BIN / "ansible-playbook"), "-i", "inventories/lab", "verify.yml", "--tags", "driver"]
    command += ["-e", f"gpu_k8s_report_folder={tmp_path}", "-e", "gpu_k8s_gate=chosen"]
    shown = subprocess.run(
        ["script", "--quiet", "--return", "--command", shlex.join(command), "/dev/null"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        timeout=5 * MINUTES,
    ).stdout
    assert b"\rdriver 1 of 3 hosts" in shown
    assert b"driver         3 of 3 hosts" in shown
    assert re.search(rb"\r +\r\s*$", shown), "the last of them is left on the screen"


def test_a_wrong_input_is_told(play: Playbook) -> None:
    run = play(gpu_k8s_contxt="a slip")
    assert run.exit_status != 0
    assert "Did you mean gpu_k8s_context?" in " ".join(run.output.split())


def test_of_other_playbooks_names_changes_and_all_that_went_wrong_are_shown(play: Playbook) -> None:
    run = play(playbook=OTHER, inventory="a1,a2,a3,a4")
    assert run.exit_status == 2, run.output
    assert "Change something\n  changed: a[1-4]\n" in run.output
    assert "Leave something out" not in run.output
    assert "[WARNING]: Skipped '/no/such/folder'" in run.output
    assert "msg: hello from a1" in run.output
    assert "RETRYING: [a1]: Try until it works" in run.output
    assert "this-is-the-secret" not in run.output
    assert "it can't be done" in run.output
    assert "Do without\n  changed: a2\n" in run.output
    assert "fatal: [a3]: FAILED!" in run.output
    recap = run.output.partition("PLAY RECAP")[2]
    assert "a3 " in recap
    assert "a1 " not in recap


def test_with_v_it_shows_what_the_default_callback_shows(play: Playbook) -> None:
    run = play("-v", playbook=OTHER, inventory="a1,a2,a3,a4")
    assert "TASK [Find nothing]" in run.output
    assert "ok: [a4]" in run.output
