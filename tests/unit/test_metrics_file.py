# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_k8s_metrics_file: a copy that node_exporter may read, and that costs no verdict when it can't be written."""

from __future__ import annotations

from pathlib import Path

import pytest
from documents import of_case, told

from ansible_collections.gpu.k8s.plugins.action import report
from ansible_collections.gpu.k8s.plugins.module_utils._render.prometheus import metrics


@pytest.fixture
def warnings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    said: list[str] = []
    monkeypatch.setattr(report.display, "warning", said.append)
    return said


def test_it_is_whole_and_readable_by_all(tmp_path: Path, warnings: list[str]) -> None:
    path = tmp_path / "gpu-k8s.prom"
    path.write_text("of an earlier run")
    document = told([of_case("healthy-h100", "a")])
    report._publish_metrics(path, document)
    assert path.read_text() == metrics(document)
    assert path.stat().st_mode & 0o777 == 0o644
    assert [*tmp_path.iterdir()] == [path]
    assert warnings == []


def test_a_folder_is_not_made(tmp_path: Path, warnings: list[str]) -> None:
    """It would be closed to node_exporter, and a typing error would go unseen."""
    report._publish_metrics(tmp_path / "textfile/gpu-k8s.prom", told([]))
    assert [*tmp_path.iterdir()] == []
    assert "gpu_k8s_metrics_file" in warnings[0]
    assert f"there is no folder {tmp_path / 'textfile'}" in warnings[0]


def test_what_can_not_be_written_is_a_warning(tmp_path: Path, warnings: list[str]) -> None:
    (tmp_path / "gpu-k8s.prom").mkdir()
    report._publish_metrics(tmp_path / "gpu-k8s.prom", told([]))
    assert "was not written" in warnings[0]
