# SPDX-License-Identifier: GPL-3.0-or-later
"""Debug Pods: which Node each host is, what keeps one from serving, and that none is made where it could not serve."""

from __future__ import annotations

import os
import subprocess
import types
import typing as t
from pathlib import Path

import pytest
import yaml
from ansible.playbook.play_context import PlayContext
from ansible.plugins import loader
from ansible.plugins.action import ActionBase
from cases import FOLDER, base, cases, evidence

from ansible_collections.gpu.k8s.plugins.action import debug_targets, examine, unfinished
from ansible_collections.gpu.k8s.plugins.module_utils._access import PERMISSIONS
from ansible_collections.gpu.k8s.plugins.module_utils._catalogue import CATALOGUE
from ansible_collections.gpu.k8s.plugins.module_utils._debug_pod import (
    ENTER,
    NO_NSENTER,
    Cause,
    has_come_to_something,
    not_created,
    not_entered,
    not_opened,
    targets,
)
from ansible_collections.gpu.k8s.plugins.module_utils._judge.debug_pod import NO_POD
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.plugin_utils._debug_pod_connection import connection_into

Tree = dict[str, t.Any]

SEEN: Tree = yaml.safe_load((FOLDER / "debug_pods.yml").read_text())
INPUTS: Tree = yaml.safe_load((Path(__file__).parents[2] / "roles/preflight/vars/main.yml").read_text())[
    "__preflight_inputs"
]
NODE = base("healthy-h100")["kubernetes"]["node"]


@pytest.mark.parametrize("case", SEEN["pods"], ids=lambda case: case["why"])
def test_what_keeps_a_pod_from_serving(case: Tree) -> None:
    obstacle = not_opened(case["pod"], case.get("node"), 60)
    said = obstacle.as_error() if obstacle else None
    assert said == (case["says"] and {"kind": "no_pod", **case["says"]})


def test_a_pod_is_waited_for_until_it_runs_or_has_ended() -> None:
    phases = {case["why"]: has_come_to_something(case["pod"]) for case in SEEN["pods"] if case["pod"]}
    assert {why for why, done in phases.items() if done} == {
        "it runs",
        "the image has no shell",
        "the Node has as many Pods as it may",
    }


@pytest.mark.parametrize("case", SEEN["refusals"], ids=lambda case: case["why"])
def test_why_the_api_takes_none(case: Tree) -> None:
    assert not_created(case["text"], "debug").as_error() == {"kind": "no_pod", **case["says"]}


@pytest.mark.parametrize(
    ("exit_code", "cause"),
    [(NO_NSENTER, "image"), (126, "no_shell"), (127, "no_shell"), (1, "not_entered"), (137, "not_entered")],
)
def test_why_a_pod_that_runs_can_not_be_entered(exit_code: int, cause: str) -> None:
    assert not_entered(exit_code, "").cause == cause


def test_an_image_without_nsenter_says_so(tmp_path: Path) -> None:
    done = subprocess.run(["/bin/sh", "-c", ENTER], env=os.environ | {"PATH": str(tmp_path)}, check=False)
    assert done.returncode == NO_NSENTER


def test_the_probe_has_nothing_of_the_images_environment(tmp_path: Path) -> None:
    """Not even its PATH: the host's programs are to be found."""
    fake = tmp_path / "nsenter"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    shown = ENTER.replace("nsenter --target", "env --target").partition(" --target")[0]
    given = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "NVIDIA_VISIBLE_DEVICES": "void", "LD_PRELOAD": ""}
    done = subprocess.run(["/bin/sh", "-c", shown], env=given, capture_output=True, text=True, check=True)
    assert [line.partition("=")[0] for line in done.stdout.splitlines()] == ["PATH"]
    assert str(tmp_path) not in done.stdout


def test_every_cause_has_its_own_finding() -> None:
    assert set(NO_POD) == set(t.get_args(Cause))
    assert len(set(NO_POD.values())) == len(NO_POD)
    assert {CATALOGUE[code].status for code in NO_POD.values()} == {"unknown"}


def test_each_host_has_the_pod_of_its_node() -> None:
    address = NODE["status"]["addresses"][0]["address"]
    pods, without = targets({"a": ["a", address], "b": ["b"], "node1": ["node1"]}, [NODE], "1")
    assert [(pod["host"], pod["node"], pod["name"]) for pod in pods] == [
        ("a", "node1", "gpu-k8s-debug-1-0"),
        ("node1", "node1", "gpu-k8s-debug-1-2"),
    ]
    assert {host: obstacle.cause for host, obstacle in without.items()} == {"b": "not_made"}


# ---- what keeps every Pod of a run from being made

RUN: Tree = {"check_mode": False, "expect": {"debug_namespace": "debug"}}
NODES: Tree = {"lists": {"nodes": {"items": [NODE], "error": None}}}
DENIED: Tree = {"denied": [p.row() for p in PERMISSIONS if p.path == "pods/exec" and p.verb == "get"]}


@pytest.mark.parametrize(
    ("run", "cluster", "kubectl", "says"),
    [
        ({}, {}, True, None),
        ({"check_mode": True}, {}, True, ("not_made", "nothing is created in check mode")),
        ({}, {}, False, ("no_kubectl", "kubectl is not on the PATH of the Ansible controller")),
        ({}, {"lists": {}}, True, ("not_made", "the Nodes could not be read: the cluster was not asked")),
        ({}, {"access": DENIED}, True, ("not_made", "this identity may not get pods/exec in debug")),
    ],
)
def test_what_keeps_all_pods_from_being_made(
    monkeypatch: pytest.MonkeyPatch, run: Tree, cluster: Tree, kubectl: bool, says: tuple | None
) -> None:
    monkeypatch.setattr(debug_targets.shutil, "which", lambda _name: "/usr/bin/kubectl" if kubectl else None)
    assert debug_targets._of_all(RUN | run, NODES | cluster) == says


@pytest.mark.parametrize(("way", "checkpoints"), [("debug_pod", (1, 2, 3)), (None, ())])
def test_a_missing_permission_counts_for_the_hosts_that_need_it(way: str | None, checkpoints: tuple) -> None:
    """Of a run that reaches some hosts by SSH and others by debug Pods."""
    whole = base("healthy-h100")
    if way:
        whole = evidence(cases()["preflight/debug_pod_not_made"])
    whole["expect"]["debug_namespace"] = "debug"
    whole["kubernetes"]["access"] = {"asked": 30, "not_known": [], **DENIED}
    verdict = judge_node(whole)
    assert verdict.not_proven == checkpoints
    assert {f.code for c in verdict.checkpoints for f in c.findings} == ({"PRE007"} if way else set())


# ---- the way into the Pod

OPENED: Tree = {
    "run_id": "1",
    "kubeconfig": "/etc/kubeconfig",
    "context": "lab",
    "namespace": "debug",
    "hosts": {"a": {"pod": "gpu-k8s-debug-1-0", "error": None}},
}


def test_kubectl_is_given_the_kubeconfigs_path_and_context_and_no_secret(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kubectl = tmp_path / "kubectl"
    kubectl.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("TOKEN", "PASSWORD", "HOST", "CONTEXT", "KUBECONFIG", "EXTRA_ARGS", "VERIFY_SSL"):
        monkeypatch.setenv(f"K8S_AUTH_{name}", "from-the-environment")
    action = types.SimpleNamespace(_play_context=PlayContext(), _shared_loader_obj=loader)
    connection: t.Any = connection_into(t.cast(ActionBase, action), OPENED, "gpu-k8s-debug-1-0")
    given, _censored = connection._build_exec_cmd(["true"])
    where = ["-c", "debug", "--", "true"]
    assert given[0] == str(kubectl)
    assert given[-7:] == ["exec", "-i", "gpu-k8s-debug-1-0", *where]
    options = dict(zip(given[1:-7:2], given[2:-7:2], strict=True))
    assert options == {"--kubeconfig": "/etc/kubeconfig", "--context": "lab", "-n": "debug"}
    assert connection.become is None


@pytest.mark.parametrize(
    ("local", "cause"),
    [
        ({}, "not_made"),
        ({"debug_pod_opened": OPENED | {"run_id": "an earlier one"}}, "not_made"),
        ({"debug_pod_opened": OPENED | {"hosts": {"b": OPENED["hosts"]["a"]}}}, "not_made"),
        ({"debug_pod_opened": OPENED | {"hosts": {"a": {"pod": "x", "error": {"cause": "image"}}}}}, "image"),
    ],
)
def test_a_host_without_a_debug_pod_of_this_run_is_not_reached_in_another_way(local: Tree, cause: str) -> None:
    action = examine.ActionModule.__new__(examine.ActionModule)
    hostvars = {"localhost": {"preflight_run": {"id": "1"}, **local}}
    look = action._enter_pod({"hostvars": hostvars, "inventory_hostname": "a"})
    assert look is not None
    assert (look["records"], look["error"]["cause"]) == ({}, cause)


def test_an_interrupted_run_has_its_debug_pods_removed_where_they_are() -> None:
    expect = {"smoke_namespace": "default", "smoke_ask": "device_plugin", "debug_namespace": "debug"}
    local: Tree = {"debug_pod_targets": {"pods": [{}]}}
    assert [one["namespace"] for one in unfinished._created(expect, local)] == ["debug"]
    local["smoke_pod_targets"] = {"pods": [{}]}
    assert [one["namespace"] for one in unfinished._created(expect, local)] == ["debug", "default"]
    assert not list(unfinished._created(expect, {}))
