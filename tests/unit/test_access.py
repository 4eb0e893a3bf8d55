# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster is asked for is what is reviewed, told and granted."""

from __future__ import annotations

import typing as t

import pytest
from cases import base

from ansible_collections.gpu.k8s.plugins.module_utils._access import (
    INSTALLING,
    PERMISSIONS,
    applicable,
    denied,
    in_words,
    manifests,
    permissions_of,
    subject_of,
)
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._kube_lists import LISTS
from ansible_collections.gpu.k8s.plugins.module_utils._smoke import reason_not_to_try

DEFAULT = {"smoke namespace": "default"}
LAB = {"smoke namespace": "lab", "debug namespace": "lab-debug"}

# Where the core API's lists are, which _kube_lists.py names by the client library's methods.
CORE = {
    "list_node": ("list", "nodes", "cluster"),
    "list_pod_for_all_namespaces": ("list", "pods", "cluster"),
    "list_event_for_all_namespaces": ("list", "events", "cluster"),
    "read_namespace": ("get", "namespaces", "smoke namespace"),
    "list_namespace": ("list", "namespaces", "cluster"),
    "list_service_for_all_namespaces": ("list", "services", "cluster"),
    "list_persistent_volume_claim_for_all_namespaces": ("list", "persistentvolumeclaims", "cluster"),
    "list_namespaced_resource_quota": ("list", "resourcequotas", "smoke namespace"),
    "list_namespaced_limit_range": ("list", "limitranges", "smoke namespace"),
}


@pytest.mark.parametrize("name", LISTS)
def test_every_list_that_is_read_is_reviewed(name: str) -> None:
    wanted = LISTS[name]
    group = "" if wanted.api == "core" else wanted.args[0]
    verb, resource, scope = CORE[wanted.method] if not group else ("list", wanted.args[2], "cluster")
    permissions = [*applicable(["device_plugin"]), *INSTALLING]
    rows = [(p.verb, p.group, p.resource, p.subresource, p.scope) for p in permissions]
    assert rows.count((verb, group, resource, "", scope)) == 1


@pytest.mark.parametrize("ask", ["device_plugin", "dra"])
def test_nothing_is_reviewed_twice(ask: str) -> None:
    rows = [str(permission.row()) for permission in applicable([ask])]
    assert len(set(rows)) == len(rows)
    assert [p for p in applicable([ask]) if p.resource == "resourceclaimtemplates"] == (
        [p for p in PERMISSIONS if p.resource == "resourceclaimtemplates"] if ask == "dra" else []
    )


def test_verifying_asks_for_nothing_that_only_installing_needs() -> None:
    rows = [str(permission.row()) for permission in PERMISSIONS]
    assert not [p for p in INSTALLING if str(p.row()) in rows]
    assert {p.verb for p in INSTALLING} == {"list"}


def test_a_review_asks_for_one_object_only_where_it_means_one() -> None:
    told = {in_words([p], LAB): p.review(LAB) for p in PERMISSIONS}
    assert told["list nodes"] == {"verb": "list", "group": "", "resource": "nodes"}
    assert told["get pods/log in lab"] == {
        "verb": "get",
        "group": "",
        "resource": "pods",
        "subresource": "log",
        "namespace": "lab",
    }
    assert told["get namespaces kube-system"]["name"] == "kube-system"
    assert told["get namespaces in lab"]["name"] == "lab"
    assert told["list daemonsets.apps"]["group"] == "apps"


def access(*words: str) -> dict[str, t.Any]:
    rows = [p.row() for p in applicable(["device_plugin"]) if in_words([p], DEFAULT) in words]
    assert len(rows) == len(words)
    return {"asked": 22, "denied": rows, "not_known": []}


def judged(*words: str, **more: t.Any) -> tuple[dict[str, t.Any], t.Any]:
    evidence = base("healthy-h100")
    evidence["kubernetes"]["access"] = access(*words)
    evidence |= more
    return evidence, judge_node(evidence)


@pytest.mark.parametrize("permission", [p for p in applicable(["device_plugin"]) if not p.required], ids=str)
def test_what_only_explains_is_missed_by_no_verdict(permission: t.Any) -> None:
    _evidence, verdict = judged(in_words([permission], DEFAULT))
    assert verdict.conclusion == "usable"


@pytest.mark.parametrize("permission", [p for p in applicable(["device_plugin"]) if p.required], ids=str)
def test_what_is_required_is_missed_where_it_is_and_nowhere_else(permission: t.Any) -> None:
    not_tried = {"smoke_pod": {"not_tried": "nothing"}} if "smoke_pod" in permission.layers else {}
    evidence, verdict = judged(in_words([permission], DEFAULT), **not_tried)
    assert verdict.conclusion == "not proven"
    assert {c.layer for c in verdict.checkpoints if c.status == "unknown"} == set(permission.layers)
    assert {f.code for c in verdict.checkpoints for f in c.findings} == {"PRE007"}
    assert in_words([permission], DEFAULT) in verdict.deciding.message
    assert (reason_not_to_try(evidence, verdict) is not None) == ("smoke_pod" in permission.layers)


def test_verbs_on_one_resource_and_resources_with_one_verb_are_said_together() -> None:
    required = [p for p in applicable(["device_plugin"]) if p.required]
    assert in_words(required, LAB) == (
        "list nodes, pods and runtimeclasses.node.k8s.io; "
        "create, get, list, watch and delete pods in lab; get pods/log in lab"
    )


def test_an_administrator_is_asked_once() -> None:
    _evidence, verdict = judged("list nodes", "create pods in default", smoke_pod={"not_tried": "nothing"})
    assert len({f for c in verdict.checkpoints for f in c.findings}) == 1
    assert "list nodes; create pods in default" in verdict.deciding.remedy


def test_a_review_that_failed_is_not_a_denial() -> None:
    evidence = base("healthy-h100")
    rows = [p.row() for p in applicable(["device_plugin"])]
    evidence["kubernetes"]["access"] = {"asked": len(rows), "denied": [], "not_known": rows}
    assert judge_node(evidence).conclusion == "usable"


def test_a_layer_that_is_broken_stays_broken() -> None:
    evidence, _verdict = judged("list pods")
    evidence["kubernetes"]["node"]["spec"]["unschedulable"] = True
    verdict = judge_node(evidence)
    assert (verdict.conclusion, verdict.first_broken_layer) == ("broken", "scheduler")


def test_a_layer_that_was_not_chosen_needs_nothing() -> None:
    _evidence, verdict = judged("create pods in default", chosen=["driver", "device_plugin", "scheduler"])
    assert [c.status for c in verdict.checkpoints] == ["pass", "skip", "pass", "pass", "skip", "skip"]


def granted(objects: list[dict[str, t.Any]]) -> set[tuple[str, ...]]:
    return {
        (one["kind"], group, resource, verb, *rule.get("resourceNames", ()))
        for one in objects
        for rule in one.get("rules", ())
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def test_the_rules_grant_what_is_asked_for_and_no_more() -> None:
    objects = manifests(PERMISSIONS, "some", LAB, subject_of("jane"))
    assert granted(objects) == {
        ("Role" if p.scope in LAB else "ClusterRole", p.group, p.path, p.verb)
        + (("kube-system",) if p.scope == "kube-system" else ())
        for p in PERMISSIONS
    }
    assert [(o["kind"], o["metadata"]["name"], o["metadata"].get("namespace")) for o in objects] == [
        ("ClusterRole", "some-write", None),
        ("ClusterRoleBinding", "some-write", None),
        ("Role", "some-smoke", "lab"),
        ("RoleBinding", "some-smoke", "lab"),
        ("Role", "some-debug", "lab-debug"),
        ("RoleBinding", "some-debug", "lab-debug"),
    ]


def test_nothing_is_patched_unless_a_run_wants_the_startup_taint_taken_away() -> None:
    assert {p.verb for p in applicable(["device_plugin"]) if p.scope == "cluster"} == {"list"}
    (patching,) = [p for p in applicable(["device_plugin", "startup_taint"]) if p.verb == "patch"]
    assert (patching.name, patching.required) == ("nodes", True)
    reading = manifests(applicable(["device_plugin"]), "some", LAB, subject_of("jane"))
    assert reading[0]["metadata"]["name"] == "some-read"


def test_without_the_right_to_patch_nodes_no_pod_is_made_for_a_run_that_should() -> None:
    evidence = base("healthy-h100") | {"smoke_pod": {"not_tried": "nothing"}}
    (patching,) = [p for p in applicable(["startup_taint"]) if p.verb == "patch"]
    evidence["kubernetes"]["access"] = {"asked": 24, "denied": [patching.row()], "not_known": []}
    evidence["expect"]["startup_taint"] = "release"
    verdict = judge_node(evidence)
    assert verdict.conclusion == "not proven"
    assert "patch nodes" in verdict.deciding.message
    assert reason_not_to_try(evidence, verdict) is not None


def test_the_rules_of_what_is_missing_hold_that_alone() -> None:
    missing = denied(access("delete pods in default"), ["device_plugin"], ["smoke_pod"])
    told = [permission.told(DEFAULT) for permission in missing]
    objects = manifests(permissions_of(told), "some", DEFAULT, subject_of("system:serviceaccount:ci:reader"))
    assert granted(objects) == {("Role", "", "pods", "delete")}
    assert objects[1]["subjects"] == [{"kind": "ServiceAccount", "name": "reader", "namespace": "ci"}]


def test_what_is_missing_is_missing_for_the_chosen_layers() -> None:
    assert denied(access("delete pods in default"), ["device_plugin"], ["driver", "scheduler"]) == []
    assert denied(None, ["device_plugin"], ["smoke_pod"]) == []
