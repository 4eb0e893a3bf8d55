# SPDX-License-Identifier: GPL-3.0-or-later
"""The chain on the terminal: short where all is fine, told once where many nodes share a fate, 80 columns wide."""

from __future__ import annotations

import copy

import pytest
from cases import Tree
from documents import every_document, of_case, told
from hostile import TEXTS, hostile

from ansible_collections.gpu.k8s.plugins.module_utils._access import PERMISSIONS
from ansible_collections.gpu.k8s.plugins.module_utils._render.terminal import chain

HEALTHY = "healthy-h100"
LONG_NAMES = ("gpu-{:04}.rack-a.dc1.prod.example.internal", "gpu-node-of-the-training-fleet-{:04}", "{:04}" + "x" * 120)


def shown(*nodes: tuple[str, str], run: Tree | None = None, cluster: Tree | None = None) -> str:
    """Show nodes, each given by its host name and its case."""
    return chain(told([of_case(case, host) for host, case in nodes], run, cluster))


def flat(text: str) -> str:
    return " ".join(text.split())


def renamed(document: Tree, name: str) -> Tree:
    changed = copy.deepcopy(document)
    for number, node in enumerate(changed["nodes"]):
        node["host"] = name.format(number)
    return changed


def widest(text: str) -> int:
    return max(map(len, text.splitlines()))


def test_what_is_fine_is_a_row_and_no_more() -> None:
    lines = shown(("a", HEALTHY), ("b", HEALTHY)).splitlines()
    assert len(lines) == 7
    assert lines[3].split() == ["a", *["pass"] * 6, "usable"]
    assert lines[-1] == "2 of 2 nodes usable, 0 broken, 0 not proven"


def test_a_row_names_the_first_broken_layer_and_what_decides() -> None:
    text = shown(("a", "driver/gpu_lost"), ("b", "preflight/api_away"))
    assert "a    FAIL   -       -      -      -      -      broken: driver DRV004" in text
    assert "b    pass   pass    ?      ?      ?      ?      not proven: PRE002" in text
    assert "-: not tried" in text
    assert "(-" not in shown(("a", HEALTHY))


def test_a_fate_that_nodes_share_is_told_once() -> None:
    text = shown(("a", "preflight/api_away"), ("b", "preflight/api_away"), ("c", HEALTHY))
    assert text.count("PRE002 preflight") == 1
    assert "a, b: not proven (missing: plugin, sched., placed, proven)" in text


def test_different_fates_are_told_apart_and_what_is_broken_comes_first() -> None:
    text = shown(("a", "preflight/api_away"), ("b", "driver/gpu_lost"), ("c", "toolkit/handler_not_loaded"))
    places = [text.index(f"{host}: {said}") for host, said in (("b", "broken"), ("c", "broken"), ("a", "not proven"))]
    assert places == sorted(places)


def test_what_hosts_say_in_words_of_their_own_is_told_of_some() -> None:
    document = told([of_case("driver/gpu_lost", f"gpu-{number:02}") for number in range(30)])
    for number, node in enumerate(document["nodes"]):
        finding = node["checkpoints"][0]["findings"][0]
        finding["message"] = f"GPU {number} is lost."
    text = chain(document)
    assert "DRV004 driver, gpu-00: GPU 0 is lost." in text
    assert "27 more hosts say DRV004 in words of their own" in text
    assert text.count("remedy:") == 1
    assert "gpu-[00-29]: broken" in text


def test_what_lies_above_the_first_broken_layer_is_not_told() -> None:
    both = of_case("driver/gpu_lost", "a") | {"kubernetes": {"error": "away"}}
    text = chain(told([both]))
    assert "DRV004" in text
    assert "PRE002" not in text


def test_a_warning_is_told_of_a_usable_node() -> None:
    text = shown(("a", "smoke_pod/image_asks_for_all_gpus"))
    assert "a: usable" in text
    assert "SMK014" in text


def test_skipped_layers_are_named() -> None:
    document = told([of_case(HEALTHY, "a") | {"chosen": ["driver"]}])
    assert "not proven (skipped: toolkit, plugin, sched., placed, proven)" in flat(chain(document))


def test_that_the_run_ended_early_is_said_first() -> None:
    assert shown(("a", HEALTHY), run={"ended_early": "it was interrupted"}).startswith(
        "THE RUN ENDED EARLY: it was interrupted\n"
    )


def test_a_cluster_that_was_not_asked_is_said_so() -> None:
    assert "cluster: not asked" in shown(("a", HEALTHY), cluster={"context": "", "version": None})
    assert "cluster: c (not reached)" in shown(("a", HEALTHY), cluster={"context": "c", "version": None})


@pytest.mark.parametrize("name", ["{}", *LONG_NAMES])
def test_whatever_is_told_fits_80_columns(name: str) -> None:
    text = chain(renamed(every_document(), name))
    assert widest(text) <= 80
    assert all(node["deciding"]["code"] in text for node in every_document()["nodes"] if node["deciding"])


def test_a_context_may_have_any_length() -> None:
    assert widest(shown(("a", HEALTHY), cluster={"context": "arn:aws:eks:eu-central-1:1:cluster/" + "x" * 99})) <= 80


@pytest.mark.parametrize("name", LONG_NAMES)
def test_no_two_rows_of_a_table_look_alike(name: str) -> None:
    nodes = [(name.format(number), HEALTHY) for number in range(20)]
    rows = [line for line in shown(*nodes).splitlines() if line.endswith(" usable")]
    assert len(set(rows)) == len(nodes)


def test_names_that_cannot_be_cut_have_a_line_of_their_own() -> None:
    names = [f"{'x' * 20}{first}{'y' * 20}{second}{'z' * 20}" for first in "ab" for second in "cd"]
    lines = shown(*((name, "driver/gpu_lost") for name in names)).splitlines()
    assert set(names) < set(lines)


@pytest.mark.parametrize("text", TEXTS)
def test_nothing_that_was_seen_can_steer_the_terminal(text: str) -> None:
    told_to_the_terminal = chain(hostile(every_document(), text))
    assert all(line.isprintable() for line in told_to_the_terminal.splitlines())


def test_of_a_fleet_every_node_that_is_not_fine_has_a_row() -> None:
    """1,000 nodes with three fates."""
    document = told([of_case(case, "one") for case in (HEALTHY, "driver/gpu_lost", "preflight/api_away")])
    fates = [node for node, many in zip(document["nodes"], (900, 60, 40), strict=True) for _number in range(many)]
    document["nodes"] = [node | {"host": f"gpu-{number:04}"} for number, node in enumerate(fates, 1)]
    text = chain(document)
    assert "900 usable: gpu-[0001-0900]" in text
    assert "gpu-[0901-0960]: broken" in text
    table, _blank, details = text.partition("\n\ngpu-[")
    assert table.count("broken: driver DRV004") == 60
    assert table.count("not proven: PRE002") == 40
    assert len(details.splitlines()) < 30


def test_every_usable_node_has_a_row_while_they_are_few() -> None:
    assert shown(*((f"gpu-{n:02}", HEALTHY) for n in range(60))).count(" usable\n") == 60


def test_a_word_is_coloured_for_what_it_stands_for_and_the_columns_stay() -> None:
    document = told([of_case("driver/gpu_lost", "a"), of_case(HEALTHY, "b")])
    coloured = chain(document, lambda word, stands_for: f"<{stands_for}>{word}</>")
    assert "<fail>FAIL</>   <blocked>-</>" in coloured
    assert "a: <broken>broken</>. First broken layer" in coloured
    assert "  <fail>DRV004</> driver" in coloured
    assert coloured.count("<pass>pass</>") == 6
    bare = coloured.replace("</>", "")
    for status in ("pass", "fail", "blocked", "broken", "usable"):
        bare = bare.replace(f"<{status}>", "")
    assert bare == chain(document)


def test_what_two_checkpoints_say_is_told_once() -> None:
    """The quota as its object has it, and as the API says it when it refuses the Pod."""
    whole = of_case("scheduler/quota_of_gpus_used_up", "a")
    whole["smoke_pod"] = of_case("scheduler/refused_by_quota", "a")["smoke_pod"]
    document = told([whole])
    codes = [
        finding["code"] for checkpoint in document["nodes"][0]["checkpoints"] for finding in checkpoint["findings"]
    ]
    assert codes.count("SCH021") > 1
    assert chain(document).count("SCH021 scheduler") == 1


def test_whose_a_layer_is_is_told_of_the_layer_to_be_mended() -> None:
    def owned_by(owner: str, case: str) -> str:
        node = of_case(case, "a")
        node["expect"] = {**node.get("expect", {}), "owner": dict.fromkeys(("driver", "toolkit"), owner)}
        return chain(told([node]))

    text = owned_by("gke", "driver/gpu_lost")
    assert "The driver layer is owned by gke (" in text
    assert "toolkit layer" not in text
    assert "owned by" not in owned_by("gke", HEALTHY)
    assert "owned by" not in owned_by("nobody", "driver/gpu_lost")


def test_permissions_that_only_explain_are_one_line() -> None:
    rows = [
        p.told({"smoke namespace": "default"})
        for p in PERMISSIONS
        if (p.verb, p.resource) in (("list", "events"), ("create", "pods"))
    ]
    text = shown(("a", HEALTHY), cluster={"identity": "jane", "missing_permissions": rows})
    assert "jane may not list events; list events in default. They only explain" in flat(text)
    assert "create" not in text
    assert "1 of 1 nodes usable" in text


def test_nodes_without_a_host_are_one_line() -> None:
    alike = shown(("a", HEALTHY), cluster={"nodes_without_host": [f"gpu-{number:02}" for number in range(20)]})
    assert "GPU Nodes without a host in this run: gpu-[00-19]" in alike
    unlike = shown(("a", HEALTHY), cluster={"nodes_without_host": [f"{letter}-node" for letter in "abcdefghijkl"]})
    assert "h-node and 4 more" in flat(unlike)


def test_what_is_waived_is_told_and_is_no_pass() -> None:
    text = shown(("a", "preflight/waived"), ("b", "preflight/waived"), ("c", HEALTHY))
    assert "a    waived waived  pass   pass   pass   pass   waived" in text
    assert "a, b: waived (driver, toolkit); all that was looked at passes" in text
    assert text.endswith("1 of 3 nodes usable, 0 broken, 0 not proven, 2 waived")
    assert "(waived: not looked at" in text
    assert widest(text) <= 80
    open_ = shown(("a", "smoke_pod/waived_and_deadline"))
    assert "a: not proven (missing: proven; waived: driver, toolkit)" in open_
    assert open_.endswith("0 of 1 nodes usable, 0 broken, 1 not proven")


def test_no_way_to_a_host_is_told_once_with_the_ways_that_there_are() -> None:
    text = flat(shown(("a", "preflight/no_access")))
    assert text.count("PRE012 preflight") == 1
    assert all(f"gpu_k8s_{way}" in text for way in ("host_access: ssh", "host_access: debug_pod", "waive: [driver"))
