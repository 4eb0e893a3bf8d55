# SPDX-License-Identifier: GPL-3.0-or-later
"""A verdict document in which every text that a host, a cluster or an inventory could have written is an attack."""

from __future__ import annotations

import typing as t
from pathlib import Path

import yaml

FILE = Path(__file__).parents[1] / "evidence/hostile_texts.yml"
TEXTS: list[str] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
FIELDS = ("run", "cluster", "facts", "owners")

Document = dict[str, t.Any]
# What the collection writes itself, and chooses from words of its own.
_OURS = {
    "status", "conclusion", "layer", "first_broken_layer", "code", "number", "chosen", "proof", "evidence", "scope",
    "started", "finished",
}  # fmt: skip


def hostile(document: Document, text: str) -> Document:
    """Return the document with ``text`` at the end of all its texts."""
    changed: Document = _spoilt(document, text)
    return changed


def _spoilt(value: t.Any, text: str) -> t.Any:
    if isinstance(value, dict):
        return {key: inner if key in _OURS else _spoilt(inner, text) for key, inner in value.items()}
    if isinstance(value, list):
        return [_spoilt(inner, text) for inner in value]
    return value + text if isinstance(value, str) else value
