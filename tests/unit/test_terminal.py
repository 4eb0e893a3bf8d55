# SPDX-License-Identifier: GPL-3.0-or-later
"""The chain on the terminal: short where all is fine, told once where many nodes share a fate, 80 columns wide."""

from __future__ import annotations

from cases import base, cases, evidence

from ansible_collections.gpu.k8s.plugins.module_utils._access import PERMISSIONS
from ansible_collections.gpu.k8s.plugins.module_utils._chain import CHECKPOINTS, Judgement, NodeVerdict, conclude
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._judge.owner import OWNED, Owner
from ansible_collections.gpu.k8s.plugins.module_utils._render.document import document
from ansible_collections.gpu.k8s.plugins.module_utils._render.terminal import chain

CLUSTER = {"context": "c", "server": "s", "version": "v1.37.2", "uid": "u"}


def shown(*verdicts: NodeVerdict, cluster: dict | None = None, owner: Owner | None = None) -> str:
    run = {"id": "1", "started": "now", "chosen": [], "check_mode": False}
    owned = {"expect": {"owner": dict.fromkeys(OWNED, owner.owner) if owner else {}}}
    return chain(document(run, cluster or CLUSTER, [owned] * len(verdicts), verdicts), verdicts)


def usable(host: str) -> NodeVerdict:
    return conclude(host, host, [Judgement(c.number, seen="yes") for c in CHECKPOINTS])


def of_case(name: str, host: str = "node1") -> NodeVerdict:
    return judge_node(evidence(cases()[name]) | {"host": host})


def test_what_is_fine_is_a_row_and_no_more() -> None:
    lines = shown(usable("a"), usable("b")).splitlines()
    assert len(lines) == 7
    assert lines[-1] == "2 of 2 nodes usable, 0 broken, 0 not proven"


def test_a_fate_that_nodes_share_is_told_once() -> None:
    text = shown(of_case("preflight/api_away", "a"), of_case("preflight/api_away", "b"), usable("c"))
    assert text.count("PRE002") == 1
    assert "a, b: not proven. Missing checkpoints: 3, 4, 5, 6" in text


def test_different_fates_are_told_apart() -> None:
    text = shown(of_case("driver/gpu_lost", "a"), of_case("toolkit/handler_not_loaded", "b"))
    assert "a: broken. First broken layer: driver" in text
    assert "b: broken. First broken layer: toolkit" in text


def test_what_lies_above_the_first_broken_layer_is_not_told() -> None:
    both = base("healthy-h100") | {"host": "a", "kubernetes": {"error": "away"}}
    both["driver"] = evidence(cases()["driver/gpu_lost"])["driver"]
    text = shown(judge_node(both))
    assert "DRV004" in text
    assert "PRE002" not in text


def test_a_warning_is_told_of_a_usable_node() -> None:
    text = shown(of_case("smoke_pod/image_asks_for_all_gpus", "a"))
    assert "a: usable" in text
    assert "SMK014" in text


def test_skipped_layers_are_named() -> None:
    verdict = judge_node(base("healthy-h100") | {"chosen": ["driver"]})
    assert "not proven. Missing checkpoints: 2, 3, 4, 5, 6; skipped: 2, 3, 4, 5, 6" in shown(verdict)


def test_a_cluster_that_was_not_asked_is_said_so() -> None:
    assert "cluster: not asked" in shown(usable("a"), cluster={"context": "", "version": None})
    assert "cluster: c (not reached)" in shown(usable("a"), cluster=CLUSTER | {"version": None})


def test_it_is_80_columns_wide_for_host_names_of_common_length() -> None:
    verdicts = [of_case(name, "gpu-07") for name in cases() if "://" not in str(cases()[name])]
    assert max(map(len, shown(*verdicts).splitlines())) <= 80


GKE = Owner("gke", "gpu_k8s_owner says so")


def test_what_two_checkpoints_say_is_told_once() -> None:
    """The quota as its object has it, and as the API says it when it refuses the Pod."""
    whole = evidence(cases()["scheduler/quota_of_gpus_used_up"])
    whole["smoke_pod"] = evidence(cases()["scheduler/refused_by_quota"])["smoke_pod"]
    verdict = judge_node(whole)
    assert [f.code for c in verdict.checkpoints for f in c.findings].count("SCH021") > 1
    assert shown(verdict).count("SCH021") == 1


def test_whose_a_layer_is_is_told_of_the_layer_to_be_mended() -> None:
    text = shown(of_case("driver/gpu_lost", "a"), owner=GKE)
    assert "The driver layer is owned by gke (gpu_k8s_owner says" in text
    assert "toolkit layer" not in text
    assert "owned by" not in shown(usable("a"), owner=GKE)
    assert "owned by" not in shown(of_case("driver/gpu_lost", "a"), owner=Owner("nobody", "no sign"))


def test_permissions_that_only_explain_are_one_line() -> None:
    rows = [p.told("default") for p in PERMISSIONS if (p.verb, p.resource) in (("list", "events"), ("create", "pods"))]
    text = shown(usable("a"), cluster=CLUSTER | {"identity": "jane", "missing_permissions": rows})
    assert "jane may not list events; list events in default. They only explain" in " ".join(text.split())
    assert "create" not in text
    assert "1 of 1 nodes usable" in text


def test_nodes_without_a_host_are_one_line() -> None:
    others = [f"gpu-{number:02}" for number in range(20)]
    text = shown(usable("a"), cluster=CLUSTER | {"nodes_without_host": others})
    assert "GPU Nodes without a host in this run: gpu-00, gpu-01" in text
    assert "gpu-07 and 12 more" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80
