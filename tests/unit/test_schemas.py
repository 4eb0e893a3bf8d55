# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/schemas describes what is written: the evidence of a run, and the document made of any evidence."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import BASES, HOST_LAYERS, Tree, base, cases, evidence
from documents import every_document, of_bases
from fleet import CLUSTER, RUN
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

FOLDER = Path(__file__).parents[2] / "docs/schemas"
SCHEMAS = {path.name.partition(".")[0]: json.loads(path.read_text()) for path in FOLDER.glob("*.schema.json")}
REGISTRY = Registry().with_resources((s["$id"], Resource.from_contents(s)) for s in SCHEMAS.values())


@functools.cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(SCHEMAS[name], registry=REGISTRY)


def wrong(name: str, instance: Tree) -> list[str]:
    return [f"{error.json_path}: {error.message[:200]}" for error in validator(name).iter_errors(instance)]


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_it_is_a_schema_with_a_name_and_a_version(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["$id"] == f"urn:gpu.k8s:{name}:1"
    assert SCHEMAS[name]["properties"]["schema"] == {"const": 1}


@pytest.mark.parametrize("name", BASES)
def test_the_evidence_of_a_run_fits(name: str) -> None:
    assert wrong("evidence", base(name)) == []


RECORD = {"exit_code": 0, "stdout": "", "stderr": "", "seconds": 0.1, "timed_out": False, "cut_off": False}
POD = {"log": None, "log_error": None, "log_cut_off": False, "events": []}


def test_the_evidence_of_every_case_fits() -> None:
    """Cases leave out those fields of a record or Pod that nothing is judged by."""
    for name, case in cases().items():
        whole = evidence(case)
        for look in (whole[layer] for layer in HOST_LAYERS if whole.get(layer)):
            look["records"] = {key: {"command": key} | RECORD | record for key, record in look["records"].items()}
        whole["smoke_pods_more"] = [POD | pod for pod in whole.get("smoke_pods_more") or ()]
        if (whole.get("smoke_pod") or {}).get("attempts"):
            whole["smoke_pod"]["attempts"] = [POD | pod for pod in whole["smoke_pod"]["attempts"]]
        assert (name, wrong("evidence", whole)) == (name, [])


def test_run_and_cluster_fit() -> None:
    assert wrong("cluster", {"schema": 1, "run": RUN | {"hosts": ["a"]}, "cluster": CLUSTER}) == []


def test_the_document_of_every_case_fits() -> None:
    document = every_document()
    assert wrong("report", document) == []
    assert {node["conclusion"] for node in document["nodes"]} == {"usable", "broken", "not proven", "waived"}


CHANGES: dict[str, Callable[[Tree], object]] = {
    "a field more": lambda d: d["nodes"][0].update(extra=1),
    "a field less": lambda d: d["nodes"][0].pop("deciding"),
    "a run without an end": lambda d: d["run"].pop("ended_early"),
    "another version": lambda d: d.update(schema=2),
    "a word that is no conclusion": lambda d: d.update(conclusion="not_proven"),
    "five checkpoints": lambda d: d["nodes"][0]["checkpoints"].pop(),
    "a pass without proof": lambda d: d["nodes"][0]["checkpoints"][0].update(seen=None),
    "a usable node with an open checkpoint": lambda d: d["nodes"][0]["checkpoints"][5].update(status="unknown"),
    "a waived node of which nothing was waived": lambda d: d["nodes"][0].update(conclusion="waived", not_proven=[1]),
    "a broken node without a broken layer": lambda d: d["nodes"][0].update(conclusion="broken", not_proven=[1]),
    "a code of another form": lambda d: d["nodes"][0].update(deciding={"code": "D1"}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_document_that_is_none_is_refused(change: str) -> None:
    document = copy.deepcopy(of_bases())
    assert wrong("report", document) == []
    CHANGES[change](document)
    assert wrong("report", document) != []


EVIDENCE_CHANGES: dict[str, Callable[[Tree], object]] = {
    "a field more": lambda e: e.update(verdict="usable"),
    "a layer less": lambda e: e.pop("toolkit"),
    "a record without its exit code": lambda e: e["driver"]["records"]["nvidia_smi_list"].pop("exit_code"),
    "a record with a field more": lambda e: e["driver"]["records"]["nvidia_smi_list"].update(status="pass"),
    "another version": lambda e: e.update(schema=2),
    "an error of no known kind": lambda e: e["driver"].update(error={"kind": "tired", "reason": "late"}),
    "a list without its error": lambda e: e["kubernetes"]["objects"]["daemon_sets"].pop("error"),
}


@pytest.mark.parametrize("change", EVIDENCE_CHANGES)
def test_evidence_that_is_none_is_refused(change: str) -> None:
    evidence = base("healthy-h100")
    EVIDENCE_CHANGES[change](evidence)
    assert wrong("evidence", evidence) != []
