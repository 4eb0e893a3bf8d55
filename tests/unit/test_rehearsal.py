# SPDX-License-Identifier: GPL-3.0-or-later
"""The confusion matrix counts what it should, above all false passes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ansible_collections.gpu.k8s.plugins.module_utils._catalogue import CATALOGUE
from ansible_collections.gpu.k8s.plugins.module_utils._rehearsal import entry, matrix, table

EXPECTED = {"layer": "driver", "status": "fail", "code": "DRV004"}


def report(**conclusions: str | dict) -> dict:
    """Nodes by name: ``usable``, or the finding that decides."""
    nodes = []
    for host, said in conclusions.items():
        deciding = said if isinstance(said, dict) else None
        conclusion = "usable" if deciding is None else "broken" if deciding["status"] == "fail" else "not proven"
        nodes.append({"host": host, "conclusion": conclusion, "deciding": deciding})
    return {"nodes": nodes}


WELL = (0, report(a="usable", b="usable"))


def test_right() -> None:
    one = entry("gpu_lost", "a", EXPECTED, False, (2, report(a=EXPECTED, b="usable")), WELL)
    assert one["right"]
    assert one["got"] == EXPECTED
    assert (one["false_passes"], one["false_alarms"]) == ([], [])


def test_a_broken_node_called_usable_is_a_false_pass() -> None:
    one = entry("gpu_lost", "a", EXPECTED, False, (0, report(a="usable", b="usable")), WELL)
    assert not one["right"]
    assert one["false_passes"] == ["a"]


def test_an_exit_status_of_0_is_a_false_pass() -> None:
    one = entry("gpu_lost", "a", EXPECTED, False, (0, report(a=EXPECTED, b="usable")), WELL)
    assert not one["right"]
    assert one["false_passes"] == ["the exit status"]


def test_the_wrong_layer_or_code_is_not_right() -> None:
    for aspect, other in (("layer", "toolkit"), ("code", "DRV007"), ("status", "unknown")):
        one = entry("gpu_lost", "a", EXPECTED, False, (2, report(a=EXPECTED | {aspect: other}, b="usable")), WELL)
        assert not one["right"]
        assert one["false_passes"] == []


def test_another_node_that_is_not_usable_is_a_false_alarm() -> None:
    one = entry("gpu_lost", "a", EXPECTED, False, (2, report(a=EXPECTED, b=EXPECTED)), WELL)
    assert not one["right"]
    assert one["false_alarms"] == ["b"]


def test_a_node_that_stays_broken_after_mending_is_a_false_alarm() -> None:
    broken = (2, report(a=EXPECTED, b="usable"))
    one = entry("gpu_lost", "a", EXPECTED, False, broken, broken)
    assert not one["right"]
    assert one["false_alarms"] == ["a after mending"]


def test_a_fault_that_hits_every_node_must_be_found_on_every_node() -> None:
    all_hit = entry("api", "a", EXPECTED, True, (2, report(a=EXPECTED, b=EXPECTED)), WELL)
    one_hit = entry("api", "a", EXPECTED, True, (2, report(a=EXPECTED, b="usable")), WELL)
    assert all_hit["right"]
    assert not one_hit["right"]
    assert one_hit["false_passes"] == ["b"]


def test_no_nodes_are_never_right() -> None:
    assert not entry("api", "a", EXPECTED, True, (2, report()), WELL)["right"]
    assert not entry("api", "a", EXPECTED, False, (2, report(a=EXPECTED)), (0, report()))["right"]


def test_faults_of_one_round_are_judged_each_on_its_own_node() -> None:
    other = {"layer": "toolkit", "status": "fail", "code": "TKT008"}
    broken = (2, report(a=EXPECTED, b=other, c="usable"))
    well = (0, report(a="usable", b="usable", c="usable"))
    assert entry("gpu_lost", "a", EXPECTED, False, broken, well, others=["b"])["right"]
    assert entry("hook_missing", "b", other, False, broken, well, others=["a"])["right"]
    alarm = entry("gpu_lost", "a", EXPECTED, False, (2, report(a=EXPECTED, b=other, c=other)), well, others=["b"])
    assert not alarm["right"]
    assert alarm["false_alarms"] == ["c"]


def test_who_was_not_mended_counts_for_its_own_fault_alone() -> None:
    broken = (2, report(a=EXPECTED, b=EXPECTED))
    b_still = (2, report(a="usable", b=EXPECTED))
    assert entry("one", "a", EXPECTED, False, broken, b_still, others=["b"])["right"]
    assert entry("two", "b", EXPECTED, False, broken, b_still, others=["a"])["false_alarms"] == ["b after mending"]
    assert not entry("one", "a", EXPECTED, False, broken, (2, report(a="usable", b="usable")), others=["b"])["right"]


def test_totals() -> None:
    entries = [
        entry("one", "a", EXPECTED, False, (2, report(a=EXPECTED, b="usable")), WELL),
        entry("two", "a", EXPECTED, False, (0, report(a="usable", b=EXPECTED)), WELL),
    ]
    document = matrix(entries)
    totals = {key: document[key] for key in ("faults", "right", "false_passes", "false_alarms")}
    assert totals == {"faults": 2, "right": 1, "false_passes": 1, "false_alarms": 1}
    assert "1 of 2 faults right, 1 false passes, 1 false alarms" in table(document)
    assert "false pass: a" in table(document)


ROOT = Path(__file__).parents[2]
FAULTS = sorted((ROOT / "roles/lab/faults").glob("*.yml"))


@pytest.mark.parametrize("file", FAULTS, ids=lambda file: file.stem)
def test_a_fault_expects_what_the_catalogue_has_and_is_on_the_labs_page(file: Path) -> None:
    fault = yaml.safe_load(file.read_text())
    expect, said = fault["expect"], CATALOGUE[fault["expect"]["code"]]
    assert (expect["layer"], expect["status"]) == (said.layer, said.status)
    assert f"`{file.stem}`" in (ROOT / "docs/lab.md").read_text()
