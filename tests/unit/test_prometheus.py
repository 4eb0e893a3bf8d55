# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics as Prometheus reads them: each node and checkpoint once, no series twice, and none without a word of help."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml
from cases import Tree
from documents import every_document, of_case, told
from fleet import CLUSTER
from hostile import TEXTS, hostile
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from ansible_collections.gpu.k8s.plugins.module_utils._render.prometheus import metrics


def read(document: Tree) -> dict[str, Metric]:
    return {family.name: family for family in text_string_to_metric_families(metrics(document))}


def values(family: Metric, *labels: str) -> dict[tuple[str, ...], float]:
    return {tuple(s.labels[label] for label in labels): s.value for s in family.samples}


def test_every_node_has_one_conclusion_and_every_checkpoint_one_status() -> None:
    document = every_document()
    found = read(document)
    conclusions = values(found["gpu_k8s_node_conclusion"], "host", "conclusion")
    statuses = values(found["gpu_k8s_checkpoint_status"], "host", "checkpoint", "status")
    assert len(conclusions) == 4 * len(document["nodes"])
    assert len(statuses) == 6 * len(document["nodes"])
    for node in document["nodes"]:
        word = node["conclusion"].replace(" ", "_")
        for one in ("usable", "broken", "not_proven", "waived"):
            assert conclusions[node["host"], one] == (one == word)
        for checkpoint in node["checkpoints"]:
            assert statuses[node["host"], str(checkpoint["number"]), checkpoint["status"]] == 1


def test_no_series_is_there_twice_and_all_are_of_the_cluster() -> None:
    samples = [sample for family in read(every_document()).values() for sample in family.samples]
    series = Counter((sample.name, *sorted(sample.labels.items())) for sample in samples)
    assert max(series.values()) == 1
    assert {sample.labels["context"] for sample in samples} == {CLUSTER["context"]}


def test_names_help_and_types_are_as_prometheus_wants_them() -> None:
    for name, family in read(every_document()).items():
        assert re.fullmatch(r"gpu_k8s_[a-z_]+[a-z]", name)
        assert not name.endswith(("_total", "_count", "_sum", "_bucket"))
        assert family.documentation.endswith(".")
        assert family.type == "gauge"


def test_findings_blame_their_layer_and_none_above_the_broken_one() -> None:
    both = of_case("healthy-h100", "a") | {"kubernetes": {"error": "away"}}
    both["driver"] = of_case("driver/gpu_lost", "a")["driver"]
    found = values(read(told([both]))["gpu_k8s_finding"], "host", "code", "layer", "status")
    assert found == {("a", "DRV004", "driver", "fail"): 1}


def test_the_run_is_told() -> None:
    found = read(told([of_case("healthy-h100", "a")], {"ended_early": "why"}, {"nodes_without_host": ["x", "y"]}))
    assert found["gpu_k8s_run_info"].samples[0].labels == {
        "context": CLUSTER["context"],
        "run": "5d0cbe45",
        "cluster_uid": CLUSTER["uid"],
        "cluster_version": CLUSTER["version"],
        "collection_version": "0.1.0",
        "ansible_version": "2.19.14",
    }
    assert found["gpu_k8s_run_finished_timestamp_seconds"].samples[0].value == 1772439323.64
    assert found["gpu_k8s_run_ended_early"].samples[0].value == 1
    assert found["gpu_k8s_nodes_without_host"].samples[0].value == 2
    none = dict.fromkeys([("usable",), ("broken",), ("not_proven",), ("waived",)], 0)
    assert values(found["gpu_k8s_run_conclusion"], "conclusion") == none | {("not_proven",): 1}
    assert values(found["gpu_k8s_nodes"], "conclusion") == none | {("usable",): 1}


def test_a_number_that_was_not_seen_is_no_zero() -> None:
    found = read(told([of_case("healthy-h100", "a"), of_case("preflight/api_away", "b")]))
    assert values(found["gpu_k8s_node_gpus"], "host") == {("a",): 4, ("b",): 4}
    assert values(found["gpu_k8s_node_allocatable"], "host") == {("a",): 4}
    assert "gpu_k8s_node_gpus" not in read(told([of_case("driver/gpu_lost", "a")]))


def test_a_run_without_nodes_is_not_proven() -> None:
    found = read(told([]))
    assert values(found["gpu_k8s_run_conclusion"], "conclusion")[("not_proven",)] == 1
    assert "gpu_k8s_node_conclusion" not in found


@pytest.mark.parametrize("text", [*TEXTS, "\ud800"])
def test_labels_hold_any_name(text: str) -> None:
    document = hostile(told([of_case("healthy-h100", "a")]), text)
    metrics(document).encode()
    names = {sample.labels["host"] for sample in read(document)["gpu_k8s_node_conclusion"].samples}
    assert names == {f"a{text}".replace("\ud800", "?")}


def test_what_a_fleet_costs() -> None:
    """Six checkpoints, four conclusions, three numbers and its findings: so many series a node, and no more."""
    one, two = (
        metrics(told([of_case("driver/gpu_lost", f"gpu-{n}") for n in range(count)])).splitlines() for count in (1, 2)
    )
    assert len(two) - len(one) == 6 + 4 + 2 + 1


def test_the_page_names_the_metrics_that_there_are() -> None:
    text = (Path(__file__).parents[2] / "docs/reports.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(gpu_k8s_\w+)` \| (.*?) \|", text, re.MULTILINE))
    families = read(told([of_case("healthy-h100", "a"), of_case("driver/gpu_lost", "b")]))
    assert rows.keys() == families.keys()
    for name, labels in rows.items():
        assert ["context", *re.findall("`(.+?)`", labels)] == [*families[name].samples[0].labels]
    assert set(re.findall(r"gpu_k8s_\w+", " ".join(rules(text)))) < rows.keys()


def rules(text: str) -> list[str]:
    block = re.search(r"^groups:\n.*?(?=^```)", text, re.DOTALL | re.MULTILINE)
    assert block
    return [rule["expr"] for group in yaml.safe_load(block[0])["groups"] for rule in group["rules"]]
