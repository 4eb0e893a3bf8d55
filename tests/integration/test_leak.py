# SPDX-License-Identifier: GPL-3.0-or-later
"""A hand-over of the lab, with canaries in the cluster (motley.yml): none of them leaves the site."""

from __future__ import annotations

import json
import re
import typing as t
from pathlib import Path

import pytest
from conftest import LAB_RUN, ROOT, Playbook, Run

from ansible_collections.gpu.k8s.plugins.module_utils._redact.redact import RULES, redact
from ansible_collections.gpu.k8s.plugins.plugin_utils._evidence_files import read_evidence

THEIRS = (ROOT / "tests/integration/motley.yml").read_text().partition("apiVersion")[2]
CANARIES = {
    *(
        word
        for word in re.findall(r"[\w.-]*(?:canary|77)[\w.-]*\w", THEIRS, re.IGNORECASE)
        if len(word) > len("canary")
    ),
    *("52:54:00:ca:7a:77", "fd12:3456:789a::77", "eyJhbGciOiJub25lIn0.eyJjYW5hcnkiOiI3In0.Y2FuYXJ5c2lnbmF0dXJl"),
    "canary-nodelabel-6",
}


def files_of(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def names_of_the_lab(kubectl: t.Callable[..., str], clear: str) -> set[str]:
    """What the cluster and its kubeconfig call themselves, and what has the form of an identifier."""
    nodes = json.loads((ROOT / "build/test/motley-nodes.json").read_text())["items"]  # as they were then
    config = json.loads(kubectl("config", "view", "--minify", "--output", "json"))
    names = {node["metadata"]["name"] for node in nodes}
    names |= {address["address"] for node in nodes for address in node["status"]["addresses"]}
    names |= {node["status"]["nodeInfo"][key] for node in nodes for key in ("machineID", "systemUUID", "bootID")}
    names |= {
        config["current-context"],
        config["clusters"][0]["cluster"]["server"].partition("://")[2].partition(":")[0],
    }
    return names | set(re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", clear))


def test_nothing_of_the_site_is_handed_over(motley: Run, kubectl: t.Callable[..., str]) -> None:
    assert f"hand-over: {motley.folder / 'handover/handover.md'}" in motley.output
    clear = "".join(files_of(motley.folder / "evidence").values())
    originals = {*CANARIES, *names_of_the_lab(kubectl, clear)}
    assert len(originals) > len(CANARIES) + 3 * 4
    assert {original for original in originals if original not in clear} == set()
    handover = files_of(motley.folder / "handover")
    assert len(handover) == 1 + 3 + 4
    left = {(name, original) for name, text in handover.items() for original in originals if found(original, text)}
    assert left == set()
    assert not any(str(LAB_RUN) in text for text in handover.values())


def found(original: str, text: str) -> bool:
    """Whether it is there, in any capitals, and not as a part of another word."""
    return re.search(rf"(?<![a-z0-9]){re.escape(original.lower())}(?![a-z0-9])", text.lower()) is not None


LEAKS = ["namespace", "pod", "uuid", "machine_id", "jwt", "assigned_secret", "login"]


@pytest.mark.parametrize("rule", LEAKS)
def test_without_a_rule_something_leaks(motley: Run, rule: str) -> None:
    """So the search above would find it. Each of the rules is taken away in tests/unit/test_redact_rules.py."""
    run, cluster, evidence = read_evidence(motley.folder)
    without = json.dumps(redact(run, cluster, evidence, {}, [one for one in RULES if one.name != rule]).evidence)
    whole = json.dumps(redact(run, cluster, evidence, {}).evidence)
    words = set(re.findall(r"[\w.@:/-]{6,}", json.dumps(evidence)))
    assert [word for word in words if found(word, without) and not found(word, whole)]


def test_the_hand_over_is_judged_alike(motley: Run, play: Playbook, tmp_path: Path) -> None:
    again = play(
        playbook="playbooks/replay.yml",
        inventory="localhost,",
        gpu_k8s_evidence_folder=str(motley.folder / "handover/evidence"),
        gpu_k8s_report_folder=str(tmp_path),
    )
    assert sorted(again.conclusions.values()) == ["broken", "not proven", "usable"]
    assert (tmp_path / "report.json").read_bytes() == (motley.folder / "handover/report.json").read_bytes()
    assert not (tmp_path / "handover").exists()
