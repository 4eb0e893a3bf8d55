# SPDX-License-Identifier: GPL-3.0-or-later
"""The probe's transcript survives every shell, encoding and accident on its way."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.gpu.k8s.plugins.module_utils._probe import script
from ansible_collections.gpu.k8s.plugins.module_utils._transcript import TranscriptError, parse

PROBE = Path(__file__).parents[2] / "roles/driver/files/probe.sh"
SHELLS = [shell for shell in (["dash"], ["bash"], ["busybox", "sh"]) if shutil.which(shell[0])]


def run(shell: list[str], looks: str, **settings: str) -> str:
    """Run the shared part of the probe with looks of our own, as the plugin would send it."""
    environment = {"PATH": os.environ["PATH"], "GPU_K8S_LAYERS": "none", "GPU_K8S_FORMAT": "encoded", **settings}
    sent = PROBE.read_text() + looks + "\nend_transcript\n"
    done = subprocess.run(
        [*shell, "-s"], input=sent.encode(), capture_output=True, env=environment, timeout=60, check=True
    )
    return done.stdout.decode()


@pytest.fixture(params=SHELLS, ids=lambda shell: shell[0])
def shell(request: pytest.FixtureRequest) -> list[str]:
    return request.param


def test_records_what_a_command_did(shell: list[str]) -> None:
    records = parse(run(shell, "look both sh -c 'echo out; echo err >&2; exit 3'"))
    record = records["both"]
    assert (record["stdout"], record["stderr"], record["exit_code"]) == ("out\n", "err\n", 3)
    assert (record["timed_out"], record["cut_off"]) == (False, False)
    assert record["command"] == "sh -c echo out; echo err >&2; exit 3"
    assert record["seconds"] < 5


def test_every_byte_survives(shell: list[str]) -> None:
    records = parse(run(shell, r"look odd printf 'a\000b\377\tc\r\n@gpu.k8s complete 9\nz'"))
    assert records["odd"]["stdout"] == "ab�\tc\n@gpu.k8s complete 9\nz"


def test_hex_does_as_well_where_there_is_no_base64(shell: list[str]) -> None:
    text = run(shell, "look same printf 'x y\\n'").replace("transcript 1 base64", "transcript 1 hex")
    assert parse(text.replace("eCB5Cg==", "7820790a").replace("cHJpbnRmIHggeVxu", "61"))["same"]["stdout"] == "x y\n"


def test_abandons_a_command_that_does_not_end(shell: list[str]) -> None:
    records = parse(run(shell, "look slow sleep 30\nlook next echo on", GPU_K8S_DEADLINE="1"))
    assert records["slow"]["timed_out"]
    assert records["slow"]["exit_code"] is None
    assert records["slow"]["seconds"] < 5
    assert records["next"]["stdout"] == "on\n"


def processes_with(mark: str) -> list[str]:
    """Command lines of running processes that hold the mark."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if mark in line:
            found.append(line)
    return found


def test_an_abandoned_command_takes_along_what_it_started(shell: list[str]) -> None:
    nap = f"3{os.getpid()}.5"
    looks = f"nested() {{ sh -c 'sleep {nap}; true' | cat; sleep {nap}; }}\nlook slow nested"
    assert parse(run(shell, looks, GPU_K8S_DEADLINE="1"))["slow"]["timed_out"]
    assert processes_with(nap) == []


def test_does_not_wait_for_a_command_that_nothing_can_end(shell: list[str], tmp_path: Path) -> None:
    """A process in state D takes no signal: here none is sent. Nor does it hold the connection open."""
    began = time.monotonic()
    looks = "kill() { :; }\nlook stuck sleep 8\nlook next echo on"
    records = parse(run(shell, looks, GPU_K8S_DEADLINE="1", TMPDIR=str(tmp_path)))
    assert records["stuck"]["timed_out"]
    assert records["next"]["stdout"] == "on\n"
    assert time.monotonic() - began < 6
    assert list(tmp_path.iterdir()) == []


def test_the_budget_ends_the_probe_and_names_what_is_missing(shell: list[str]) -> None:
    looks = "\n".join(["look one true", "look slow sleep 30", "look cut sleep 30", "look late true"])
    began = time.monotonic()
    with pytest.raises(TranscriptError, match="3 s were used up before these had ended: cut, late") as caught:
        parse(run(shell, looks, GPU_K8S_DEADLINE="2", GPU_K8S_BUDGET="3"))
    assert time.monotonic() - began < 6
    assert set(caught.value.records) == {"one", "slow"}  # whoever is on record had its whole time


def test_leaves_nothing_behind_when_nobody_listens_any_more(shell: list[str], tmp_path: Path) -> None:
    """As sshd does when the connection breaks: the output is closed, and no signal comes."""
    nap = f"4{os.getpid()}.5"
    sent = PROBE.read_text() + f"look slow sleep {nap}\nlook next sleep {nap}\nend_transcript\n"
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path), "GPU_K8S_LAYERS": "none"}
    environment |= {"GPU_K8S_FORMAT": "encoded", "GPU_K8S_DEADLINE": "2"}
    probe = subprocess.Popen([*shell, "-s"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    assert probe.stdin
    assert probe.stdout
    probe.stdin.write(sent.encode())
    probe.stdin.close()
    assert "transcript" in probe.stdout.readline().decode() + probe.stdout.readline().decode()
    probe.stdout.close()
    probe.wait(timeout=10)
    assert processes_with(nap) == []
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def signals_as_sshd_leaves_them() -> Iterator[None]:
    """Programs that are started in the background, or by nohup, ignore some, and so would the probe."""
    numbers = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if before[number] == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    yield
    for number in numbers:
        signal.signal(number, before[number])


@pytest.mark.usefixtures("signals_as_sshd_leaves_them")
@pytest.mark.parametrize("signal_number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_leaves_nothing_behind_when_it_is_ended(shell: list[str], tmp_path: Path, signal_number: int) -> None:
    nap = f"5{os.getpid()}.5"
    sent = PROBE.read_text() + f"look slow sleep {nap}\n"
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path), "GPU_K8S_LAYERS": "none"}
    probe = subprocess.Popen([*shell, "-s"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment)
    assert probe.stdin
    probe.stdin.write(sent.encode())
    probe.stdin.close()
    for _attempt in range(100):
        if processes_with(nap):
            break
        time.sleep(0.05)
    probe.send_signal(signal_number)
    probe.wait(timeout=10)
    assert processes_with(nap) == []
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_not_taken_for_silence(shell: list[str], tmp_path: Path) -> None:
    """Without room for what commands print, each of them would seem to print nothing."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "head").write_text("#!/bin/sh\necho 'no space left on device' >&2\nexit 1\n")
    (tools / "head").chmod(0o755)
    done = subprocess.run(
        [*shell, "-s"],
        input=PROBE.read_text().encode() + b"look one true\nend_transcript\n",
        capture_output=True,
        env={"PATH": f"{tools}:{os.environ['PATH']}", "TMPDIR": str(tmp_path), "GPU_K8S_LAYERS": "none"},
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert b"no room" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tools"]


def test_cuts_long_output_and_says_so(shell: list[str]) -> None:
    looks = "look long sh -c 'head -c 5000 /dev/zero | tr \"\\000\" x'"
    record = parse(run(shell, looks, GPU_K8S_OUTPUT_LIMIT="1000"))["long"]
    assert record["cut_off"]
    assert record["stdout"] == "x" * 1000


def test_a_missing_command_is_an_exit_code(shell: list[str]) -> None:
    assert parse(run(shell, "look none no-such-command"))["none"]["exit_code"] == 127


def test_a_banner_before_the_transcript_is_passed_over(shell: list[str]) -> None:
    assert parse("Welcome!\nLast login: today\n" + run(shell, "look one true"))["one"]["exit_code"] == 0


def test_leaves_nothing_behind(shell: list[str], tmp_path: Path) -> None:
    run(shell, "look one true\nlook slow sleep 30", TMPDIR=str(tmp_path), GPU_K8S_DEADLINE="1")
    assert list(tmp_path.iterdir()) == []


def test_a_transcript_that_breaks_off_is_an_error_with_what_arrived() -> None:
    whole = run(["sh"], "look one echo 1\nlook two echo 2")
    lines = whole.splitlines()
    for end in range(len(lines)):
        if "complete" in lines[end]:
            break
        with pytest.raises(TranscriptError) as caught:
            parse("\n".join(lines[:end]))
        assert set(caught.value.records or ()) <= {"one", "two"}


@pytest.mark.parametrize(
    "output",
    [
        "",
        "sudo: a password is required\n",
        "@gpu.k8s complete 0\n",
        "@gpu.k8s transcript 1 base64\n",
        "@gpu.k8s transcript 7 base64\n@gpu.k8s complete 0\n",
        "@gpu.k8s transcript 1 base64\n@gpu.k8s complete 3\n",
    ],
)
def test_no_whole_transcript_is_an_error(output: str) -> None:
    with pytest.raises(TranscriptError):
        parse(output)


def test_a_damaged_record_is_an_error() -> None:
    with pytest.raises(TranscriptError, match="damaged"):
        parse(run(["sh"], "look one echo 1").replace("exit_code 0", "exit_code zero"))


@pytest.mark.parametrize("layer", ["driver", "toolkit", "device_plugin"])
def test_the_probe_of_each_layer_runs_whole_where_there_is_no_gpu(layer: str, shell: list[str]) -> None:
    done = subprocess.run(
        [*shell, "-s"], input=script(layer, {"deadline": 5}).encode(), capture_output=True, timeout=60, check=True
    )
    assert parse(done.stdout.decode())
    assert done.stderr == b""


def test_settings_are_quoted() -> None:
    assert "GPU_K8S_IMAGE='a; rm -rf /'" in script("toolkit", {"image": "a; rm -rf /"})


def test_by_hand_it_prints_what_a_person_can_read(shell: list[str]) -> None:
    text = run(shell, "look one echo hello", GPU_K8S_FORMAT="text")
    assert "== one: echo hello\nhello\n-- exit code 0" in text
