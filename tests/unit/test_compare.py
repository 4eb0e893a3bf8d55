# SPDX-License-Identifier: GPL-3.0-or-later
"""What changed between two runs: what is proven no longer is worse, and what was not looked at is neither."""

from __future__ import annotations

import copy
import functools
import json
import operator
import typing as t

import pytest
from cases import base, cases, evidence

from ansible_collections.gpu.k8s.plugins.module_utils._compare import Comparison, NodeChange, compare
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._render.comparison import markdown, terminal
from ansible_collections.gpu.k8s.plugins.module_utils._render.document import document

Tree = dict[str, t.Any]

HEALTHY = base("healthy-h100")
RUN = {"id": "1", "started": "2026-01-01T01:00:00.000000+00:00"}
LATER = {"id": "2", "started": "2026-01-02T01:00:00.000000+00:00"}
CLUSTER = {"context": "c", "version": "v1.37.2", "uid": "u", "nodes_without_host": []}


@functools.cache
def of_case(name: str) -> Tree:
    return evidence(cases()[name])


def changed(path: str, value: str, tree: Tree = HEALTHY) -> Tree:
    """Return the evidence with one field set to something else. Spaces part the names, since some have dots."""
    new = copy.deepcopy(tree)
    *parents, last = path.split()
    functools.reduce(operator.getitem, parents, new)[last] = value
    return new


def told(run: Tree, *nodes: Tree, cluster: Tree | None = None) -> Tree:
    return document(run, cluster or CLUSTER, nodes, [judge_node(node) for node in nodes])


def compared(before: Tree, after: Tree) -> NodeChange:
    (node,) = compare(told(RUN, before), told(LATER, after)).nodes
    return node


def named(number: int, tree: Tree = HEALTHY) -> Tree:
    host, name = f"gpu-{number:04}", tree["kubernetes"]["node"]["metadata"]["name"]
    return t.cast(Tree, json.loads(json.dumps(tree).replace(f'"{name}"', f'"{host}"'))) | {"host": host}


@pytest.mark.parametrize("name", cases())
def test_the_same_evidence_twice_is_the_same(name: str) -> None:
    node = compared(of_case(name), of_case(name))
    assert node.word == "same"
    assert (node.checkpoints, node.came, node.went, node.facts, node.gpus_gone, node.gpus_new) == ((),) * 6


@pytest.mark.parametrize("name", cases())
def test_what_is_better_in_one_direction_is_worse_in_the_other(name: str) -> None:
    fine = base(cases()[name]["base"])
    if judge_node(fine).conclusion != "usable":
        return
    falls = judge_node(of_case(name)).conclusion not in ("usable", "waived")
    there, back = compared(fine, of_case(name)), compared(of_case(name), fine)
    if falls:
        assert (there.word, back.word) == ("worse", "better")
    else:
        assert there.word == back.word
        assert there.word in ("same", "changed")


def test_a_node_that_breaks_is_worse() -> None:
    node = compared(HEALTHY, of_case("driver/gpu_lost"))
    assert (node.word, node.before, node.after) == ("worse", "usable", "broken")
    assert [(c.number, c.before, c.after) for c in node.checkpoints] == [
        (1, "pass", "fail"),
        *((number, "pass", "blocked") for number in (2, 3, 4, 5, 6)),
    ]
    assert "DRV004" in {finding.code for finding in node.came}
    assert node.went == ()


def test_a_node_that_is_mended_is_better() -> None:
    node = compared(of_case("driver/gpu_lost"), HEALTHY)
    assert (node.word, node.before, node.after) == ("better", "broken", "usable")
    assert "DRV004" in {finding.code for finding in node.went}
    assert node.came == ()


def test_what_can_no_longer_be_seen_is_not_better() -> None:
    """The driver was broken; now neither host nor API answers. Nothing is known to be mended, and nothing broke."""
    away = of_case("driver/unreachable") | {"kubernetes": {"error": "away"}, "smoke_pod": {"not_tried": "away"}}
    node = compared(of_case("driver/gpu_lost"), away | {"toolkit": None})
    assert (node.before, node.after) == ("broken", "not proven")
    assert node.word == "changed"
    assert node.went == ()


def test_what_was_not_known_to_fail_and_does_now_is_worse() -> None:
    assert compared(of_case("driver/unreachable"), of_case("driver/gpu_lost")).word == "worse"


def test_a_busy_node_proves_less_than_it_did() -> None:
    busy = next(name for name in cases() if judge_node(of_case(name)).checkpoints[3].status == "busy")
    assert compared(HEALTHY, of_case(busy)).word == "worse"


def test_a_layer_that_one_run_left_out_is_not_compared() -> None:
    driver_alone = HEALTHY | {"chosen": ["driver"]}
    for before, after in ((HEALTHY, driver_alone), (driver_alone, HEALTHY)):
        node = compared(before, after)
        assert node.word == "same"
        assert node.not_compared == (2, 3, 4, 5, 6)
    assert compared(driver_alone, of_case("driver/gpu_lost")).word == "worse"
    assert compared(driver_alone, of_case("toolkit/handler_not_loaded")).word == "same"


def test_two_runs_that_share_no_layer_say_nothing_and_keep_the_gate_closed() -> None:
    comparison = compare(told(RUN, HEALTHY | {"chosen": ["driver"]}), told(LATER, HEALTHY | {"chosen": ["toolkit"]}))
    assert comparison.nodes[0].word == "not compared"
    assert comparison.worse == (HEALTHY["host"],)


@pytest.mark.parametrize(
    ("fact", "path", "value"),
    [
        ("driver", "driver records module_version stdout", "999.1.2\n"),
        ("kernel", "kubernetes node status nodeInfo kernelVersion", "9.9.9"),
        ("os", "kubernetes node status nodeInfo osImage", "Another"),
        ("kubelet", "kubernetes node status nodeInfo kubeletVersion", "v1.99.0"),
        ("container_runtime", "kubernetes node status nodeInfo containerRuntimeVersion", "containerd://9.9.9"),
        ("allocatable", "kubernetes node status allocatable nvidia.com/gpu", "1"),
    ],
)
def test_facts_that_changed_are_told_in_both_directions(fact: str, path: str, value: str) -> None:
    new = changed(path, value)
    there, back = compared(HEALTHY, new), compared(new, HEALTHY)
    (one,) = (change for change in there.facts if change.name == fact)
    (other,) = (change for change in back.facts if change.name == fact)
    assert (one.before, one.after) == (other.after, other.before)
    assert one.after == value.strip()


def test_facts_alone_are_a_change_and_no_fault() -> None:
    comparison = compare(
        told(RUN, HEALTHY), told(LATER, changed("kubernetes node status nodeInfo kubeletVersion", "v1.99.0"))
    )
    assert comparison.nodes[0].word == "changed"
    assert comparison.worse == ()


def test_a_fact_that_one_run_did_not_see_is_no_change() -> None:
    node = compared(HEALTHY, of_case("driver/unreachable"))
    assert "driver" not in {fact.name for fact in node.facts}
    assert node.gpus_gone == ()


def test_a_replaced_gpu_is_told_by_its_uuid() -> None:
    listing = HEALTHY["driver"]["records"]["nvidia_smi_list"]["stdout"]
    uuid = listing.partition("UUID: ")[2].partition(")")[0]
    other = uuid[:-4] + "0bad"
    new = changed("driver records nvidia_smi_list stdout", listing.replace(uuid, other))
    node = compared(HEALTHY, new)
    assert (node.gpus_gone, node.gpus_new) == ((uuid,), (other,))
    assert f"1 GPU gone: {uuid}" in terminal(compare(told(RUN, HEALTHY), told(LATER, new)))


def test_a_finding_is_another_one_when_it_names_another_gpu() -> None:
    """The same code on the same record: what tells them apart is the GPU."""
    first = of_case("driver/ecc_uncorrectable")
    uuid, other = (gpu[:36] for gpu in first["driver"]["records"]["nvidia_smi_list"]["stdout"].split("GPU-")[1:3])
    ill = next(gpu for gpu in (uuid, other) if gpu in str(told(RUN, first)["nodes"][0]["deciding"]))
    well = uuid if ill == other else other
    moved = json.loads(json.dumps(first).replace(ill, "?").replace(well, ill).replace("?", well))
    node = compared(first, moved)
    assert {finding.code for finding in node.went} == {finding.code for finding in node.came} != set()
    assert all(ill in finding.message for finding in node.went)
    assert all(well in finding.message for finding in node.came)


def test_nodes_are_matched_by_node_name_then_by_host() -> None:
    renamed_host = named(1) | {"host": "new-name"}
    comparison = compare(told(RUN, named(1), named(2)), told(LATER, renamed_host, named(2)))
    assert [(node.host, node.word) for node in comparison.nodes] == [("new-name", "same"), ("gpu-0002", "same")]


def test_a_node_that_the_api_did_not_name_is_matched_by_its_host() -> None:
    away = of_case("preflight/api_away") | {"host": HEALTHY["host"]}
    assert compared(HEALTHY, away).word == "worse"
    assert compared(away, HEALTHY).word == "better"


def test_nodes_gone_and_new() -> None:
    one, both = told(RUN, named(1)), told(RUN, named(1), named(2))
    fewer, more = compare(both, one | {"run": LATER}), compare(one, both | {"run": LATER})
    assert [(node.host, node.word) for node in fewer.nodes] == [("gpu-0002", "gone"), ("gpu-0001", "same")]
    assert [(node.host, node.word) for node in more.nodes] == [("gpu-0002", "new"), ("gpu-0001", "same")]
    assert fewer.worse == ("gpu-0002",)
    assert more.worse == ()


def test_a_node_that_was_only_left_out_is_told_so() -> None:
    after = told(LATER, named(1), cluster=CLUSTER | {"nodes_without_host": ["gpu-0002"]})
    comparison = compare(told(RUN, named(1), named(2)), after)
    assert comparison.nodes[0].still_there
    assert "still in the cluster" in terminal(comparison)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (told(RUN, HEALTHY), told(LATER, HEALTHY), None),
        (told(RUN, HEALTHY), told(LATER, HEALTHY, cluster=CLUSTER | {"uid": "v"}), "two clusters"),
        (told(RUN, HEALTHY), told(LATER, HEALTHY, cluster=CLUSTER | {"uid": None}), "may be two clusters"),
        (told(LATER, HEALTHY), told(RUN, HEALTHY), "swapped"),
        (told(RUN | {"redacted": True}, HEALTHY), told(LATER, HEALTHY), "One of the runs is redacted"),
        (told(RUN, HEALTHY), told(LATER | {"ended_early": "a power cut"}, HEALTHY), "(a power cut)"),
    ],
)
def test_cautions(before: Tree, after: Tree, says: str | None) -> None:
    comparison = compare(before, after)
    if says is None:
        assert comparison.cautions == ()
    else:
        (caution,) = comparison.cautions
        assert says in caution
        assert says in " ".join(terminal(comparison).split())
        assert f"> **Caution:** {caution}" in markdown(comparison)


def fleet(count: int, fault: str) -> Comparison:
    """A fleet whose kubelets were upgraded; every tenth node broke."""
    upgraded = changed("kubernetes node status nodeInfo kubeletVersion", "v1.99.0")
    broken = changed("kubernetes node status nodeInfo kubeletVersion", "v1.99.0", of_case(fault))
    before = told(RUN, *(named(number) for number in range(count)))
    return compare(before, told(LATER, *(named(n, broken if n % 10 == 0 else upgraded) for n in range(count))))


def test_what_many_nodes_share_is_told_once_in_80_columns() -> None:
    text = terminal(fleet(40, "toolkit/handler_not_loaded"))
    assert text.count("kubelet: v1.37.2 -> v1.99.0") == 2
    assert text.count("TKT") == 1
    assert "gpu-[0000,0010,0020,0030]: worse, usable -> broken" in text
    assert "gpu-[0001-0009,0011-0019,0021-0029,0031-0039]: changed, usable" in text
    assert text.endswith("40 nodes: 4 worse, 36 changed")
    assert max(map(len, text.splitlines())) <= 80


def test_the_page_names_every_node() -> None:
    page = markdown(fleet(40, "toolkit/handler_not_loaded"))
    assert "## Worse, usable -> broken\n\ngpu-\\[0000,0010,0020,0030\\]\n" in page
    assert "gpu-\\[0001-0009,0011-0019,0021-0029,0031-0039\\]\n" in page


def test_words_of_a_node_are_no_markdown() -> None:
    named_oddly = changed("kubernetes node status nodeInfo osImage", "<b>[x](y)* `z`")
    page = markdown(compare(told(RUN, HEALTHY), told(LATER, named_oddly)))
    assert r"\<b\>\[x\](y)\* \`z\`" in page


def test_what_was_waived_is_neither_better_nor_worse() -> None:
    waived = of_case("preflight/waived")
    for before, after, headline in (
        (waived, HEALTHY, "same, waived -> usable"),
        (HEALTHY, waived, "same, usable -> waived"),
    ):
        node = compared(before, after)
        assert (node.word, node.not_compared) == ("same", (1, 2))
        shown = terminal(compare(told(RUN, before), told(LATER, after)))
        assert headline in shown
        assert "left it out: 1 driver, 2 toolkit" in shown


def test_a_waived_layer_that_is_blamed_is_worse_and_its_finding_told() -> None:
    node = compared(of_case("preflight/waived"), of_case("smoke_pod/waived_driver_not_loaded"))
    assert node.word == "worse"
    assert (node.checkpoints[0].before, node.checkpoints[0].after) == ("waived", "fail")
    assert [told.code for told in node.came] == ["DRV005"]
    back = compared(of_case("smoke_pod/waived_driver_not_loaded"), of_case("preflight/waived"))
    assert back.word == "better"
