# SPDX-License-Identifier: GPL-3.0-or-later
"""Every report of one run with a healthy, a broken and a busy node, read as its consumers read it."""

from __future__ import annotations

import json
import os
import sys
import typing as t

import pytest
from conftest import NODES, ROOT, Run
from jsonschema import Draft202012Validator
from junitparser import Error, Failure, JUnitXml, Skipped
from prometheus_client.parser import text_string_to_metric_families
from referencing import Registry, Resource

sys.path.insert(0, str(ROOT / "tests/browser"))
from chromium import chromium, installed

SCHEMAS = {path.name: json.loads(path.read_text()) for path in (ROOT / "docs/schemas").glob("*.schema.json")}
REGISTRY = Registry().with_resources((schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values())


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(SCHEMAS[f"{name}.schema.json"], registry=REGISTRY)


def read(run: Run, name: str) -> t.Any:
    return json.loads((run.folder / name).read_text())


def test_one_is_usable_one_broken_one_busy(motley: Run) -> None:
    assert motley.exit_status == 2
    assert motley.word == "broken"
    assert motley.conclusions == {"node1": "usable", "node2": "broken", "node3": "not proven"}
    assert motley.marks("node2") == ["fail"] + ["blocked"] * 5
    assert motley.marks("node3") == ["pass"] * 3 + ["busy"] + ["unknown"] * 2


@pytest.mark.parametrize("part", ["", "handover/"])
def test_what_is_written_fits_the_schemas(motley: Run, part: str) -> None:
    validator("report").validate(read(motley, f"{part}report.json"))
    validator("cluster").validate(read(motley, f"{part}evidence/cluster.json"))
    nodes = sorted((motley.folder / part / "evidence").glob("node-*.json"))
    assert len(nodes) == len(NODES)
    for node in nodes:
        validator("evidence").validate(json.loads(node.read_text()))


def test_a_ci_server_sees_one_green_node(motley: Run) -> None:
    suites = {suite.name: list(suite) for suite in JUnitXml.fromfile(str(motley.folder / "junit.xml"))}
    green = {name for name, cases in suites.items() if all(case.is_passed for case in cases)}
    assert green & set(NODES) == {"node1"}
    results = {name: [type(result) for case in suites[name] for result in case.result] for name in NODES}
    assert results["node2"].count(Failure) == 2
    assert results["node2"].count(Skipped) == 5
    assert results["node3"].count(Error) == 4
    assert Failure not in results["node3"]


def test_prometheus_sees_what_to_alert_on(motley: Run) -> None:
    families = text_string_to_metric_families((motley.folder / "metrics.prom").read_text())
    samples = [sample for family in families for sample in family.samples]
    conclusions = {
        sample.labels["host"]: sample.labels["conclusion"]
        for sample in samples
        if sample.name == "gpu_k8s_node_conclusion" and sample.value == 1
    }
    assert conclusions == {"node1": "usable", "node2": "broken", "node3": "not_proven"}


def test_the_page_opens_without_a_complaint(motley: Run) -> None:
    if not installed():
        assert os.environ.get("GPU_K8S_BROWSER") != "required", "no chromium on this machine"
        pytest.skip("no chromium on this machine (apt-get install chromium fonts-dejavu-core)")
    heard: list[str] = []
    with chromium() as browser:
        tab = browser.new_page()
        tab.on("console", lambda message: heard.append(message.text))
        tab.on("pageerror", lambda error: heard.append(str(error)))
        for file in ("report.html", "handover/report.html"):
            tab.goto((motley.folder / file).as_uri())
            assert "broken" in tab.title()
            assert tab.get_by_text("DRV004").first.is_visible()
            tab.screenshot(path=motley.folder.parent / f"motley-{file.replace('/', '-')}.png")
    assert heard == []


def test_somebody_elsewhere_is_told_what_to_do_and_what_not(motley: Run) -> None:
    page = (motley.folder / "handover/handover.md").read_text()
    assert "DRV004" in page
    assert "SCH002" in page
    for heading in ("What must not be done next", "What was not tested", "What to send back"):
        assert heading in page
