# SPDX-License-Identifier: GPL-3.0-or-later
"""Installing on a node of the lab that lacks the toolkit, and taking it back."""

from __future__ import annotations

import json
import re
import typing as t

import pytest
from conftest import Playbook, Run

INSTALL, UNINSTALL = "playbooks/install.yml", "playbooks/uninstall.yml"

STATE = """
dpkg-query -W
find /etc/apt/sources.list.d /etc/apt/keyrings /etc/containerd /var/lib/gpu-k8s -type f -exec sha256sum {} + | sort
crictl info | grep nvidia-container-runtime
:
"""


@pytest.fixture
def wish(bare_node: str, kubectl: t.Callable[..., str]) -> dict[str, t.Any]:
    """The variables of somebody who wants toolkit and device plugin on that node, and says so."""
    return {
        "gpu_k8s_hosts": bare_node,
        "gpu_k8s_cluster_uid": kubectl("get", "namespace", "kube-system", "--output", "jsonpath={.metadata.uid}"),
        "gpu_k8s_install_disposable": True,
        "gpu_k8s_install_way": "components",
        "gpu_k8s_install_components": ["toolkit", "device_plugin"],
    }


def ours(kubectl: t.Callable[..., str]) -> str:
    return kubectl("get", "namespaces,nodes,runtimeclasses", "--selector", "gpu.k8s/installed-by", "--output", "name")


def statuses(run: Run, bare_node: str) -> dict[str, str]:
    told = json.loads((run.folder / "install.json").read_text())
    return {step["component"]: step["status"] for step in [*told["hosts"][bare_node], *told["cluster"]]}


def test_a_bare_node_becomes_usable_and_then_bare_again(
    play: Playbook,
    wish: dict[str, t.Any],
    bare_node: str,
    ssh: t.Callable[..., str],
    kubectl: t.Callable[..., str],
) -> None:
    before = ssh(bare_node, STATE)

    dry = play("--check", "--diff", playbook=INSTALL, **wish)
    assert dry.exit_status == 0, dry.output
    assert statuses(dry, bare_node) == {"toolkit": "would be done", "device_plugin": "would be done"}
    assert ssh(bare_node, STATE) == before
    assert ours(kubectl) == ""

    first = play(playbook=INSTALL, **wish)
    assert first.conclusions == {bare_node: "usable"}, first.output
    assert statuses(first, bare_node) == {"toolkit": "done", "device_plugin": "done"}
    installed = ssh(bare_node, STATE)
    assert installed != before

    again = play(playbook=INSTALL, **wish)
    assert statuses(again, bare_node) == {"toolkit": "kept", "device_plugin": "kept"}
    assert re.search(rf"^{bare_node} .*changed=0 ", again.output, re.MULTILINE), again.output
    assert ssh(bare_node, STATE) == installed

    refused = play(playbook=UNINSTALL, **wish | {"gpu_k8s_cluster_uid": "0b7d2c1e-2222-4c1d-9a3e-6f0b8f3c7d10"})
    assert refused.exit_status != 0
    assert ssh(bare_node, STATE) == installed

    gone = play(playbook=UNINSTALL, **wish)
    assert gone.exit_status == 0, gone.output
    assert ssh(bare_node, STATE) == before
    assert ours(kubectl) == ""


def test_what_failed_is_told_and_the_next_run_goes_on(
    play: Playbook,
    wish: dict[str, t.Any],
    bare_node: str,
    ssh: t.Callable[..., str],
    kubectl: t.Callable[..., str],
) -> None:
    failed = play(playbook=INSTALL, gpu_k8s_install_toolkit_version="0.0.1-1", **wish)
    assert failed.exit_status != 0
    assert failed.report is None, "nothing is verified after a failed installation"
    assert statuses(failed, bare_node) == {"toolkit": "failed", "device_plugin": "not reached"}
    assert "0.0.1-1" in (failed.folder / "install.md").read_text()
    assert json.loads(ssh(bare_node, "cat /var/lib/gpu-k8s/installed/toolkit.json"))["state"] == "begun"
    assert ours(kubectl) == ""

    ssh(bare_node, "echo '# mine' >>/etc/containerd/config.toml")
    went_on = play(playbook=INSTALL, **wish)
    assert went_on.conclusions == {bare_node: "usable"}, went_on.output
    assert json.loads(ssh(bare_node, "cat /var/lib/gpu-k8s/installed/toolkit.json"))["state"] == "done"

    ssh(bare_node, "echo '# mine' >>/etc/containerd/config.toml")
    gone = play(playbook=UNINSTALL, **wish)
    assert "/etc/containerd/config.toml: somebody has changed it since" in " ".join(gone.output.split())
    assert ssh(bare_node, "cat /etc/containerd/config.toml").endswith("# mine\n")
