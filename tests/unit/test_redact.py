# SPDX-License-Identifier: GPL-3.0-or-later
"""Redacted evidence says the same and names nobody."""

from __future__ import annotations

import json
import re
import typing as t

import pytest
from cases import BASES, base, cases, evidence

from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._judge.owner import owners
from ansible_collections.gpu.k8s.plugins.module_utils._redact.check import same_verdicts
from ansible_collections.gpu.k8s.plugins.module_utils._redact.redact import Redacted, redact

CLUSTER = {"context": "lab-of-acme", "server": "https://10.213.0.1:6443", "uid": None, "identity": "jane-of-acme"}
EVIDENCE = {f"base/{name}": base(name) for name in BASES} | {name: evidence(case) for name, case in cases().items()}

_ODD = """
    gpu node nvidia driver worker 1 ml gpu-node GPU-07 dgx.hpc.acme.test größe-1 10.9.8.7 fd00:9::7 host-2 node1.example
"""

# Not by the rules of redaction: what a reader of the clear evidence would call a name.
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_ADDRESS = re.compile(r"\b10\.\d+\.\d+\.\d+\b|\b192\.168\.\d+\.\d+\b|\b172\.16\.\d+\.\d+\b")


def redacted(*nodes: dict[str, t.Any], known: dict[str, dict[str, str]] | None = None) -> Redacted:
    run = {"id": "1", "hosts": [node["host"] for node in nodes], "by": "jane@desk-of-acme", "pattern": "gpu_nodes"}
    return redact(run, CLUSTER, nodes, known or {})


def text(given: t.Any) -> str:
    return json.dumps(given, ensure_ascii=False)


def renamed(value: t.Any, names: dict[str, str]) -> t.Any:
    """Replace texts that are a name and nothing else, wherever they are."""
    if isinstance(value, dict):
        return {key: renamed(content, names) for key, content in value.items()}
    if isinstance(value, list):
        return [renamed(content, names) for content in value]
    return names.get(value, value) if isinstance(value, str) else value


def machine_ids(node: dict[str, t.Any]) -> set[str]:
    about = ((node.get("kubernetes") or {}).get("node") or {}).get("status", {}).get("nodeInfo", {})
    return {about[key] for key in ("machineID", "systemUUID") if about.get(key)}


@pytest.mark.parametrize("name", EVIDENCE)
def test_the_verdict_is_the_same_and_no_name_is_left(name: str) -> None:
    node = EVIDENCE[name]
    result = redacted(node)
    given, verdict = judge_node(node), judge_node(result.evidence[0])
    assert same_verdicts([given], [verdict])
    assert (given.not_proven, given.first_broken_layer) == (verdict.not_proven, verdict.first_broken_layer)
    assert [o.owner for o in owners(node).values()] == [o.owner for o in owners(result.evidence[0]).values()]
    clear, written = text(node), text(result.evidence)
    originals = {node["host"], *_UUID.findall(clear), *_ADDRESS.findall(clear), *machine_ids(node)}
    given_out = {pseudonym for names in result.pseudonyms.values() for pseudonym in names.values()}
    assert {original for original in originals - given_out if re.search(rf"\b{original}\b", written)} == set()


@pytest.mark.parametrize("name", _ODD.split())
def test_odd_names_of_hosts(name: str) -> None:
    node = renamed(base("healthy-h100"), {"node1": name})
    result = redacted(node)
    redone = result.evidence[0]
    assert same_verdicts([judge_node(node)], [judge_node(redone)])
    told = [redone["host"], redone["kubernetes"]["node"]["metadata"]["name"], *result.run["hosts"]]
    assert set(told) == {told[0]} != {name}
    assert redone["kubernetes"]["node"]["metadata"]["labels"]["kubernetes.io/hostname"] == told[0]
    assert redone["smoke_pod"]["pod"]["spec"]["nodeName"] == told[0]


def test_the_longest_name_counts() -> None:
    nodes = [base("healthy-h100") | {"host": name} for name in ("gpu-1", "gpu-10", "gpu-1-b", "xgpu-1")]
    nodes[0]["driver"]["error"] = {"kind": "unreachable", "reason": "GPU-10, gpu-1: gpu-1-b but xgpu-1 (gpu-100)"}
    result = redacted(*nodes)
    assert result.run["hosts"] == ["host-1", "host-2", "host-3", "host-4"]
    assert result.evidence[0]["driver"]["error"]["reason"] == "host-2, host-1: host-3 but host-4 (gpu-100)"


def test_a_name_keeps_its_pseudonym() -> None:
    first, second = base("healthy-h100"), base("healthy-l40s") | {"host": "another"}
    once = redacted(first)
    again = redacted(second, first, known=once.pseudonyms)
    assert again.evidence[1]["host"] == once.evidence[0]["host"] == "host-1"
    assert again.evidence[0]["host"] not in once.pseudonyms["host"].values()
    assert again.evidence[1] == once.evidence[0]
    assert redacted(second, first, known=once.pseudonyms) == again


def test_a_pseudonym_is_never_another_hosts_name() -> None:
    nodes = [base("healthy-h100") | {"host": name} for name in ("dgx-a", "host-1", "host-2")]
    assert set(redacted(*nodes).run["hosts"]) & {"host-1", "host-2"} == set()


def test_secrets_are_written_down_nowhere() -> None:
    node = base("healthy-h100")
    node["driver"]["error"] = {"kind": "failed", "reason": "sudo: password=correct-horse-7"}
    result = redacted(node)
    assert result.evidence[0]["driver"]["error"]["reason"] == "sudo: password=[secret]"
    assert "correct-horse-7" not in text(result.pseudonyms)
    assert result.replaced["secret"] == 1


@pytest.mark.parametrize(
    ("image", "told"),
    [
        ("nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04", "nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04"),
        (
            "mirror.acme.test:5000/nvidia/cuda:12.4.1-base-ubuntu22.04",
            "registry-1.example/nvidia/cuda:12.4.1-base-ubuntu22.04",
        ),
        ("mirror.acme.test/team-blue/nvidia/cuda:12.4.1", "registry-1.example/image-1/nvidia/cuda:12.4.1"),
        ("mirror.acme.test/blue/llama:v3", "registry-1.example/image-1"),
        ("acme/gpu-device-plugin:v3", "image-1/gpu-device-plugin:v3"),
    ],
)
def test_images(image: str, told: str) -> None:
    node = base("healthy-h100")
    node["expect"]["image"] = image
    assert redacted(node).evidence[0]["expect"]["image"] == told


def test_a_persons_labels_are_redacted_and_still_match() -> None:
    node = base("healthy-h100")
    node["kubernetes"]["node"]["metadata"]["labels"] |= {"pool": "quant-desk", "nvidia.com/gpu.product": "NVIDIA-H100"}
    node["expect"]["own"] = [{"name": "ours", "query": "kubernetes.node.metadata.labels.pool", "equals": "quant-desk"}]
    redone = redacted(node).evidence[0]
    labels = redone["kubernetes"]["node"]["metadata"]["labels"]
    assert labels["nvidia.com/gpu.product"] == "NVIDIA-H100"
    assert labels["pool"] == redone["expect"]["own"][0]["equals"] == "label_1"
    assert judge_node(redone).conclusion == "usable"


def test_the_documented_account_has_the_name_that_frames_the_logs() -> None:
    node = base("healthy-h100")
    node["kubernetes"]["identity"] = "system:serviceaccount:gpu-k8s:gpu-k8s"
    run = {"id": "1", "hosts": [node["host"]], "by": "nobody@pod", "pattern": "gpu_nodes"}
    inside = CLUSTER | {"identity": node["kubernetes"]["identity"], "server": "https://kubernetes.default.svc"}
    result = redact(run, inside, [node], {})
    assert judge_node(result.evidence[0]).conclusion == judge_node(node).conclusion == "usable"


def test_verdicts_that_differ_are_told_apart() -> None:
    healthy, broken = judge_node(EVIDENCE["base/healthy-h100"]), judge_node(EVIDENCE["driver/gpu_lost"])
    assert same_verdicts([healthy], [healthy])
    assert not same_verdicts([healthy], [broken])
    assert not same_verdicts([healthy], [])
