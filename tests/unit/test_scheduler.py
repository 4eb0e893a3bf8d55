# SPDX-License-Identifier: GPL-3.0-or-later
"""Healthy Nodes stay healthy, taints are tolerated as they are meant, and a Pending Pod is explained by numbers."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml
from cases import FOLDER, base, evidence

from ansible_collections.gpu.k8s.plugins.module_utils._evidence.kubernetes import read_node
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.kubernetes_objects import read_asked
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.kubernetes_quantity import count, quantity
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.kubernetes_taints import (
    Taint,
    check_tolerate,
    parse_toleration,
    tolerates,
)
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._judge.scheduler import judge_scheduler
from ansible_collections.gpu.k8s.plugins.module_utils._judge.scheduler_pending import explain_pending
from ansible_collections.gpu.k8s.plugins.module_utils._judge.scheduler_refusal import refusal
from ansible_collections.gpu.k8s.plugins.module_utils._smoke import tolerations

GPU = "nvidia.com/gpu"
HEALTHY = sorted((FOLDER / "scheduler" / "healthy").glob("*.yml"))


@pytest.mark.parametrize("path", HEALTHY, ids=[path.stem for path in HEALTHY])
def test_a_node_that_looks_odd_and_is_healthy_stays_usable(path: Path) -> None:
    verdict = judge_node(evidence(yaml.safe_load(path.read_text())))
    assert verdict.conclusion == "usable"
    assert not verdict.checkpoints[3].findings


def test_a_busy_node_names_who_holds_its_gpus_since_when_and_what_they_do() -> None:
    case = yaml.safe_load((FOLDER / "scheduler" / "busy_by_pods_that_do_nothing.yml").read_text())
    [finding] = judge_node(evidence(case)).checkpoints[3].findings
    for told in (
        "4 of 4 nvidia.com/gpu, 0 are free, 1 asked for",
        "ml/crashes (1, crashing again and again, since 2026-11-30T08:00:00Z)",
        "ml/waits (1, not started yet, since 2026-11-30T09:00:00Z)",
        "ml/leaves (2, being deleted, since 2026-11-30T07:00:00Z)",
    ):
        assert told in finding.message


def test_of_very_many_holders_some_are_named() -> None:
    whole = base("healthy-h100")
    whole["kubernetes"]["node"]["status"]["allocatable"][GPU] = "40"
    whole["kubernetes"]["pods"] = [pod(f"share-{n}") for n in range(40)]
    [finding] = judge(whole).findings
    assert "share-7" in finding.message
    assert "share-8" not in finding.message
    assert "and 32 more" in finding.message


def pod(name: str, amount: int = 1) -> dict:
    spec = {"nodeName": "node1", "containers": [{"resources": {"limits": {GPU: str(amount)}}}]}
    return {"metadata": {"namespace": "ml", "name": name}, "spec": spec, "status": {"phase": "Running"}}


def judge(whole: dict) -> t.Any:
    node = read_node(whole["kubernetes"]["node"], whole["expect"]["resource"])
    return judge_scheduler(node, whole["kubernetes"], read_asked(whole["expect"]))


def slices(*devices: dict) -> dict:
    spec = {"driver": "gpu.nvidia.com", "nodeName": "node1", "devices": list(devices)}
    return {"items": [{"metadata": {"name": "node1-gpu"}, "spec": spec}], "error": None}


def test_with_claims_the_devices_of_the_slices_count_and_not_what_the_node_advertises() -> None:
    whole = base("healthy-h100")
    whole["expect"]["smoke_ask"] = "dra"
    del whole["kubernetes"]["node"]["status"]["allocatable"][GPU]
    assert {f.code for f in judge(whole).findings} == {"SCH005"}
    assert judge(whole).seen is None
    tainted = {"name": "gpu-1", "taints": [{"key": "gpu.nvidia.com/xid", "effect": "NoExecute"}]}
    whole["kubernetes"]["objects"]["resource_slices"] = slices({"name": "gpu-0"}, tainted)
    assert judge(whole).findings == ()
    assert judge(whole).seen == "its ResourceSlices hold 1 devices"
    whole["expect"]["smoke_gpus"] = 2
    assert {f.code for f in judge(whole).findings} == {"SCH007"}
    del whole["kubernetes"]["objects"]["resource_slices"]
    assert {f.code for f in judge(whole).findings} == {"SCH004"}


def test_a_device_class_may_stand_for_the_resource() -> None:
    whole = base("healthy-h100")
    whole["kubernetes"]["node"]["status"]["allocatable"][GPU] = "0"
    whole["kubernetes"]["objects"]["resource_slices"] = slices({"name": "gpu-0"})
    assert {f.code for f in judge(whole).findings} == {"SCH005"}
    stand_in = {"metadata": {"name": "gpu.nvidia.com"}, "spec": {"extendedResourceName": GPU}}
    whole["kubernetes"]["objects"]["device_classes"] = {"items": [stand_in], "error": None}
    assert judge(whole).findings == ()
    assert judge(whole).seen


@pytest.mark.parametrize("lacks", ["objects", "expectations"])
def test_evidence_of_an_older_run_is_judged_by_what_it_holds(lacks: str) -> None:
    whole = base("healthy-h100")
    if lacks == "objects":
        del whole["kubernetes"]["objects"]
    if lacks == "expectations":
        for key in ("runtime_class", "tolerate", "smoke_namespace", "smoke_ask", "smoke_priority_class", "own"):
            del whole["expect"][key]
    assert judge_node(whole).checkpoints[3].status == "pass"


def node_with(*taints: dict, architecture: str = "amd64") -> dict:
    status = {"nodeInfo": {"architecture": architecture}}
    return {"metadata": {"name": "a"}, "spec": {"taints": list(taints)}, "status": status}


def test_a_smoke_pod_tolerates_the_nodes_own_gpu_taints_and_what_the_user_names() -> None:
    node = node_with(
        {"key": "sku", "value": "gpu", "effect": "NoSchedule"},
        {"key": "nvidia.com/gpu", "effect": "NoExecute"},
        {"key": "nvidia.com/gpu", "value": "maybe", "effect": "PreferNoSchedule"},
        {"key": "kubernetes.io/arch", "value": "amd64", "effect": "NoSchedule"},
        {"key": "dedicated", "value": "team-a", "effect": "NoSchedule"},
        {"key": "sku", "value": "cpu", "effect": "NoSchedule"},
        {"key": "kubernetes.io/arch", "value": "arm64", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"},
        {"key": "other", "effect": "NoSchedule"},
    )
    expect = {"resource": GPU, "smoke_gpus": 1, "tolerate": ["dedicated=team-a:NoSchedule"]}
    assert tolerations(node, expect) == [
        {"key": "sku", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"},
        {"key": "nvidia.com/gpu", "operator": "Equal", "value": "", "effect": "NoExecute"},
        {"key": "kubernetes.io/arch", "operator": "Equal", "value": "amd64", "effect": "NoSchedule"},
        {"key": "dedicated", "operator": "Equal", "value": "team-a", "effect": "NoSchedule"},
    ]
    assert tolerations(node_with(), {"resource": GPU, "smoke_gpus": 1}) == []


@pytest.mark.parametrize(
    ("text", "toleration"),
    [
        ("key", {"key": "key", "operator": "Exists"}),
        ("example.com/key=", {"key": "example.com/key", "operator": "Equal", "value": ""}),
        ("key=a_B.c", {"key": "key", "operator": "Equal", "value": "a_B.c"}),
        ("key:NoExecute", {"key": "key", "operator": "Exists", "effect": "NoExecute"}),
        (
            "a.b/c=d:NoSchedule",
            {"key": "a.b/c", "operator": "Equal", "value": "d", "effect": "NoSchedule"},
        ),
    ],
)
def test_a_toleration_is_written_as_kubectl_writes_taints(text: str, toleration: dict) -> None:
    assert parse_toleration(text) == toleration
    assert check_tolerate([text]) == []


@pytest.mark.parametrize(
    "text", ["", "a b", "=x", "key:Never", "key=a=b", "-key", "key:", "node.kubernetes.io/not-ready"]
)
def test_a_toleration_that_means_nothing_or_too_much_is_refused(text: str) -> None:
    [problem] = check_tolerate([text])
    assert problem.startswith(f"{text}: ")


@pytest.mark.parametrize(
    ("toleration", "matches"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "k", "operator": "Exists"}, True),
        ({"key": "k", "value": "v"}, True),
        ({"key": "k", "value": "w"}, False),
        ({"key": "l", "operator": "Exists"}, False),
        ({"key": "k", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"value": "v"}, False),
    ],
)
def test_tolerates(toleration: dict, matches: bool) -> None:
    assert tolerates(toleration, Taint("k", "v", "NoSchedule")) is matches


@pytest.mark.parametrize(("text", "value"), [("4", 4), ("1k", 1000), ("500m", 0), ("2e3", 2000), (8, 8), ("1Ki", 1024)])
def test_count(text: object, value: int) -> None:
    assert count(text) == value


@pytest.mark.parametrize("text", ["", "four", "NaN", None, "1 GPU"])
def test_what_is_no_count_is_not_taken_for_none(text: object) -> None:
    with pytest.raises(ValueError, match="no quantity"):
        count(text)


def test_quantities_of_different_units_compare() -> None:
    gib, less = quantity("1Gi"), quantity("1024M")
    assert gib is not None
    assert less is not None
    assert gib > less


def pending(message: str = "0/3 nodes are available.", **spec: t.Any) -> dict:
    scheduled = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return {"metadata": {"name": "smoke"}, "spec": spec, "status": {"phase": "Pending", "conditions": [scheduled]}}


def explain(whole: dict, pod: dict, which: str = "smoke") -> t.Any:
    node = read_node(whole["kubernetes"]["node"], GPU)
    return explain_pending(node, whole["kubernetes"], read_asked(whole["expect"]), which, pod)


def test_a_pending_pod_is_explained_by_what_the_node_shows_and_not_by_the_schedulers_words() -> None:
    whole = base("healthy-h100")
    misleading = pending("0/3 nodes are available: 1 Insufficient cpu.")
    whole["kubernetes"]["pods"] = [pod("train", 4)]
    assert explain(whole, misleading).code == "SCH002"
    assert "ml/train (4" in explain(whole, misleading).message
    assert explain(whole, misleading, "control").code == "SCH035"  # the control asks for no GPU
    whole["expect"]["smoke_gpus"] = 5
    assert explain(whole, misleading).code == "SCH007"
    whole["kubernetes"]["node"]["spec"]["unschedulable"] = True
    assert explain(whole, misleading).code == "SCH001"
    whole["kubernetes"]["node"]["spec"]["taints"] = [{"key": "mine", "effect": "NoSchedule"}]
    assert explain(whole, misleading).code == "SCH006"


def test_a_taint_that_the_pod_itself_does_not_tolerate_keeps_it_away() -> None:
    whole = base("healthy-h100")
    whole["kubernetes"]["node"]["spec"]["taints"] = [{"key": "sku", "value": "gpu", "effect": "NoSchedule"}]
    assert explain(whole, pending()).code == "SCH035"
    tolerating = pending(tolerations=[{"key": "sku", "operator": "Exists"}])
    assert explain(whole, tolerating).code == "SMK004"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("0/3 nodes are available: 1 Insufficient nvidia.com/gpu.", "SMK005"),
        ("0/3 nodes are available: 1 Too many pods.", "SCH035"),
        ("0/3 nodes are available: 1 node(s) had volume node affinity conflict.", "SCH035"),
        ("0/3 nodes are available: 1 node(s) had something new.", "SMK004"),
        ("", "SMK004"),
    ],
)
def test_where_the_node_shows_nothing_the_scheduler_is_heard(message: str, code: str) -> None:
    assert explain(base("healthy-h100"), pending(message)).code == code
    asked = read_asked(base("healthy-h100")["expect"])
    assert explain_pending(None, None, asked, "smoke", pending(message)).code == code


def test_a_refusal_is_read_from_the_status_object_or_from_what_there_is() -> None:
    assert refusal("").code == "SCH033"
    assert refusal("time-out").code == "SCH033"
    assert refusal('{"kind":"Status" and no more').code == "SCH033"
    assert refusal('Failed: {"kind":"Status","message":"a field is wrong","code":422} and so on').code == "SCH031"
    assert "a field is wrong" in refusal('x {"kind":"Status","message":"a field\\n is wrong","code":422}').message
    assert len(refusal("x" * 5000).message) < 1000
