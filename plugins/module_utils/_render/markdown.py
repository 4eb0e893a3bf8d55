# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Text of nodes and clusters in Markdown (CommonMark with GitHub's tables): it is shown, and never becomes markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# Control characters, those that turn the direction of a line, and lone surrogates.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_MARKUP = re.compile(r"[\\`*\[\]<>|~&#!$]|(?<![a-zA-Z0-9])_|_(?![a-zA-Z0-9])")


def plain(text: object) -> str:
    """Return text on one line that stands in a paragraph or a table's cell as it is."""
    return _escaped(_one_line(text))


def prose(text: object) -> str:
    """Return the same, with what stands in backticks as code: commands in messages and remedies."""
    parts = _one_line(text).split("`")
    if len(parts) % 2 == 0:  # one without its partner
        return plain(text)
    return "".join(code(part) if place % 2 and part else _escaped(part) for place, part in enumerate(parts))


def code(text: object) -> str:
    """Return text on one line as code. With a bar, which would end a table's cell, it is no code but stays text."""
    line = _one_line(text)
    if "|" in line:
        return _escaped(line)
    ticks = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def codes(texts: Sequence[object], at_most: int = 12) -> str:
    """Return a list of names; of a long one its beginning, and how many more there are."""
    more = f" and {len(texts) - at_most} more" if len(texts) > at_most else ""
    return ", ".join(code(text) for text in texts[:at_most]) + more


def fenced(lines: Iterable[str], language: str = "text") -> list[str]:
    """Return a block of code whose fence no line of it can close."""
    shown = [_UNSEEN.sub("\ufffd", line.replace("\n", " ")) for line in lines]
    fence = "`" * max([3, *(_longest_run(line) + 1 for line in shown)])
    return [f"{fence}{language}", *shown, fence]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table of cells that are Markdown already."""
    return [_row(head), _row(["---"] * len(head)), *(_row(row) for row in rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(line: str) -> str:
    return _MARKUP.sub(lambda found: f"\\{found[0]}", line)


def _one_line(text: object) -> str:
    return _UNSEEN.sub("\ufffd", " ".join(str(text).split()))


def _longest_run(line: str) -> int:
    return max((len(run) for run in re.findall("`+", line)), default=0)
