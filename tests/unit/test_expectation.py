# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's own expectations: what is refused at the beginning, and what counts as met."""

from __future__ import annotations

import typing as t

import pytest
from cases import base

from ansible_collections.gpu.k8s.plugins.module_utils._judge.expectation import check_expectations, layer_of
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node

GPUS = {"name": "gpus", "query": 'kubernetes.node.status.allocatable."nvidia.com/gpu"'}


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        ("a: b", "it is no list"),
        (["a"], "entry 1 has no name"),
        ([{"query": "driver", "equals": 1}], "entry 1 has no name"),
        ([{"name": "n", "equals": 1}], "n: it has no query"),
        ([{"name": "n", "query": "driver.[", "equals": 1}], "n: its query is no JMESPath: "),
        ([{"name": "n", "query": "driver"}], "n: it needs exactly one of equals, at_least, matches, and has 0"),
        ([{"name": "n", "query": "driver", "equals": None}], "n: it needs exactly one of"),
        ([{"name": "n", "query": "driver", "equals": 1, "matches": "x"}], "n: it needs exactly one of"),
        ([{"name": "n", "query": "driver", "matches": "("}], "n: matches is no regular expression: "),
        ([{"name": "n", "query": "driver", "at_least": "many"}], "n: at_least is no number: many"),
        ([{"name": "n", "query": "driver", "equal": 1, "equals": 1}], "n: equal means nothing here"),
        ([{"name": "n", "query": "driver", "equals": 1, "layer": "api"}], "n: layer api is none of driver, "),
        ([{"name": "n", "query": "host", "equals": "a"}], "n: its query names no part of the evidence"),
    ],
)
def test_what_is_written_wrongly_is_named(own: object, problem: str) -> None:
    [said] = check_expectations(own)
    assert said.startswith(problem)


def test_what_is_written_well_is_accepted() -> None:
    assert check_expectations([]) == []
    assert check_expectations([GPUS | {"equals": 4}, GPUS | {"at_least": "4"}, GPUS | {"matches": "^4$"}]) == []
    assert check_expectations([{"name": "n", "query": "host", "equals": "a", "layer": "driver"}]) == []


@pytest.mark.parametrize(
    ("query", "layer"),
    [
        ("driver.records.module_version.stdout", "driver"),
        ("length(kubernetes.pods)", "scheduler"),
        ("toolkit.records", "toolkit"),
        ("control_pod.log", "smoke_pod"),
        ("kubernetes.objects.device_plugin", "scheduler"),
        ("host", None),
    ],
)
def test_an_expectation_counts_for_the_layer_that_its_query_names_first(query: str, layer: str | None) -> None:
    assert layer_of({"query": query}) == layer


def judged(*own: dict, **changes: t.Any) -> t.Any:
    whole = base("healthy-h100") | changes
    whole["expect"]["own"] = list(own)
    return judge_node(whole)


@pytest.mark.parametrize(
    "wanted",
    [{"equals": 4}, {"equals": "4"}, {"at_least": 4}, {"at_least": "3"}, {"matches": "[0-9]"}],
)
def test_what_is_met_changes_nothing(wanted: dict) -> None:
    assert judged(GPUS | wanted) == judged()


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("driver.records.module_version.stdout", {"equals": "550.163.01"}),
        ("kubernetes.node.status.allocatable.memory", {"at_least": "1Gi"}),
        ("kubernetes.node.status.runtimeHandlers", {"matches": "^nvidia$"}),
        ("kubernetes.node.status.runtimeHandlers", {"equals": ["", "nvidia", "runc"]}),
        ("kubernetes.node.status.conditions[?status=='True'].type", {"equals": ["Ready"]}),
        ("kubernetes.node.spec.taints || `[]`", {"equals": []}),
        ("contains(kubernetes.node.status.runtimeHandlers, 'nvidia')", {"equals": True}),
        ("length(kubernetes.pods)", {"at_least": 1}),
    ],
)
def test_met(query: str, wanted: dict) -> None:
    assert judged({"name": "n", "query": query} | wanted).conclusion == "usable"


@pytest.mark.parametrize(
    ("query", "wanted", "code"),
    [
        ("contains(kubernetes.node.status.runtimeHandlers, 'kata')", {"equals": True}, "EXP001"),
        ("kubernetes.node.status.runtimeHandlers", {"matches": "^kata$"}, "EXP001"),
        ("kubernetes.pods_error", {"equals": "none"}, "EXP002"),
        ("kubernetes.node.spec.taints", {"equals": []}, "EXP002"),
        ("length(kubernetes.node.spec.taints)", {"at_least": 0}, "EXP002"),
        ("kubernetes.node.status.conditions", {"matches": "Ready"}, "EXP002"),
        ("kubernetes.node.status.conditions", {"at_least": 1}, "EXP002"),
        ("kubernetes.node.metadata.labels.nothing", {"at_least": 1}, "EXP002"),
    ],
)
def test_not_met_or_not_seen(query: str, wanted: dict, code: str) -> None:
    verdict = judged({"name": "n", "query": query} | wanted)
    assert [f.code for f in verdict.checkpoints[3].findings] == [code]
    assert verdict.conclusion == ("broken" if code == "EXP001" else "not proven")


def test_the_finding_says_what_was_wanted_and_seen() -> None:
    [finding] = judged(GPUS | {"at_least": 8}).checkpoints[3].findings
    assert finding.message == f"gpus: {GPUS['query']} should be at least 8 and is 4."


def test_a_layer_that_was_not_chosen_is_not_held_to_an_expectation() -> None:
    own = GPUS | {"at_least": 8}
    verdict = judged(own, chosen=["driver", "toolkit", "device_plugin", "smoke_pod"])
    assert verdict.checkpoints[3].status == "skip"
    assert not verdict.checkpoints[3].findings


def test_a_host_that_did_not_answer_meets_and_breaks_nothing() -> None:
    own = {"name": "n", "query": "driver.records.module_version.stdout", "matches": "580"}
    verdict = judged(own, driver=None)
    assert verdict.conclusion == "not proven"
    assert "EXP002" in [f.code for f in verdict.checkpoints[0].findings]


def test_what_is_met_makes_nothing_pass() -> None:
    whole = base("healthy-h100")
    whole["kubernetes"]["node"]["spec"]["unschedulable"] = True
    whole["expect"]["own"] = [GPUS | {"equals": 4}]
    assert judge_node(whole).first_broken_layer == "scheduler"
