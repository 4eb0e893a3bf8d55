# SPDX-License-Identifier: GPL-3.0-or-later
"""handover.md: whole without context, the same for the same run, and no text of a node becomes markup or an order."""

from __future__ import annotations

import json
import re

import pytest
import yaml
from cases import FOLDER, Tree, base, cases
from documents import every_document, of_case, told
from hostile import TEXTS, hostile

from ansible_collections.gpu.k8s.plugins.module_utils._access import PERMISSIONS
from ansible_collections.gpu.k8s.plugins.module_utils._render.handover import page
from ansible_collections.gpu.k8s.plugins.module_utils._render.handover_stops import stops
from ansible_collections.gpu.k8s.plugins.module_utils._render.markdown import fenced

REDACTED = {"redacted": True, "replaced": {"host": 3}, "kept": ["Versions stay."], "not_redacted": ["Free text may."]}
CLEAR: Tree = {"redacted": False, "replaced": {}, "kept": [], "not_redacted": []}
HEALTHY = "healthy-h100"


def shown(*names: str, run: Tree | None = None, cluster: Tree | None = None) -> str:
    return page(fleet_of(*names, run=run, cluster=cluster), CLEAR)


def fleet_of(*names: str, run: Tree | None = None, cluster: Tree | None = None) -> Tree:
    return told([of_case(name, f"gpu-{number}") for number, name in enumerate(names)], run, cluster)


def section(text: str, title: str) -> str:
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


# ---- what it says


def test_the_head_says_who_asked_what_and_when() -> None:
    head = shown(HEALTHY, "driver/gpu_lost").partition("\n## ")[0]
    assert head.startswith("# Hand-over: can Pods get NVIDIA GPUs? Broken\n")
    for words in (
        "**broken**: of 2 nodes 1 usable, 1 broken, 0 not proven",
        "`5d0cbe45`, 2026-03-02 08:15 UTC to 2026-03-02 08:15 UTC",
        "`ops@admin-1`",
        "`training-1`, Kubernetes v1.37.2",
        "gpu.k8s 0.1.0, ansible-core 2.19.14",
    ):
        assert words in head


def test_every_node_and_status_is_in_the_table() -> None:
    document = every_document()
    rows = section(page(document, CLEAR), "Every node").strip().splitlines()[2:]
    assert len(rows) == len(document["nodes"])
    for node, row in zip(document["nodes"], rows, strict=True):
        cells = [cell.strip(" *") for cell in row.strip("|").split(" | ")]
        assert cells[0] == f"`{node['host']}`"
        assert cells[4:10] == [checkpoint["status"] for checkpoint in node["checkpoints"]]
        assert cells[10] == node["conclusion"]


def test_every_finding_that_decides_is_told_with_its_remedy() -> None:
    text = section(page(every_document(), CLEAR), "What is not fine")
    for node in every_document()["nodes"]:
        if node["deciding"]:
            assert f"**{node['deciding']['code']}** ({node['deciding']['layer']}, " in text


def test_a_fault_comes_with_its_remedy_its_owner_and_the_lines_that_decide() -> None:
    fault = section(shown("driver/gpu_lost"), "What is not fine")
    assert "**DRV004** (driver, fail): A GPU is lost to the driver" in fault
    assert "* Remedy: Drain the node and power-cycle it" in fault
    assert "* Owner of the driver layer: whoever runs the node" in fault
    assert "```text\n$ nvidia-smi -L   (exit code 15)\n" in fault


def test_hosts_that_share_a_fate_are_told_of_once() -> None:
    fault = section(shown("driver/gpu_lost", HEALTHY, "driver/gpu_lost", "preflight/api_away"), "What is not fine")
    assert fault.count("### ") == 2
    assert "### 1. Broken at the driver layer: `gpu-0`, `gpu-2`" in fault
    assert "### 2. Not proven: `gpu-3`" in fault


def test_what_differs_between_hosts_of_one_fate_is_kept_apart() -> None:
    document = fleet_of("driver/gpu_lost", "driver/gpu_lost")
    for number, node in enumerate(document["nodes"]):
        node["checkpoints"][0]["findings"][0]["message"] = f"lost GPU {number}"
    fault = section(page(document, CLEAR), "What is not fine")
    assert "* `gpu-0`: lost GPU 0\n* `gpu-1`: lost GPU 1\n" in fault


def test_what_lies_above_the_first_broken_layer_is_not_told() -> None:
    both = of_case("driver/gpu_lost", "a") | {"kubernetes": {"error": "away"}}
    assert "PRE002" not in page(told([both]), CLEAR)


def test_warnings_of_a_usable_node_are_told() -> None:
    assert "**SMK014**" in section(shown("smoke_pod/image_asks_for_all_gpus"), "What is not fine")


def test_nothing_is_made_up_for_a_healthy_fleet() -> None:
    text = shown(HEALTHY, HEALTHY)
    assert section(text, "What is not fine").strip() == "Nothing was found."
    assert [*stops(fleet_of(HEALTHY, HEALTHY))] == []
    assert "2 of 2" in section(text, "What the passes rest on")


def test_what_was_not_tested() -> None:
    missing = section(shown(HEALTHY, "driver/gpu_lost"), "What was not tested")
    assert "* Checkpoints 2, 3, 4, 5, 6 (*blocked*) of `gpu-1`" in missing
    assert "* 3 of 4 GPUs (`gpu-0`), since no smoke Pod was given them" in missing
    assert "CUDA" in missing


def test_gpus_that_were_all_tried_are_not_called_untested() -> None:
    for name in cases():
        if not name.startswith("smoke_pod/every_gpu"):
            continue
        document = fleet_of(name)
        if document["conclusion"] == "usable":
            last = document["nodes"][0]["checkpoints"][5]["seen"]
            left = sum(uuid not in last for uuid in document["nodes"][0]["facts"]["uuids"])
            assert (f"* {left} of " in page(document, CLEAR)) == bool(left)


def test_the_way_back_names_the_mended_nodes_and_then_all() -> None:
    back = section(shown(HEALTHY, "driver/gpu_lost"), "What to send back")
    command = "ansible-playbook gpu.k8s.verify -i INVENTORY -e gpu_k8s_context=training-1"
    assert f"    {command} --limit gpu-1,localhost\n    {command}\n" in back
    assert "Only `usable` closes" in back


def test_commands_are_safe_to_copy() -> None:
    evil = "x'; rm -rf ~; '"
    command = section(
        page(told([of_case("driver/gpu_lost", evil), base(HEALTHY)], {"pattern": evil}), CLEAR), "What to send back"
    )
    assert """--limit 'x'"'"'; rm -rf ~; '"'"',localhost'""" in command
    assert """-e 'gpu_k8s_hosts=x'"'"'; rm -rf ~; '"'"''""" in command


def test_a_run_without_nodes_is_a_page_as_well() -> None:
    text = page(told([]), CLEAR)
    assert "? Not proven\n" in text
    assert "**Conclude nothing.**" in text


# ---- stop conditions

GKE = {"expect": {**base(HEALTHY)["expect"], "owner": {"driver": "gke"}}}


def test_what_a_vendor_owns_is_not_mended_by_hand() -> None:
    document = told([of_case("driver/gpu_lost", "a") | GKE, of_case("toolkit/handler_not_loaded", "b") | GKE])
    owned = [stop for stop in stops(document) if "by hand" in stop]
    assert len(owned) == 1
    assert "the driver layer of `a` by hand.** It is owned by gke" in owned[0]


def test_what_is_not_usable_is_not_put_into_service() -> None:
    found = [stop for stop in stops(fleet_of(HEALTHY, "driver/gpu_lost", "preflight/api_away")) if "service" in stop]
    assert [re.findall("`(.*?)`", stop) for stop in found] == [["gpu-1"], ["gpu-2"]]


def test_one_of_many_is_mended_first() -> None:
    assert not any("at once" in stop for stop in stops(fleet_of("driver/gpu_lost", "toolkit/handler_not_loaded")))
    shared = [stop for stop in stops(fleet_of("driver/gpu_lost", "driver/gpu_lost")) if "at once" in stop]
    assert "all 2 nodes with DRV004 (driver) at once:** `gpu-0`, `gpu-1`" in shared[0]


def test_layers_above_are_left_alone() -> None:
    found = [stop for stop in stops(fleet_of("toolkit/handler_not_loaded", HEALTHY)) if "above" in stop]
    assert "above the toolkit layer** of `gpu-0`" in found[0]


def test_work_on_the_node_is_not_interrupted_unasked() -> None:
    assert any("drain, reset or reboot `gpu-0`" in stop for stop in stops(fleet_of("driver/gpu_lost", HEALTHY)))
    assert not any("reboot" in stop for stop in stops(fleet_of("preflight/api_away")))


def test_pods_of_others_are_left_alone() -> None:
    assert any("Do not delete the Pods" in stop and "`gpu-0`" in stop for stop in stops(fleet_of("scheduler/busy")))


def test_what_is_wrong_with_the_run_comes_first() -> None:
    row = next(p for p in PERMISSIONS if p.required).told({"smoke namespace": "default"})
    document = fleet_of(
        "driver/gpu_lost",
        run={"ended_early": "it was interrupted", "check_mode": True},
        cluster={"nodes_without_host": ["gpu-9"], "missing_permissions": [row]},
    )
    first = [*stops(document)][:4]
    assert "it was interrupted" in first[0]
    assert "check mode" in first[1]
    assert f"`{row['verb']} {row['resource']}`" in first[2]
    assert "`gpu-9`" in first[3]
    assert "**The run came to no end of its own:** it was interrupted." in page(document, CLEAR)


# ---- redaction


def test_what_was_redacted_is_told() -> None:
    text = page(fleet_of(HEALTHY), REDACTED)
    assert "are pseudonyms" in text.partition("\n## ")[0]
    assert "| host | 3 |" in section(text, "Redaction")
    assert "Not redacted:\n\n* Free text may." in text
    assert "Use the names of this page in the answer" in text


def test_real_names_are_said_to_be_real_on_the_first_line() -> None:
    text = page(fleet_of(HEALTHY), CLEAR)
    assert text.splitlines()[2].startswith("**Not redacted: this page and its files carry the real names")
    assert "pseudonym" not in text.replace("pseudonyms.json", "")


# ---- the form


def test_the_same_run_gives_the_same_page() -> None:
    document = every_document()
    assert page(document, REDACTED) == page(json.loads(json.dumps(document)), REDACTED)


BLOCK = re.compile(r"^ *(`{3,})[a-z]+\n.*?^ *\1$", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")


def bare(text: str) -> str:
    """Return the page without its code and without what is escaped: what remains may be markup."""
    return SPAN.sub("CODE", re.sub(r"\\[!-/:-@\[-`{-~]", "", BLOCK.sub("CODE", text)))


def structure(text: str) -> list[str]:
    """What each line begins as, and how many bars it has, by which a table's row has its cells."""
    return [f"{re.match(' *(#+|[*>|~-]|[0-9]+[.)])?', line)[0]} {line.count('|')}" for line in bare(text).splitlines()]


MARKDOWN = yaml.safe_load((FOLDER / "hostile_markdown.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", [*TEXTS, *MARKDOWN])
def test_no_text_of_a_node_becomes_markup(text: str) -> None:
    document = fleet_of("driver/gpu_lost", HEALTHY, "preflight/api_away", "scheduler/quota_of_gpus_used_up")
    attacked, calm = (page(hostile(document, words), hostile(REDACTED, words)) for words in (text, "calm"))
    assert structure(attacked) == structure(calm)
    assert set(re.findall(r"[<`]|!\[|\]\((?!#)|~~|&", bare(attacked))) == set()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", attacked)


def test_no_line_of_evidence_closes_its_block() -> None:
    lines = ["~~~", "```", "  `````", "a ```` b", "```text"]
    assert fenced(lines) == ["``````text", *lines, "``````"]
    assert fenced([]) == ["```text", "```"]


def test_what_is_waived_is_named_and_nothing_concluded_about_it() -> None:
    text = shown("preflight/waived", HEALTHY)
    assert "of 2 nodes 1 usable, 0 broken, 0 not proven, 1 waived" in text
    assert "**Conclude nothing about driver and toolkit of `gpu-0`:** waived" in text
    assert "Checkpoints 1, 2 (*waived*) of `gpu-0`" in text
    assert "Do not put into service" not in text
