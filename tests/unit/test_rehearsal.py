# SPDX-License-Identifier: GPL-3.0-or-later
"""The confusion matrix counts what it should, above all false passes."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.gpu.k8s.plugins.module_utils._catalogue import CATALOGUE
from ansible_collections.gpu.k8s.plugins.module_utils._rehearsal import (
    Entry,
    Verification,
    entries,
    matrix,
    rounds,
    table,
)

LOST = {"layer": "driver", "status": "fail", "code": "DRV004"}
HOOK = {"layer": "toolkit", "status": "fail", "code": "TKT008"}
WORKS = {"conclusion": "usable"}
NODES = ["a", "b", "c"]


def seen(exit_status: int, **conclusions: str | dict) -> Verification:
    """Nodes by name: ``usable``, or the finding that decides."""
    nodes = []
    for host, said in conclusions.items():
        deciding = said if isinstance(said, dict) else None
        conclusion = "usable" if deciding is None else "broken" if deciding["status"] == "fail" else "not proven"
        nodes.append({"host": host, "conclusion": conclusion, "deciding": deciding})
    return Verification(exit_status, {"nodes": nodes})


WELL = seen(0, a="usable", b="usable", c="usable")


def fault(node: str, expect: dict | None = None, name: str = "", everywhere: bool = False) -> dict:
    return {"name": name or f"on_{node}", "node": node, "expect": expect or LOST, "everywhere": everywhere}


def judged(*faults: dict, broken: Verification, mended: Verification = WELL) -> list[Entry]:
    """One round and the verification after it."""
    return entries([{"faults": faults}], NODES, [broken], mended)


def one(broken: Verification, mended: Verification = WELL, **of_fault: t.Any) -> Entry:
    """A fault on node a, alone."""
    (entry,) = judged(fault("a", **of_fault), broken=broken, mended=mended)
    return entry


def test_right() -> None:
    entry = one(seen(2, a=LOST, b="usable", c="usable"))
    assert entry["right"]
    assert (entry["expected"], entry["got"]) == (LOST, LOST)
    assert (entry["false_passes"], entry["false_alarms"]) == ([], [])


def test_a_broken_node_called_usable_is_a_false_pass() -> None:
    entry = one(WELL)
    assert not entry["right"]
    assert entry["false_passes"] == ["a"]


def test_an_exit_status_of_0_is_a_false_pass() -> None:
    entry = one(seen(0, a=LOST, b="usable", c="usable"))
    assert not entry["right"]
    assert entry["false_passes"] == ["the exit status"]


@pytest.mark.parametrize(("aspect", "other"), [("layer", "toolkit"), ("code", "DRV007"), ("status", "unknown")])
def test_the_wrong_layer_or_code_is_not_right(aspect: str, other: str) -> None:
    entry = one(seen(2, a=LOST | {aspect: other}, b="usable", c="usable"))
    assert not entry["right"]
    assert entry["false_passes"] == []


def test_another_node_that_is_not_usable_is_a_false_alarm() -> None:
    entry = one(seen(2, a=LOST, b=LOST, c="usable"))
    assert not entry["right"]
    assert entry["false_alarms"] == ["b"]


def test_a_node_that_nothing_was_said_of_is_never_right() -> None:
    assert not one(seen(2, b="usable", c="usable"))["right"]
    assert one(seen(2, a=LOST, b="usable"))["false_alarms"] == ["c"]
    assert one(seen(2, a=LOST, b="usable", c="usable"), seen(0, b="usable", c="usable"))["false_alarms"] == [
        "a after mending"
    ]
    assert not one(seen(0), expect=WORKS)["right"]
    assert not one(seen(2), everywhere=True)["right"]
    nobody = [{"faults": [fault("a", everywhere=True)]}]
    assert not entries(nobody, [], [seen(2)], seen(0))[0]["right"]


def test_a_fault_that_hits_every_node_must_be_found_on_every_node() -> None:
    assert one(seen(2, a=LOST, b=LOST, c=LOST), everywhere=True)["right"]
    entry = one(seen(2, a=LOST, b="usable", c=LOST), everywhere=True)
    assert not entry["right"]
    assert entry["false_passes"] == ["b"]
    assert not one(seen(2, a=LOST, b=LOST, c=HOOK), everywhere=True)["right"]


def test_faults_of_one_round_are_judged_each_on_its_own_node() -> None:
    lost, hook = judged(fault("a"), fault("b", HOOK), broken=seen(2, a=LOST, b=HOOK, c="usable"))
    assert lost["right"]
    assert hook["right"]
    lost, hook = judged(fault("a"), fault("b", HOOK), broken=seen(2, a=LOST, b="usable", c="usable"))
    assert lost["right"]
    assert hook["false_passes"] == ["b"]
    for entry in judged(fault("a"), fault("b", HOOK), broken=seen(2, a=LOST, b=HOOK, c=HOOK)):
        assert not entry["right"]
        assert entry["false_alarms"] == ["c"]


def test_what_must_work_is_right_when_nobody_notices() -> None:
    entry = one(WELL, expect=WORKS)
    assert entry["right"]
    assert entry["expected"] == entry["got"] == {"layer": "usable", "status": "usable", "code": "usable"}
    entry = one(seen(2, a=LOST, b="usable", c="usable"), expect=WORKS)
    assert not entry["right"]
    assert (entry["false_passes"], entry["false_alarms"]) == ([], ["a"])
    assert one(seen(2, a="usable", b="usable", c="usable"), expect=WORKS)["false_alarms"] == ["the exit status"]
    assert one(seen(2, a="usable", b="usable", c=LOST), expect=WORKS)["false_alarms"] == ["c"]
    assert one(WELL, expect=WORKS, everywhere=True)["right"]
    assert not one(seen(2, a="usable", b="usable", c=LOST), expect=WORKS, everywhere=True)["right"]


def test_who_is_not_usable_after_mending_counts_for_its_own_fault_alone() -> None:
    broken = seen(2, a=LOST, b=HOOK, c="usable")
    still = seen(2, a="usable", b=HOOK, c="usable")
    lost, hook = judged(fault("a"), fault("b", HOOK), broken=broken, mended=still)
    assert lost["right"]
    assert not hook["right"]
    assert hook["false_alarms"] == ["b after mending"]
    unsaid = seen(2, a="usable", b="usable", c="usable")
    for entry in judged(fault("a"), fault("b", HOOK), broken=broken, mended=unsaid):
        assert entry["false_alarms"] == ["the exit status after mending"]


def two_rounds(second: Verification, mended: Verification = WELL) -> tuple[Entry, Entry, Entry, Entry]:
    """Node a is broken at first and whole in the second round, c the other way round, b is broken in both."""
    plan = [{"faults": [fault("a"), fault("b", name="first")]}, {"faults": [fault("c"), fault("b", name="second")]}]
    first = seen(2, a=LOST, b=LOST, c="usable")
    on_a, on_b, on_c, again_on_b = entries(plan, NODES, [first, second], mended)
    return on_a, on_b, on_c, again_on_b


def test_a_later_round_proves_what_was_mended() -> None:
    assert all(entry["right"] for entry in two_rounds(seen(2, a="usable", b=LOST, c=LOST)))


def test_what_was_not_mended_is_told_by_the_first_round_that_leaves_the_node_alone() -> None:
    on_a, on_b, on_c, again_on_b = two_rounds(seen(2, a=HOOK, b=LOST, c=LOST))
    assert on_a["false_alarms"] == ["a after mending"]
    assert not on_a["right"]
    assert on_b["right"]
    # It may also be the second round's doing: nobody knows.
    assert on_c["false_alarms"] == again_on_b["false_alarms"] == ["a"]
    assert not on_c["right"]


def test_all_faults_since_a_node_was_last_usable_are_suspected() -> None:
    still = seen(2, a="usable", b=LOST, c="usable")
    on_a, on_b, on_c, again_on_b = two_rounds(seen(2, a="usable", b=LOST, c=LOST), still)
    assert on_b["false_alarms"] == again_on_b["false_alarms"] == ["b after mending"]
    assert on_a["right"]
    assert on_c["right"]


def test_a_fault_that_hit_every_node_is_mended_when_each_node_is() -> None:
    plan = [{"faults": [fault("a", everywhere=True)]}, {"faults": [fault("a"), fault("b")]}]
    all_hit = seen(2, a=LOST, b=LOST, c=LOST)
    second = seen(2, a=LOST, b=LOST, c="usable")
    assert entries(plan, NODES, [all_hit, second], WELL)[0]["right"]
    for then, mended, named in (
        (seen(2, a=LOST, b=LOST, c=LOST), WELL, "c after mending"),
        (second, seen(2, a="usable", b=HOOK, c="usable"), "b after mending"),
    ):
        everywhere = entries(plan, NODES, [all_hit, then], mended)[0]
        assert everywhere["false_alarms"] == [named]
        assert not everywhere["right"]


def planned(*faults: dict, nodes: list[str] | None = None) -> list[list[tuple[str, str]]]:
    return [[(f["name"], f["node"]) for f in round_["faults"]] for round_ in rounds(faults, nodes or NODES)]


def test_faults_that_make_it_wait_share_the_wait() -> None:
    plan = planned(*({"name": str(number), "expect": LOST, "waits": number in (1, 4)} for number in range(6)))
    assert [[name for name, _node in round_] for round_ in plan] == [["1", "4"], ["0", "2"], ["3", "5"]]


def test_another_node_stays_whole_in_each_round() -> None:
    plan = planned(*({"name": str(number), "expect": LOST} for number in range(6)))
    assert [name for round_ in plan for name, _node in round_] == ["0", "1", "2", "3", "4", "5"]
    broken = [{node for _name, node in round_} for round_ in plan]
    assert [set(NODES) - nodes for nodes in broken] == [{"c"}, {"b"}, {"a"}]


def test_a_fault_that_hits_every_node_has_a_round_for_itself_before_one_that_proves_its_mending() -> None:
    two = [{"name": name, "expect": LOST, "everywhere": True} for name in ("api", "scheduler")]
    plan = planned(
        *two, {"name": "one", "expect": LOST}, {"name": "two", "expect": LOST}, {"name": "three", "expect": LOST}
    )
    assert [[name for name, _node in round_] for round_ in plan] == [["api"], ["one", "two"], ["scheduler"], ["three"]]


def test_faults_share_a_round_only_with_the_same_settings_and_the_same_kind_of_end() -> None:
    patient = {"gpu_k8s_smoke_timeout": 60}
    plan = rounds(
        [
            {"name": "plain", "expect": LOST},
            {"name": "slow", "expect": LOST, "settings": patient},
            {"name": "works", "expect": WORKS},
            {"name": "slow too", "expect": HOOK, "settings": patient},
        ],
        NODES,
    )
    assert [(r["name"], r["settings"]) for r in plan] == [("plain", {}), ("slow+slow too", patient), ("works", {})]


def test_one_node_is_enough_to_rehearse_on() -> None:
    assert planned({"name": "1", "expect": LOST}, {"name": "2", "expect": LOST}, nodes=["b"]) == [
        [("1", "b")],
        [("2", "b")],
    ]


def test_totals() -> None:
    document = matrix([one(seen(2, a=LOST, b="usable", c="usable")), one(seen(0, a="usable", b=LOST, c="usable"))])
    totals = {key: document[key] for key in ("faults", "right", "false_passes", "false_alarms")}
    assert totals == {"faults": 2, "right": 1, "false_passes": 1, "false_alarms": 1}
    assert "1 of 2 faults right, 1 false passes, 1 false alarms" in table(document)
    assert "false pass: a" in table(document)


ROOT = Path(__file__).parents[2]
INPUTS = yaml.safe_load((ROOT / "roles/preflight/vars/main.yml").read_text())["__preflight_inputs"]
FAULTS = sorted((ROOT / "roles/lab/faults").glob("*.yml"))


@pytest.mark.parametrize("file", FAULTS, ids=lambda file: file.stem)
def test_a_fault_expects_what_the_catalogue_has_and_is_on_the_labs_page(file: Path) -> None:
    fault = yaml.safe_load(file.read_text())
    expect = fault["expect"]
    if expect != WORKS:
        said = CATALOGUE[expect["code"]]
        assert (expect["layer"], expect["status"]) == (said.layer, said.status)
    assert set(fault.get("settings", {})) <= set(INPUTS)
    assert f"`{file.stem}`" in (ROOT / "docs/lab.md").read_text()
