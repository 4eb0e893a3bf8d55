# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report folder on the controller: what is in it, and how it is written. Private to the collection."""

from __future__ import annotations

import json
import os
import typing as t
from collections.abc import Iterable
from pathlib import Path

from ansible_collections.gpu.k8s.plugins.module_utils._chain import one_word

REPORTS = ("report.json", "report.html", "junit.xml", "metrics.prom")
MISSING_PERMISSIONS = "missing-permissions.yml"
CONCLUSION = "conclusion"
"""The file with the one word: usable, broken, not_proven, waived or bad_input."""

EVIDENCE = "evidence"
JOURNAL = "evidence/.journal"
"""What the tasks of a run registered, until the report is written (_journal.py)."""

HANDOVER = "handover"
PSEUDONYMS = "pseudonyms.json"
"""Which name in the hand-over stands for which of the site's. It stays, so that a name keeps its pseudonym."""

INSTALLATION = ("install.json", "install.md")
"""What an installation came to. It stays when the run that verifies it begins."""

_OF_A_RUN = (
    *REPORTS,
    MISSING_PERMISSIONS,
    "wind-up.log",
    f"{EVIDENCE}/*.json",
    f"{JOURNAL}/*.json",
)
_OF_A_HANDOVER = (f"{HANDOVER}/*.*", f"{HANDOVER}/{EVIDENCE}/*.json")


def put_away(folder: Path) -> None:
    """Remove the last run's files: what it found must not be taken for what this run finds, should it end early."""
    _remove(folder, _OF_A_RUN)
    put_away_handover(folder)


def put_away_handover(folder: Path) -> None:
    """Remove the last hand-over, which may hold hosts that this one does not."""
    _remove(folder, _OF_A_HANDOVER)


def put_away_installation(folder: Path) -> None:
    """Remove what the last installation came to, before another one begins."""
    _remove(folder, INSTALLATION)


def _remove(folder: Path, patterns: Iterable[str]) -> None:
    for pattern in patterns:
        for old in folder.glob(pattern):
            old.unlink(missing_ok=True)


def say(folder: Path, conclusion: str) -> None:
    """Write the one word. ``conclusion`` as the document has it: ``not proven`` becomes ``not_proven``."""
    write(folder / CONCLUSION, one_word(conclusion) + "\n")


def write_json(path: Path, content: t.Any) -> None:
    write(path, as_json(content))


def as_json(content: t.Any) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def write(path: Path, text: str, mode: int = 0o600) -> None:
    """Write as a whole or not at all, by default readable by its owner only."""
    for folder in reversed(path.parents):
        folder.mkdir(mode=0o700, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
        os.fchmod(file.fileno(), mode)
    part.replace(path)
