# SPDX-License-Identifier: GPL-3.0-or-later
"""Every case of tests/evidence is judged as it says, and every code of the catalogue has one."""

from __future__ import annotations

import json
import typing as t

import pytest
from cases import BASES, base, cases, evidence

from ansible_collections.gpu.k8s.plugins.module_utils._catalogue import CATALOGUE
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._render.document import document
from ansible_collections.gpu.k8s.plugins.module_utils._render.terminal import chain

CASES = cases()
ALL_LAYERS = ["driver", "toolkit", "device_plugin", "scheduler", "smoke_pod"]


@pytest.mark.parametrize("name", BASES)
def test_a_healthy_base_is_usable(name: str) -> None:
    verdict = judge_node(base(name))
    assert verdict.conclusion == "usable"
    assert [c.status for c in verdict.checkpoints] == ["pass"] * 6
    assert all(c.seen for c in verdict.checkpoints)
    assert not [f for c in verdict.checkpoints for f in c.findings]


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    case = CASES[name]
    says = case["says"]
    assert case["why"]
    assert case["source"]
    verdict = judge_node(evidence(case))
    if "checkpoints" in says:
        assert list(verdict.not_proven) == says["checkpoints"]
    if "conclusion" in says:
        assert verdict.conclusion == says["conclusion"]
        assert verdict.deciding is None
        return
    findings = {f.code: f for c in verdict.checkpoints for f in c.findings}
    assert says["code"] in findings, f"said {sorted(findings)}"
    assert findings[says["code"]].layer == says["layer"]
    assert findings[says["code"]].status == says["status"]
    if says["status"] == "fail":
        assert (verdict.conclusion, verdict.first_broken_layer) == ("broken", says["layer"])
        assert verdict.deciding is not None
        assert verdict.deciding.code == says["code"]
    elif says["status"] == "warning":  # of a usable node, unless it is told only beside what broke one
        assert (verdict.deciding and verdict.deciding.code) == says.get("beside")
        assert verdict.conclusion == ("broken" if "beside" in says else "usable")
    else:
        assert verdict.conclusion == "not proven"
        assert verdict.first_broken_layer is None


@pytest.mark.parametrize("name", CASES)
def test_the_evidence_that_a_finding_points_to_is_there(name: str) -> None:
    whole = evidence(CASES[name])
    for checkpoint in judge_node(whole).checkpoints:
        for finding in checkpoint.findings:
            for pointer in finding.evidence:
                assert pointer.partition(".")[0] in whole


@pytest.mark.parametrize("name", CASES)
def test_a_case_can_be_shown_and_written(name: str) -> None:
    whole = evidence(CASES[name])
    verdict = judge_node(whole)
    run = {"id": "1", "started": "now", "chosen": ALL_LAYERS, "check_mode": False}
    told = document(run, {"context": "c", "server": "s", "version": "v", "uid": "u"}, [whole], [verdict])
    text = chain(told)
    assert max(map(len, text.splitlines())) <= 80
    assert CASES[name]["says"].get("code", verdict.conclusion) in text
    assert json.loads(json.dumps(told))["nodes"][0]["conclusion"] == verdict.conclusion


def test_every_code_has_a_case() -> None:
    assert {case["says"]["code"] for case in CASES.values() if "code" in case["says"]} == set(CATALOGUE)


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("layer", ALL_LAYERS)
def test_a_layer_that_was_not_chosen_is_skipped(name: str, layer: str) -> None:
    whole = base(name) | {"chosen": [other for other in ALL_LAYERS if other != layer]}
    verdict = judge_node(whole)
    assert verdict.conclusion == "not proven"
    assert {c.status for c in verdict.checkpoints if c.layer == layer} == {"skip"}


def parts(tree: t.Any, path: tuple = ()) -> t.Iterator[tuple]:
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield (*path, key)
            yield from parts(value, (*path, key))


@pytest.mark.parametrize("name", BASES)
def test_evidence_with_any_part_missing_never_becomes_a_false_verdict(name: str) -> None:
    """Take away each part in turn: the node may stay usable, but is never broken, and nothing crashes."""
    proofs = {
        ("driver",),
        ("toolkit",),
        ("kubernetes",),
        ("smoke_pod",),
        ("control_pod",),
        ("smoke_pod", "log"),
        ("control_pod", "log"),
        ("kubernetes", "node"),
        ("kubernetes", "pods"),
        ("driver", "records", "pci_devices"),
        ("driver", "records", "nvidia_smi_list"),
        ("driver", "records", "nvidia_smi_query"),
        ("driver", "records", "module_version"),
        ("toolkit", "records", "gpu_container"),
        ("toolkit", "records", "control_container"),
        ("toolkit", "records", "loaded_handlers"),
        ("toolkit", "records", "image"),
        ("smoke_pod", "pod", "status", "phase"),
        ("smoke_pod", "pod", "status", "containerStatuses"),
        ("smoke_pod", "pod", "status", "conditions"),
        ("smoke_pod", "pod", "spec", "nodeName"),
    }
    assert proofs <= set(parts(base(name)))
    required = {"schema", "host", "chosen", "expect", "check_mode"}
    for path in parts(base(name)):
        if path[0] in required or path[-1] in ("name", "namespace", "nonce", "metadata"):
            continue
        whole = base(name)
        inner = whole
        for key in path[:-1]:
            inner = inner[key]
        if "records" in path and path.index("records") < len(path) - 2:
            continue  # a record is there whole or not at all: _transcript.py sees to it
        inner.pop(path[-1])
        verdict = judge_node(whole)
        if path in proofs:
            assert verdict.conclusion == "not proven", path
        resource = "nvidia.com/gpu" in path or path[-1] in ("capacity", "allocatable", "status", "asked")
        assert verdict.conclusion != "broken" or resource, path
