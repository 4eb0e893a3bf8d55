# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers that the user does without, and hosts without a way to them: neither hides a fault, and neither is a pass."""

from __future__ import annotations

import pytest
from cases import Tree, base
from documents import of_case, told

from ansible_collections.gpu.k8s.plugins.module_utils._evidence.excerpt import proofs
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._render.document import document
from ansible_collections.gpu.k8s.plugins.module_utils._smoke import reason_not_to_try

LAYERS = ["driver", "toolkit", "device_plugin", "scheduler", "smoke_pod"]


def statuses(evidence: Tree) -> list[str]:
    return [checkpoint.status for checkpoint in judge_node(evidence).checkpoints]


def test_what_is_waived_is_waived_and_the_rest_judged_as_ever() -> None:
    assert statuses(of_case("preflight/waived", "a")) == ["waived", "waived", *["pass"] * 4]
    assert statuses(of_case("preflight/no_access", "a")) == ["unknown", "unknown", *["pass"] * 4]


def test_a_layer_that_was_not_chosen_is_not_waived_but_skipped() -> None:
    evidence = of_case("preflight/waived", "a") | {"chosen": LAYERS[1:]}
    assert statuses(evidence)[:2] == ["skip", "waived"]
    assert judge_node(evidence).conclusion == "not proven"


@pytest.mark.parametrize("case", ["preflight/waived", "preflight/no_access", "driver/waived", "toolkit/waived"])
def test_a_pod_is_tried_all_the_same(case: str) -> None:
    """So it is decided before any Pod is made: the smoke Pods have not spoken yet."""
    evidence = of_case(case, "a") | {"smoke_pod": None, "control_pod": None}
    assert reason_not_to_try(evidence, judge_node(evidence | {"chosen": LAYERS[:4]})) is None


def test_no_look_is_shown_as_a_proof() -> None:
    """Checkpoint 3 then rests on the API alone."""
    pointer = "device_plugin.plugin_connections"
    assert pointer in proofs(base("healthy-h100"))[3]
    node = told([of_case("preflight/waived", "a")])["nodes"][0]
    assert node["checkpoints"][2]["proof"] == ["kubernetes.node.status.allocatable"]
    assert pointer not in node["excerpts"]


@pytest.mark.parametrize("run", [{"ended_early": "it was interrupted"}, {"hosts": ["a", "lost"]}])
def test_a_run_that_is_not_whole_is_not_waived(run: Tree) -> None:
    evidence = of_case("preflight/waived", "a")
    assert document({"hosts": ["a"]}, {}, [evidence], [judge_node(evidence)])["conclusion"] == "waived"
    assert document({"hosts": ["a"]} | run, {}, [evidence], [judge_node(evidence)])["conclusion"] == "not proven"


def test_the_host_that_has_to_answer_is_not_excused() -> None:
    """An unreachable host is unknown, whatever was waived of it besides."""
    evidence = of_case("toolkit/waived", "a")
    evidence["driver"] = {"records": {}, "error": {"kind": "unreachable", "reason": "no route to host"}}
    assert statuses(evidence)[:2] == ["unknown", "waived"]
    assert judge_node(evidence).conclusion == "not proven"


def test_a_permission_that_only_a_waived_layer_needs_is_not_missed() -> None:
    evidence = of_case("preflight/waived", "a")
    evidence["expect"] = evidence["expect"] | {"debug_namespace": "gpu-k8s-debug"}
    evidence["kubernetes"]["access"] = {
        "asked": 1,
        "denied": [
            {"verb": "create", "group": "", "resource": "pods", "subresource": "", "scope": "debug namespace"},
            {"verb": "create", "group": "", "resource": "pods", "subresource": "exec", "scope": "debug namespace"},
        ],
        "not_known": [],
    }
    assert statuses(evidence)[:2] == ["waived", "waived"]
