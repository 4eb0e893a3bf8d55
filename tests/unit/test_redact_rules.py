# SPDX-License-Identifier: GPL-3.0-or-later
"""Each rule of redaction takes something away that no other does."""

from __future__ import annotations

import json
import typing as t
from collections.abc import Sequence

import pytest
import yaml
from cases import FOLDER, evidence

from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._redact.check import originals_left, same_verdicts
from ansible_collections.gpu.k8s.plugins.module_utils._redact.redact import RULES, redact
from ansible_collections.gpu.k8s.plugins.module_utils._redact.rules import Rule

SITE = yaml.safe_load((FOLDER / "redact/planted/site.yml").read_text())
NODE = evidence(SITE)


def text(*trees: t.Any) -> str:
    return json.dumps(trees, ensure_ascii=False)


def written(rules: Sequence[Rule]) -> str:
    redacted = redact(SITE["run"], SITE["cluster"], [NODE], {}, rules)
    return text(redacted.run, redacted.cluster, redacted.evidence)


def test_every_rule_has_a_canary() -> None:
    assert sorted(SITE["canaries"]) == sorted(rule.name for rule in RULES)


@pytest.mark.parametrize("canary", SITE["canaries"].values())
def test_no_canary_is_left(canary: str) -> None:
    assert canary in text(SITE["run"], SITE["cluster"], NODE)
    assert canary.strip('"') not in written(RULES)


@pytest.mark.parametrize("name", SITE["canaries"])
def test_without_its_rule_the_canary_is_left(name: str) -> None:
    assert SITE["canaries"][name] in written([rule for rule in RULES if rule.name != name])


def test_the_site_is_judged_as_before() -> None:
    redacted = redact(SITE["run"], SITE["cluster"], [NODE], {})
    verdict = judge_node(NODE)
    assert verdict.conclusion == "usable"
    assert same_verdicts([verdict], [judge_node(redacted.evidence[0])])


def test_what_a_reader_needs_is_kept() -> None:
    kept = written(RULES)
    for word in (
        "NVIDIA-H100-80GB-HBM3",
        "550.163.01",
        "0000:19:00.0",
        "docker.io/lab/smoke:1",
        "kube-system",
        "gce://",
    ):
        assert word in kept


def test_an_original_that_a_report_would_add_is_found() -> None:
    redacted = redact(SITE["run"], SITE["cluster"], [NODE], {})
    assert originals_left(redacted, ["all is well with host-1 (192.0.2.1)"]) == set()
    assert originals_left(redacted, ["rack7-gpu3 is well", "and DGX-17"]) == {"host", "node"}
