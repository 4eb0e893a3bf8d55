# SPDX-License-Identifier: GPL-3.0-or-later
"""A ServiceAccount with the rules of docs/permissions.md can do everything; with one verb less, the verb is named."""

from __future__ import annotations

import json
import typing as t
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Playbook
from service_account import created_pods, rules_of, service_account

Kubectl = t.Callable[..., str]


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory, kubectl: Kubectl) -> Iterator[Path]:
    """The kubeconfig of a ServiceAccount that was given the documented rules, and nothing else."""
    with service_account(kubectl, tmp_path_factory.mktemp("identity"), rules_of("The rules")) as kubeconfig:
        yield kubeconfig


def test_the_documented_rules_suffice_also_with_a_limit(play: Playbook, identity: Path) -> None:
    run = play("--limit", "node2,localhost", gpu_k8s_kubeconfig=str(identity))
    assert run.exit_status == 0, run.output
    assert run.conclusions == {"node2": "usable"}
    assert run.report is not None
    assert run.report["cluster"]["nodes_without_host"] == ["node1", "node3"]
    assert not run.report["cluster"].get("missing_permissions")
    assert len(created_pods(run)) == 2
    assert identity.read_text().split('"token": "')[1].split('"')[0] not in run.output


@pytest.mark.parametrize(
    ("role", "resource", "verb", "says"),
    [
        ("clusterrole/gpu-k8s-read", "nodes", "list", "list nodes"),
        ("role/gpu-k8s-smoke", "pods", "delete", "delete pods in default"),
        ("role/gpu-k8s-smoke", "pods/log", "get", "get pods/log in default"),
    ],
)
def test_one_verb_less_is_named_and_nothing_is_created(
    play: Playbook, kubectl: Kubectl, identity: Path, role: str, resource: str, verb: str, says: str
) -> None:
    whole = json.loads(kubectl("get", role, "--namespace", "default", "--output", "json"))["rules"]
    others = [rule for rule in whole if resource not in rule["resources"]]
    (of_it,) = [rule for rule in whole if resource in rule["resources"]]
    others.append(of_it | {"resources": [other for other in of_it["resources"] if other != resource]})
    others.append(of_it | {"resources": [resource], "verbs": [other for other in of_it["verbs"] if other != verb]})
    rules = [rule for rule in others if rule["resources"] and rule["verbs"]]
    try:
        patch(kubectl, role, rules)
        run = play("--limit", "node1,localhost", gpu_k8s_kubeconfig=str(identity))
    finally:
        patch(kubectl, role, whole)
    assert run.exit_status != 0
    assert run.conclusions == {"node1": "not proven"}
    assert "PRE007" in run.codes("node1")
    assert says in " ".join(run.output.split())
    assert verb in (run.folder / "missing-permissions.yml").read_text()
    assert created_pods(run) == []


def patch(kubectl: Kubectl, role: str, rules: list[dict[str, t.Any]]) -> None:
    kubectl("patch", role, "--namespace", "default", "--type", "merge", "--patch", json.dumps({"rules": rules}))
