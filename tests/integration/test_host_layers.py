# SPDX-License-Identifier: GPL-3.0-or-later
"""The host layers over every way to a node: users, shells, connections, and those that lead nowhere.

The lab's nodes have the users operator (bash that greets, sudo with the password "operator") and plain (busybox's
shell, no sudo).
"""

from __future__ import annotations

import json
import subprocess
import time
import typing as t
from pathlib import Path

import pytest
from conftest import LAB_RUN, NODES, ROOT, Playbook, Run

PROBE = ROOT / "roles/driver/files/probe.sh"
HOST_LAYERS = ("--tags", "driver,toolkit")
PASSWORD = {"ansible_user": "operator", "ansible_become_password": "operator"}


def host_marks(run: Run, node: str) -> list[str]:
    """The statuses of driver and toolkit."""
    return run.marks(node)[:2]


def records(run: Run, node: str, layer: str = "driver") -> dict[str, t.Any]:
    evidence = json.loads((run.folder / f"evidence/node-{node}.json").read_text())
    return evidence[layer]["records"]


@pytest.mark.parametrize(
    "variables",
    [
        PASSWORD,
        PASSWORD | {"ansible_pipelining": False},
        {"ansible_become_method": "ansible.builtin.su"},
        {"ansible_pipelining": False},
        {"ansible_shell_executable": "/bin/bash"},
        {"ansible_shell_executable": "/bin/ash"},
    ],
    ids=lambda variables: ",".join(key.removeprefix("ansible_") for key in variables),
)
def test_every_way_to_root_sees_the_same(play: Playbook, variables: dict[str, t.Any]) -> None:
    run = play(*HOST_LAYERS, gpu_k8s_gate="chosen", **variables)
    assert run.exit_status == 0, run.output
    assert all(host_marks(run, node) == ["pass", "pass"] for node in NODES)


@pytest.mark.parametrize(
    "variables",
    [
        {"ansible_user": "operator"},
        {"ansible_user": "operator", "ansible_become_password": "wrong"},
        {"ansible_user": "plain"},
        {"ansible_user": "plain", "ansible_become_password": "plain"},
    ],
    ids=["no password", "wrong password", "no sudo", "no sudo, with a password"],
)
def test_sudo_that_is_refused_is_not_proven(play: Playbook, variables: dict[str, str]) -> None:
    run = play(*HOST_LAYERS, "--limit", "node1,localhost", gpu_k8s_gate="chosen", **variables)
    assert run.exit_status != 0
    assert run.conclusions == {"node1": "not proven"}
    assert host_marks(run, "node1") == ["unknown", "unknown"]
    assert run.codes("node1") & {"DRV001", "DRV010", "DRV016"} == {"DRV016"}


def test_an_ordinary_user_is_never_told_that_something_is_broken(play: Playbook) -> None:
    run = play(*HOST_LAYERS, gpu_k8s_gate="chosen", gpu_k8s_become=False, ansible_user="plain")
    assert run.exit_status != 0
    assert run.conclusions == dict.fromkeys(NODES, "not proven")
    for node in NODES:
        assert records(run, node)["kernel_release"]["exit_code"] == 0
        driver, toolkit = host_marks(run, node)
        assert driver in ("pass", "unknown")
        assert toolkit == "unknown"


@pytest.mark.parametrize(
    "variables",
    [{"ansible_host": "10.213.0.99", "ansible_timeout": 3}, {"ansible_port": 2222}, {"ansible_user": "nobody"}],
    ids=["nobody there", "nobody listens", "not let in"],
)
def test_a_node_that_can_not_be_reached_is_not_proven(play: Playbook, variables: dict[str, t.Any]) -> None:
    run = play(*HOST_LAYERS, "--limit", "node1,localhost", gpu_k8s_gate="chosen", **variables)
    assert run.exit_status != 0
    assert run.conclusions == {"node1": "not proven"}
    assert "DRV001" in run.codes("node1")


def test_a_budget_that_does_not_suffice_is_not_proven(play: Playbook) -> None:
    """The control: with next to no time nothing is proven, and nothing is called broken."""
    run = play(*HOST_LAYERS, gpu_k8s_gate="chosen", gpu_k8s_probe_budget=1)
    assert run.exit_status != 0
    for node in NODES:
        assert host_marks(run, node) == ["unknown", "unknown"]
        assert "DRV010" in run.codes(node)
    assert "were used up" in " ".join(run.output.split())


@pytest.mark.parametrize("shell", ["dash", "bash", "ash"])
def test_the_shells_of_a_node_see_the_same(ssh: t.Callable[..., str], shell: str) -> None:
    text = ssh("node2", f"{shell} -s", PROBE.read_text())
    assert "GPU 3: NVIDIA H100" in text
    assert "abandoned" not in text


def test_through_kubectl(
    play: Playbook, kubectl: t.Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Pod stands for a host: what matters is that the transcript comes back whole."""
    container = {"name": "host", "image": "docker.io/lab/smoke:1", "command": ["/bin/sh", "-c", "sleep 600"]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "host"}}
    pod["spec"] = {"terminationGracePeriodSeconds": 0, "containers": [container]}
    (tmp_path / "pod.json").write_text(json.dumps(pod))
    reached = {"ansible_connection": "kubernetes.core.kubectl", "ansible_kubectl_pod": "host"}
    reached |= {"ansible_kubectl_namespace": "default", "ansible_kubectl_context": "gpu-k8s-lab"}
    reached |= {"ansible_kubectl_kubeconfig": str(LAB_RUN / "kubeconfig")}
    (tmp_path / "hosts.yml").write_text(json.dumps({"gpu_nodes": {"hosts": {"pod": reached}}}))
    monkeypatch.setenv("PATH", f"{LAB_RUN}/parts/kubectl", prepend=":")
    kubectl("apply", "--filename", str(tmp_path / "pod.json"))
    try:
        kubectl("wait", "--for=condition=Ready", "pod/host", "--timeout=25s")
        run = play("--tags", "driver", inventory=str(tmp_path / "hosts.yml"), gpu_k8s_become=False)
        assert records(run, "pod")["kernel_release"]["exit_code"] == 0, run.output
        assert "DRV001" not in run.codes("pod")
        refused = play("--tags", "driver", inventory=str(tmp_path / "hosts.yml"))
    finally:
        kubectl("delete", "pod", "host", "--wait")
    assert refused.codes("pod") == {"DRV016"}, refused.output  # the image has no sudo
    run = play("--tags", "driver", inventory=str(tmp_path / "hosts.yml"), gpu_k8s_become=False)
    assert run.codes("pod") == {"DRV001"}, run.output  # the Pod is gone


def test_a_connection_that_breaks_leaves_nothing_on_the_node(ssh: t.Callable[..., str]) -> None:
    """The client is killed while a command hangs: the probe ends by itself, and takes its folder and command along."""
    looks = "\nlook slow sleep 7654.5\nlook next sleep 7654.5\nend_transcript\n"
    settings = "GPU_K8S_LAYERS=none GPU_K8S_FORMAT=encoded GPU_K8S_DEADLINE=3"
    left = "ls -d /tmp/gpu-k8s.* 2>/dev/null; pgrep -fx 'sleep 7654.5' || true"
    known = [f"-oUserKnownHostsFile={LAB_RUN}/ssh/known_hosts", "-oBatchMode=yes", f"-i{LAB_RUN}/ssh/id"]
    command = ["ssh", *known, "root@10.213.0.12", f"{settings} /bin/sh -s"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdin
        client.stdin.write((PROBE.read_text() + looks).encode())
        client.stdin.close()
        time.sleep(1.5)
        assert ssh("node2", left) != ""
        client.kill()
    for _second in range(8):
        if ssh("node2", left) == "":
            break
        time.sleep(1)
    assert ssh("node2", left) == ""
