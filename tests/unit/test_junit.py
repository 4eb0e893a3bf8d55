# SPDX-License-Identifier: GPL-3.0-or-later
"""JUnit XML as a CI server reads it: nothing but a proven pass is green, whatever the evidence holds."""

from __future__ import annotations

import pytest
from cases import Tree
from documents import every_document, of_case, told
from hostile import TEXTS, hostile
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase

from ansible_collections.gpu.k8s.plugins.module_utils._render.junit import suites

OUTCOME = {
    "pass": None,
    "fail": Failure,
    **dict.fromkeys(("unknown", "busy"), Error),
    **dict.fromkeys(("blocked", "skip", "waived"), Skipped),
}
OF_THE_NODE = {"usable": None, "broken": Failure, "not proven": Error, "waived": Error}


def read(document: Tree) -> dict[str, dict[str, TestCase]]:
    """Return the cases by suite and name."""
    return {s.name: {c.name: c for c in s} for s in JUnitXml.fromstring(suites(document).encode())}


def outcome(case: TestCase) -> type | None:
    assert len(case.result) <= 1
    return type(case.result[0]) if case.result else None


def test_each_checkpoint_of_every_case_has_the_outcome_of_its_status() -> None:
    document = every_document()
    read_back = read(document)
    assert len(read_back) == len(document["nodes"]) + 1
    for node in document["nodes"]:
        found = list(read_back[node["host"]].values())
        assert [outcome(case) for case in found[:6]] == [OUTCOME[c["status"]] for c in node["checkpoints"]]
        assert [case.classname for case in found] == [node["host"]] * 7
        assert outcome(found[6]) is OF_THE_NODE[node["conclusion"]]


def test_the_counts_are_those_of_the_cases() -> None:
    document = every_document()
    xml = JUnitXml.fromstring(suites(document).encode())
    every = [case for suite in xml for case in suite]
    for kind, count in ((Failure, xml.failures), (Error, xml.errors), (Skipped, xml.skipped)):
        assert count == sum(outcome(case) is kind for case in every) > 0
    assert xml.tests == len(every)
    assert [(s.tests, s.failures, s.errors, s.skipped) for s in xml] == [
        (len(list(s)), *(sum(outcome(c) is kind for c in s) for kind in (Failure, Error, Skipped))) for s in xml
    ]


def test_names_are_the_same_in_every_run() -> None:
    """So that a server's history follows a checkpoint from pass to fail and back."""
    well = read(told([of_case("healthy-h100", "a")], {"id": "1"}))
    ill = read(told([of_case("driver/gpu_lost", "a")], {"id": "2"}))
    assert [*well["a"]] == [*ill["a"]]
    assert next(iter(well["a"])) == "1 driver: the driver recognises every GPU on the bus"
    assert [*well["a"]][-1] == "conclusion"


def test_a_failure_says_what_is_wrong_what_to_do_and_why() -> None:
    failed = read(told([of_case("driver/gpu_lost", "a")]))["a"]["1 driver: the driver recognises every GPU on the bus"]
    result = failed.result[0]
    assert result.type == "DRV004"
    assert result.message.startswith("fail: DRV004 driver: The driver has lost a GPU")
    assert "remedy: Drain the node and power-cycle it" in result.text
    assert "$ nvidia-smi -L   (exit code 15)" in result.text
    assert "Unable to determine the device handle" in result.text


def test_skipped_checkpoints_leave_no_node_green() -> None:
    """Servers count skipped cases as good."""
    cases = read(told([of_case("healthy-h100", "a") | {"chosen": ["driver"]}], {"chosen": ["driver"]}))["a"]
    assert [outcome(case) for case in cases.values()] == [None, *[Skipped] * 5, Error]
    waived = read(told([of_case("preflight/waived", "a")]))["a"]
    assert [outcome(case) for case in waived.values()] == [Skipped, Skipped, *[None] * 4, Error]
    assert waived["conclusion"].result[0].message.startswith("waived: checkpoints 1, 2 were not looked at")


@pytest.mark.parametrize(
    ("nodes", "run", "why"),
    [
        ([], {}, "no node was judged"),
        ([of_case("healthy-h100", "a")], {"ended_early": "it was interrupted"}, "it was interrupted"),
    ],
)
def test_a_run_that_is_not_whole_is_not_green(nodes: list[Tree], run: Tree, why: str) -> None:
    case = read(told(nodes, run))["gpu.k8s run"]["the run came to its end"]
    assert outcome(case) is Error
    assert why in case.result[0].message
    whole = read(told([of_case("healthy-h100", "a")]))["gpu.k8s run"]["the run came to its end"]
    assert outcome(whole) is None


@pytest.mark.parametrize("text", TEXTS)
def test_it_is_xml_whatever_the_evidence_holds(text: str) -> None:
    document = hostile(told([of_case("driver/gpu_lost", "a")]), text)
    made = suites(document).encode()
    found = JUnitXml.fromstring(made)
    assert (found.tests, found.failures) == (8, 2)
    assert b"\x1b" not in made
    message = next(iter(list(found)[1])).result[0].message
    assert all(word in message for word in text.split() if word.isprintable())


def test_the_run_and_its_time_are_told() -> None:
    xml = JUnitXml.fromstring(suites(told([of_case("healthy-h100", "a")])).encode())
    assert xml.time == 19.52
    about, node = list(xml)
    assert {s.timestamp for s in (about, node)} == {"2026-03-02T08:15:04"}
    properties = {p.name: p.value for p in about.properties()}
    assert properties["run.id"] == "5d0cbe45"
    assert properties["cluster.context"] == "training-1"
    assert properties["version.gpu.k8s"] == "0.1.0"
    assert {p.name: p.value for p in node.properties()}["driver"] == "550.163.01"


def test_a_time_that_is_none_loses_no_report() -> None:
    text = suites(told([of_case("healthy-h100", "a")], {"started": "now", "finished": "later"}))
    assert "timestamp" not in text
    assert JUnitXml.fromstring(text.encode()).tests == 8
