# SPDX-License-Identifier: GPL-3.0-or-later
"""The hand-over's folder: what is in it, what never is, and when it is not written."""

from __future__ import annotations

import json
import stat
import typing as t
from pathlib import Path

import pytest
from cases import base, cases, evidence

from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._redact.redact import Redacted
from ansible_collections.gpu.k8s.plugins.module_utils._render.document import document
from ansible_collections.gpu.k8s.plugins.plugin_utils import _handover
from ansible_collections.gpu.k8s.plugins.plugin_utils._evidence_files import read_evidence
from ansible_collections.gpu.k8s.plugins.plugin_utils._handover import NotHandedOverError, write_handover

NODES = [base("healthy-h100"), evidence(cases()["driver/gpu_lost"]) | {"host": "node2"}]
RUN = {"id": "1", "started": "2026-11-30T11:22:00+00:00", "finished": "2026-11-30T11:23:00+00:00"}
RUN |= {"hosts": ["node1", "node2"], "pattern": "gpu_nodes", "versions": {}, "check_mode": False, "ended_early": None}
RUN |= {"by": "jane@desk-7", "chosen": NODES[0]["chosen"]}
CLUSTER = {"context": "acme-prod", "server": "https://10.213.0.1:6443", "version": "v1.37.2", "uid": None}
CLUSTER |= {"identity": "jane", "error": None, "nodes_without_host": [], "missing_permissions": []}


def hand_over(folder: Path, redacting: bool = True) -> Path:
    return write_handover(folder, RUN, CLUSTER, NODES, [judge_node(node) for node in NODES], redacting)


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_what_is_in_it(tmp_path: Path) -> None:
    assert hand_over(tmp_path) == tmp_path / "handover/handover.md"
    assert files(tmp_path / "handover") == [
        "evidence/cluster.json",
        "evidence/node-host-1.json",
        "evidence/node-host-2.json",
        "handover.md",
        "junit.xml",
        "report.html",
        "report.json",
    ]
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*") if path.is_file()} == {0o600}
    assert json.loads((tmp_path / "pseudonyms.json").read_text())["host"] == {
        "node1": "host-1",
        "node2": "host-2",
        "desk-7": "host-3",
    }


def test_its_evidence_leads_to_its_report(tmp_path: Path) -> None:
    hand_over(tmp_path)
    run, cluster, nodes = read_evidence(tmp_path / "handover/evidence")
    told = document(run, cluster, nodes, [judge_node(node) for node in nodes])
    assert json.loads((tmp_path / "handover/report.json").read_text()) == json.loads(json.dumps(told))
    assert told["conclusion"] == "broken"
    assert told["run"]["redacted"] is True


def test_with_real_names_it_says_so(tmp_path: Path) -> None:
    page = hand_over(tmp_path, redacting=False)
    assert "node-node1.json" in {path.name for path in (page.parent / "evidence").iterdir()}
    assert "Not redacted" in page.read_text()
    assert not (tmp_path / "pseudonyms.json").exists()


def test_nothing_of_an_earlier_one_stays(tmp_path: Path) -> None:
    hand_over(tmp_path, redacting=False)
    hand_over(tmp_path)
    assert not list((tmp_path / "handover").rglob("*node1*"))


def spoiled(monkeypatch: pytest.MonkeyPatch, spoil: t.Callable[[Redacted], None]) -> None:
    """Let the redaction go wrong."""
    redact = _handover.redact

    def wrong(*given: t.Any) -> Redacted:
        redacted = redact(*given)
        spoil(redacted)
        return redacted

    monkeypatch.setattr(_handover, "redact", wrong)


def test_other_verdicts_are_not_handed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoiled(monkeypatch, lambda redacted: redacted.evidence[1]["driver"]["records"].clear())
    with pytest.raises(NotHandedOverError, match="the same verdicts"):
        hand_over(tmp_path)
    assert files(tmp_path) == []


def test_an_original_that_is_left_is_not_handed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoiled(monkeypatch, lambda redacted: redacted.evidence[0].update(more="seen on node2"))
    with pytest.raises(NotHandedOverError, match=r"originals of the kind host$"):
        hand_over(tmp_path)
    assert files(tmp_path) == []


def test_two_hosts_are_never_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoiled(monkeypatch, lambda redacted: redacted.evidence[1].update(host="host-1"))
    with pytest.raises(NotHandedOverError, match="the same pseudonym"):
        hand_over(tmp_path)


def test_pseudonyms_that_cannot_be_read_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "pseudonyms.json").write_text('{"host": ')
    with pytest.raises(NotHandedOverError, match="move it away"):
        hand_over(tmp_path)
    assert files(tmp_path) == ["pseudonyms.json"]
