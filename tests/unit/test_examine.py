# SPDX-License-Identifier: GPL-3.0-or-later
"""A host that can't be examined is an answer: each way of not getting in has its kind, and none is a pass."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import time
import types
import typing as t
from pathlib import Path

import pytest
from ansible.errors import AnsibleConnectionFailure, AnsibleError

from ansible_collections.gpu.k8s.plugins.action import examine

ROOT = Path(__file__).parents[2]
ARGS: dict[str, t.Any] = {
    "layer": "driver",
    "pull": False,
    "deadline": 5,
    "budget": 10,
    "output_limit": 1000,
    "image": "",
    "runtime_handler": "nvidia",
    "kubelet_folder": "/var/lib/kubelet",
}


def transcript(*names: str, end: str | None = None) -> str:
    """A transcript of commands that printed nothing and ended with 0."""
    word = base64.b64encode(b"true").decode()
    lines = ["@gpu.k8s transcript 1 base64"]
    for name in names:
        lines += [f"@gpu.k8s record {name}", f"@gpu.k8s command {word}", "@gpu.k8s exit_code 0"]
        lines += ["@gpu.k8s seconds 0.01", "@gpu.k8s stdout whole ", "@gpu.k8s stderr whole ", f"@gpu.k8s end {name}"]
    return "\n".join([*lines, f"@gpu.k8s complete {len(names)}" if end is None else end])


class Host(t.NamedTuple):
    """What a host does when the probe comes, with privilege escalation and without."""

    says: str | Exception
    to_anybody: str | Exception = ""
    stderr: str = ""
    seconds: float = 0
    become: bool = True


def examined(host: Host) -> dict[str, t.Any]:
    """Look at the host through the action plugin."""
    action = examine.ActionModule.__new__(examine.ActionModule)
    action._connection = types.SimpleNamespace(become="sudo" if host.become else None)

    def execute(command: str, sudoable: bool = True, **_probe: bytes) -> dict[str, t.Any]:
        time.sleep(host.seconds)
        says = host.says if sudoable else host.to_anybody
        if isinstance(says, Exception):
            raise says
        if not sudoable and says == "the word":
            says = command.removeprefix("echo ")
        return {"rc": 0, "stdout": says, "stderr": host.stderr}

    action._low_level_execute_command = execute
    return action._look(ARGS, "")


def error_of(host: Host) -> dict[str, str]:
    look = examined(host)
    assert look["error"] is not None
    return look["error"]


@pytest.mark.parametrize(
    ("layer", "access", "kind"),
    [
        ("driver", "ssh", "waived"),
        ("driver", "none", "waived"),
        ("toolkit", "none", "no_access"),
        ("device_plugin", "none", "no_access"),
        ("toolkit", "ssh", None),
    ],
)
def test_a_look_that_is_not_to_be_taken(layer: str, access: str, kind: str | None) -> None:
    look = examine._not_to_be_had({"layer": layer, "access": access, "waive": ["driver"]})
    assert (look["error"]["kind"] if look else None) == kind


def test_a_whole_transcript_is_no_error() -> None:
    look = examined(Host(says="Welcome!\n" + transcript("one", "two")))
    assert look["error"] is None
    assert list(look["records"]) == ["one", "two"]


def test_a_host_that_can_not_be_reached() -> None:
    reason = "Failed to connect to the host via ssh: connect to host a port 22: Connection refused"
    assert error_of(Host(says=AnsibleConnectionFailure(reason))) == {"kind": "unreachable", "reason": reason}


@pytest.mark.parametrize("says", [AnsibleError("Missing sudo password"), "", "plain is not in the sudoers file.\n"])
def test_privilege_escalation_that_is_refused(says: str | Exception) -> None:
    """The words differ by tool and language, so the proof is that a shell without it starts."""
    error = error_of(Host(says=says, to_anybody="the word", stderr="plain is not in the sudoers file.\n"))
    assert error["kind"] == "refused"
    assert "Missing sudo password" in error["reason"] or "not in the sudoers file" in error["reason"]


@pytest.mark.parametrize("to_anybody", ["This account is currently not available.\n", AnsibleError("no sshpass")])
def test_a_host_without_a_shell_for_anybody_is_not_a_matter_of_sudo(to_anybody: str | Exception) -> None:
    assert error_of(Host(says="", to_anybody=to_anybody))["kind"] == "no_transcript"
    assert error_of(Host(says=AnsibleError("no sshpass"), to_anybody=to_anybody))["kind"] == "unreachable"


def test_without_become_nothing_is_asked_twice() -> None:
    host = Host(says="This account is currently not available.\n", to_anybody="the word", become=False)
    assert error_of(host)["kind"] == "no_transcript"
    assert "the host said: This account is currently not available." in error_of(host)["reason"]


def test_a_transcript_that_breaks_off_keeps_what_arrived() -> None:
    look = examined(Host(says=transcript("one", end="")))
    assert look["error"]["kind"] == "incomplete"
    assert list(look["records"]) == ["one"]


def test_what_the_budget_did_not_suffice_for_is_named() -> None:
    late = transcript("one").replace("@gpu.k8s complete", "@gpu.k8s out_of_time 60 two three\n@gpu.k8s complete")
    look = examined(Host(says=late))
    assert look["error"]["kind"] == "incomplete"
    assert look["error"]["reason"] == "the probe's 60 s were used up before these had ended: two, three"


def test_a_budget_that_sufficed_for_nothing_is_not_a_refusal() -> None:
    """The transcript has begun and ended, so the shell was there: only its records are missing."""
    late = transcript().replace("@gpu.k8s complete", "@gpu.k8s out_of_time 1 one two\n@gpu.k8s complete")
    look = examined(Host(says=late, to_anybody="the word"))
    assert look["records"] == {}
    assert look["error"] == {
        "kind": "incomplete",
        "reason": "the probe's 1 s were used up before these had ended: one, two",
    }


def test_a_host_that_goes_silent_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examine, "_PATIENCE", 1 - ARGS["budget"])
    began = time.monotonic()
    error = error_of(Host(says=transcript("one"), seconds=5))
    assert error["kind"] == "unreachable"
    assert "went silent" in error["reason"]
    assert time.monotonic() - began < 3
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_time_out_of_the_task_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examine, "_PATIENCE", 1 - ARGS["budget"])
    signal.setitimer(signal.ITIMER_REAL, 50)
    try:
        assert examined(Host(says=transcript("one"), seconds=1.2))["error"] is None
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 40
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def local_play(tmp_path: Path, *options: str) -> dict[str, t.Any]:
    """Run the module on this machine with a real ansible-playbook, and return its result."""
    book = [
        {
            "hosts": "localhost",
            "connection": "local",
            "gather_facts": False,
            "vars": {"ansible_python_interpreter": "{{ ansible_playbook_python }}"},
            "tasks": [
                {"gpu.k8s.examine": {"layer": "driver", "deadline": 5}, "register": "result"},
                {"ansible.builtin.copy": {"content": "{{ result }}", "dest": str(tmp_path / "result.json")}}
                | {"check_mode": False},
            ],
        }
    ]
    (tmp_path / "play.yml").write_text(json.dumps(book))
    command = [ROOT / ".venv/bin/ansible-playbook", "-i", "localhost,", tmp_path / "play.yml", *options]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((tmp_path / "result.json").read_text())


@pytest.mark.parametrize(
    "options", [[], ["--check"], ["-e", "ansible_pipelining=false"], ["-e", "ansible_shell_executable=/bin/bash"]]
)
def test_by_the_local_connection(tmp_path: Path, options: list[str]) -> None:
    result = local_play(tmp_path, *options)
    assert result["changed"] is False
    assert result["look"]["error"] is None
    assert result["look"]["records"]["kernel_release"]["exit_code"] == 0
    assert not list(tmp_path.glob("gpu-k8s.*"))
