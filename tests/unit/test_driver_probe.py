# SPDX-License-Identifier: GPL-3.0-or-later
"""What the driver's probe asks of nvidia-smi, in every shell, with a program of the test's own in its place."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ansible_collections.gpu.k8s.plugins.module_utils._probe import script
from ansible_collections.gpu.k8s.plugins.module_utils._transcript import Records, parse

SHELLS = [shell for shell in (["dash"], ["bash"], ["busybox", "sh"]) if shutil.which(shell[0])]
pytestmark = pytest.mark.skipif(Path("/usr/bin/nvidia-smi").exists(), reason="this machine has a driver of its own")


@pytest.fixture(params=SHELLS, ids=lambda shell: shell[0])
def shell(request: pytest.FixtureRequest) -> list[str]:
    return request.param


def probe(shell: list[str], folder: Path, nvidia_smi: str, **settings: int) -> Records:
    """Run the whole probe with this shell script as nvidia-smi."""
    program = folder / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{nvidia_smi}\n")
    program.chmod(0o755)
    environment = {"PATH": f"{folder}:{os.environ['PATH']}"}
    sent = script("driver", settings).encode()
    done = subprocess.run([*shell, "-s"], input=sent, capture_output=True, env=environment, timeout=60, check=True)
    return parse(done.stdout.decode())


def of_nvidia_smi(records: Records) -> dict[str, int | None]:
    return {name: record["exit_code"] for name, record in records.items() if name.startswith("nvidia_smi")}


def test_the_kernel_is_looked_at_first(shell: list[str], tmp_path: Path) -> None:
    names = list(probe(shell, tmp_path, "exit 0"))
    for fact in ("pci_devices", "module_version", "device_nodes", "kernel_log"):
        assert names.index(fact) < names.index("nvidia_smi_list") < names.index("device_nodes_after")


def test_all_groups_of_fields(shell: list[str], tmp_path: Path) -> None:
    asked = of_nvidia_smi(probe(shell, tmp_path, "exit 0"))
    assert asked == dict.fromkeys(
        ("nvidia_smi_list", "nvidia_smi_query", "nvidia_smi_health", "nvidia_smi_recovery"), 0
    )


def test_an_old_driver_is_asked_for_less(shell: list[str], tmp_path: Path) -> None:
    asked = of_nvidia_smi(probe(shell, tmp_path, 'case "$*" in *gpu_recovery_action*) exit 2 ;; esac'))
    assert asked["nvidia_smi_recovery"] == 2
    assert asked["nvidia_smi_fabric"] == 0


def test_one_that_hangs_is_not_asked_again(shell: list[str], tmp_path: Path) -> None:
    asked = of_nvidia_smi(probe(shell, tmp_path, "sleep 30", deadline=1))
    assert asked == {"nvidia_smi_list": None}


def test_a_virtual_gpu_is_asked_for_its_licence(shell: list[str], tmp_path: Path) -> None:
    asked = of_nvidia_smi(probe(shell, tmp_path, "echo 'GPU 0: GRID A100-40C (UUID: GPU-1)'"))
    assert asked["nvidia_smi_details"] == 0
    asked = of_nvidia_smi(probe(shell, tmp_path, "echo 'GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-1)'"))
    assert "nvidia_smi_details" not in asked
