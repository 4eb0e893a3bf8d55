# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples of docs/provisioning.md that need no cluster; tests/unit/test_examples.py lists which test runs which."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml
from conftest import LAB_RUN, ROOT


@pytest.mark.parametrize(("reads", "refused"), [("=:NoSchedule", False), (":=NoSchedule", True)])
def test_a_kubelet_understands_the_flag(tmp_path: Path, reads: str, refused: bool) -> None:
    """It is given the flag of docs/examples/user-data, and no configuration, for want of which it ends."""
    (file,) = yaml.safe_load((ROOT / "docs/examples/user-data").read_text())["write_files"]
    flag = file["content"].strip().removeprefix("KUBELET_EXTRA_ARGS=").replace("=:NoSchedule", reads)
    done = subprocess.run(
        [LAB_RUN / "parts/kubelet/kubelet", flag, f"--config={tmp_path}/none"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert ("failed to parse kubelet flag" in done.stderr) == refused
    assert ("failed to read kubelet config file" in done.stderr) == (not refused)


def test_a_failed_provisioning_is_not_proven(tmp_path: Path) -> None:
    command = "sh docs/examples/gate.sh ansible-playbook -i inventory/mycluster gpu.yml"
    assert f"\n{command}\n" in (ROOT / "docs/provisioning.md").read_text()
    program = tmp_path / "bin/ansible-playbook"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\n[ "$*" = "-i inventory/mycluster gpu.yml" ] || exit 64\nexit 2\n')
    program.chmod(0o755)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    environment = os.environ | {"PATH": f"{program.parent}:/usr/bin:/bin"}
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 11
    assert done.stdout == "ansible-playbook ended with 2, the nodes are: not_proven\n"
