# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's GPU nodes from its own Node objects, and a verification with no other inventory."""

from __future__ import annotations

import json
import subprocess
import typing as t
from pathlib import Path

import pytest
import yaml
from conftest import BIN, LAB_RUN, NODES, ROOT, Playbook

EXAMPLE = ROOT / "docs/examples/nodes.gpu_k8s.yml"
LOGIN = {
    "ansible_user": "'root'",
    "ansible_ssh_private_key_file": f"'{LAB_RUN}/ssh/id'",
    "ansible_ssh_common_args": f"'-o UserKnownHostsFile={LAB_RUN}/ssh/known_hosts -o StrictHostKeyChecking=yes'",
}


@pytest.fixture
def write(tmp_path: Path) -> t.Callable[..., str]:
    """Write the example, with the lab in place of what it names, and more options."""

    def file(**options: t.Any) -> str:
        lab = {"context": "gpu-k8s-lab", "kubeconfig": str(LAB_RUN / "kubeconfig"), "compose": LOGIN}
        path = tmp_path / EXAMPLE.name
        path.write_text(yaml.safe_dump(yaml.safe_load(EXAMPLE.read_text()) | lab | options))
        return str(path)

    return file


def listed(path: str, *arguments: str) -> dict[str, t.Any]:
    command = [BIN / "ansible-inventory", "-i", path, "--list", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def test_the_nodes_of_the_lab_are_hosts(write: t.Callable[..., str], kubectl: t.Callable[..., str]) -> None:
    inventory = listed(write())
    assert sorted(inventory["gpu_nodes"]["hosts"]) == NODES
    assert sorted(inventory["gpu_owner_nobody"]["hosts"]) == NODES
    uid = kubectl("get", "ns", "kube-system", "-o", "jsonpath={.metadata.uid}")
    hosts = inventory["_meta"]["hostvars"]
    assert {host["gpu_k8s_cluster_uid"]["__ansible_unsafe"] for host in hosts.values()} == {uid}
    assert {name: host["gpu_node"]["count"] for name, host in hosts.items()} == {"node1": 4, "node2": 4, "node3": 2}


def test_a_verification_needs_nothing_else(write: t.Callable[..., str], play: Playbook) -> None:
    run = play(inventory=write(), gpu_k8s_smoke_image="docker.io/lab/smoke:1")
    assert run.exit_status == 0, run.output
    assert run.conclusions == dict.fromkeys(NODES, "usable")


def test_a_verification_of_no_node_is_not_proven(write: t.Callable[..., str], play: Playbook) -> None:
    run = play(inventory=write(label_selector="no-node-has=this"))
    assert run.exit_status != 0
    assert "has no Node with the labels no-node-has=this" in " ".join(run.output.split())
    assert "matches no host of the inventory" in run.output
    assert run.word == "bad_input"


def test_another_cluster_than_the_pinned_one_gives_no_host(write: t.Callable[..., str], play: Playbook) -> None:
    run = play(inventory=write(), gpu_k8s_cluster_uid="11111111-2222-4333-8444-555555555555")
    assert run.exit_status != 0
    assert "names another. Its Nodes were not asked for" in " ".join(run.output.split())
    assert run.word == "bad_input"
