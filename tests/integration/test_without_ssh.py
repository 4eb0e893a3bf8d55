# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts that are looked at by debug Pods: the same evidence as over SSH, nothing left behind, a word where it fails."""

from __future__ import annotations

import json
import re
import time
import typing as t
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import NODES, Playbook, Run
from service_account import created_pods, rules_of, service_account
from test_interrupted import kill, start, wait, wound_up

NAMESPACE = "gpu-k8s-debug"
HOST_LAYERS = ("driver", "toolkit", "device_plugin")
DEBUG_PODS = ("get", "pods", "--namespace", NAMESPACE, "--output", "name")
BY_POD = {"gpu_k8s_host_access": "debug_pod", "ansible_host": "192.0.2.1"}
"""Nobody answers SSH at that address."""

Kubectl = t.Callable[..., str]
Tree = dict[str, t.Any]


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory, kubectl: Kubectl) -> Iterator[Path]:
    """The kubeconfig of a ServiceAccount that was given the documented rules for debug Pods, and their Namespace."""
    folder = tmp_path_factory.mktemp("identity")
    rules = rules_of("The rules") + rules_of("For debug Pods")
    with service_account(kubectl, folder, rules) as kubeconfig:
        yield kubeconfig


def test_a_debug_pod_sees_what_ssh_sees_and_leaves_nothing(
    play: Playbook, kubectl: Kubectl, ssh: t.Callable[..., str], identity: Path
) -> None:
    over_ssh = looks_of(play("--tags", ",".join(HOST_LAYERS), gpu_k8s_gate="none"))
    before = {node: leftovers(ssh, node) for node in NODES}
    run = play(**BY_POD, gpu_k8s_debug_namespace=NAMESPACE, gpu_k8s_kubeconfig=str(identity))
    assert run.exit_status == 0, run.output
    assert run.conclusions == dict.fromkeys(NODES, "usable")
    assert run.report is not None
    assert not run.report["cluster"].get("missing_permissions")
    assert sum(f"/namespaces/{NAMESPACE}/" in uri for uri in created_pods(run)) == len(NODES)
    by_pod = looks_of(run)
    for node in NODES:
        for layer in HOST_LAYERS:
            assert by_pod[node][layer]["way"] == "debug_pod"
            assert comparable(by_pod[node][layer]) == comparable(over_ssh[node][layer]), (node, layer)
    assert identity.read_text().split('"token": "')[1].split('"')[0] not in run.output
    wait(lambda: not kubectl(*DEBUG_PODS), 20)
    assert {node: leftovers(ssh, node) for node in NODES} == before


def test_a_run_that_dies_leaves_no_debug_pod_and_no_container_of_its_probes(
    tmp_path: Path, kubectl: Kubectl, ssh: t.Callable[..., str], identity: Path
) -> None:
    """What is started through a Pod dies with it: so the Pod has to wait until the probe has cleaned up."""
    before = {node: leftovers(ssh, node) for node in NODES}
    run = start(tmp_path, **BY_POD, gpu_k8s_debug_namespace=NAMESPACE, gpu_k8s_kubeconfig=str(identity))
    wait(lambda: list(tmp_path.glob("evidence/.journal/node*.driver_result.json")))
    time.sleep(0.5)  # into the toolkit's experiment
    kill(run)
    kubectl("delete", "pods", "--namespace", NAMESPACE, "--all", "--wait=false")
    wound_up(tmp_path)
    wait(lambda: not kubectl(*DEBUG_PODS), 90)
    assert {node: leftovers(ssh, node) for node in NODES} == before


def test_where_the_namespace_forbids_it_the_word_is_clear_and_the_other_layers_are_judged(
    play: Playbook, kubectl: Kubectl
) -> None:
    kubectl("create", "namespace", "lab-restricted")
    try:
        kubectl("label", "namespace", "lab-restricted", "pod-security.kubernetes.io/enforce=restricted")
        run = play("--limit", "node1,localhost", **BY_POD, gpu_k8s_debug_namespace="lab-restricted")
    finally:
        kubectl("delete", "namespace", "lab-restricted", "--wait=false")
    assert run.exit_status == 2
    assert run.conclusions == {"node1": "not proven"}
    assert run.marks("node1") == ["unknown", "unknown", "pass", "pass", "pass", "pass"]
    assert run.codes("node1") == {"PRE013"}
    assert "in the Namespace lab-restricted: violates PodSecurity" in " ".join(run.output.split())


def looks_of(run: Run) -> dict[str, Tree]:
    return {node: json.loads((run.folder / f"evidence/node-{node}.json").read_text()) for node in NODES}


# What differs from look to look, whatever the way: a time of day, how long something took, how long something has run.
_VARIES = (
    (r'time="[^"]+"', "time=TIME"),
    (r't="?[\d.]+(ns|µs|ms|s)"?', "t=SECONDS"),
    (r"^(now|seconds) \d+$", r"\1 NUMBER"),
    (r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d (kubelet_internal_checkpoint)$", r"TIME \1"),
)


def comparable(look: Tree) -> Tree:
    """Return the records of a look without what differs between any two looks at a host on which nothing happens."""
    nonce = re.search(r"gpu-k8s-([0-9a-f]{16})-gpu", str(look["records"].get("gpu_container")))
    records = {}
    for name, record in look["records"].items():
        shown = {key: value for key, value in record.items() if key != "seconds"}
        for field in ("command", "stdout", "stderr"):
            if nonce:
                shown[field] = shown[field].replace(nonce[1], "NONCE")
            for pattern, instead in _VARIES:
                shown[field] = re.sub(pattern, instead, shown[field], flags=re.MULTILINE)
        if name == "kubelet_checkpoint":  # it also holds which Pod had a device last
            shown["stdout"] = json.loads(shown["stdout"])["Data"]["RegisteredDevices"]
        records[name] = shown
    return {"records": records, "error": look["error"]}


def leftovers(ssh: t.Callable[..., str], node: str) -> str:
    """What a run could leave on a node: containers of the probe, files that it did not remove, processes of it."""
    return ssh(
        node,
        "ctr --namespace k8s.io containers list --quiet | grep gpu-k8s-;"
        " ls -d /tmp/*gpu*k8s* /run/*gpu*k8s* 2>/dev/null; ps -eo args | grep -e '[n]senter' -e '[/]bin/sh -s'; :",
    )
