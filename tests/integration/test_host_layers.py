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
import yaml
from conftest import LAB_RUN, NODES, ROOT, Playbook, Run, run_playbook

PROBE = ROOT / "roles/driver/files/probe.sh"
HOST_LAYERS = ("--tags", "driver,toolkit")
PASSWORD = {"ansible_user": "operator", "ansible_become_password": "operator"}


def host_marks(run: Run, node: str) -> list[str]:
    """The statuses of driver and toolkit."""
    return run.marks(node)[:2]


def records(run: Run, node: str, layer: str = "driver") -> dict[str, t.Any]:
    evidence = json.loads((run.folder / f"evidence/node-{node}.json").read_text())
    return evidence[layer]["records"]


# The ways into a node, as inventory variables: a host each, all of one run.
TO_ROOT: dict[str, dict[str, t.Any]] = {
    "password": PASSWORD,
    "password-without-pipelining": PASSWORD | {"ansible_pipelining": False},
    "su": {"ansible_become_method": "ansible.builtin.su"},
    "without-pipelining": {"ansible_pipelining": False},
    "bash": {"ansible_shell_executable": "/bin/bash"},
    "ash": {"ansible_shell_executable": "/bin/ash"},
}
NOT_TO_ROOT = {
    "no-password": {"ansible_user": "operator"},
    "wrong-password": {"ansible_user": "operator", "ansible_become_password": "wrong"},
    "no-sudo": {"ansible_user": "plain"},
    "no-sudo-with-a-password": {"ansible_user": "plain", "ansible_become_password": "plain"},
}
NOWHERE = {
    "nobody-there": {"ansible_host": "10.213.0.99", "ansible_timeout": 3},
    "nobody-listens": {"ansible_port": 2222},
    "not-let-in": {"ansible_user": "nobody"},
}
ORDINARY = {"ordinary-user": {"ansible_user": "plain", "gpu_k8s_become": False}}


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Every way, to one node after the other; each host's name ends with its node's."""
    lab = yaml.safe_load((ROOT / "inventories/lab/hosts.yml").read_text())["gpu_nodes"]
    all_ways = TO_ROOT | NOT_TO_ROOT | NOWHERE | ORDINARY
    hosts = {
        f"{way}-{node}": lab["hosts"][node] | variables
        for number, (way, variables) in enumerate(all_ways.items())
        for node in (NODES if way in ("password", *ORDINARY) else [NODES[number % len(NODES)]])
    }
    shared = lab["vars"] | yaml.safe_load((ROOT / "inventories/lab/group_vars/all.yml").read_text())
    inventory = tmp_path_factory.mktemp("ways") / "hosts.yml"
    inventory.write_text(json.dumps({"gpu_nodes": {"hosts": hosts, "vars": shared}}))
    folder = ROOT / "build/test/ways"
    return run_playbook(folder, *HOST_LAYERS, inventory=str(inventory), gpu_k8s_gate="chosen")


def hosts_of(run: Run, way: str) -> list[str]:
    hosts = [host for host in run.conclusions if host.rpartition("-")[0] == way]
    assert hosts, run.output
    return hosts


@pytest.mark.parametrize("way", TO_ROOT)
def test_every_way_to_root_sees_the_same(ways: Run, way: str) -> None:
    assert all(host_marks(ways, host) == ["pass", "pass"] for host in hosts_of(ways, way))


@pytest.mark.parametrize("way", NOT_TO_ROOT)
def test_sudo_that_is_refused_is_not_proven(ways: Run, way: str) -> None:
    (host,) = hosts_of(ways, way)
    assert ways.conclusions[host] == "not proven"
    assert host_marks(ways, host) == ["unknown", "unknown"]
    assert ways.codes(host) & {"DRV001", "DRV010", "DRV016"} == {"DRV016"}


def test_an_ordinary_user_is_never_told_that_something_is_broken(ways: Run) -> None:
    for host in hosts_of(ways, "ordinary-user"):
        assert ways.conclusions[host] == "not proven"
        assert records(ways, host)["kernel_release"]["exit_code"] == 0
        driver, toolkit = host_marks(ways, host)
        assert driver in ("pass", "unknown")
        assert toolkit == "unknown"


@pytest.mark.parametrize("way", NOWHERE)
def test_a_node_that_can_not_be_reached_is_not_proven(ways: Run, way: str) -> None:
    (host,) = hosts_of(ways, way)
    assert ways.conclusions[host] == "not proven"
    assert "DRV001" in ways.codes(host)


def test_hosts_that_are_not_proven_keep_the_gate_closed(ways: Run) -> None:
    assert ways.exit_status == 2


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
