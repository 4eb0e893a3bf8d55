# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where originals are in a text.

A name is looked for as a whole: what stands before and after it is no letter and no digit. A name that is a mere word
is looked for more strictly, and one that is a common word of the tools not at all: it is replaced where it is known to
be that name, since nothing else tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from .rules import PatternRule
from .words import is_common, is_of_tools

Span = tuple[int, int, str, str]
"""Where it begins and ends, its kind and the original."""

_PIECE = re.compile(r"[^\W_]+")
_BEFORE_WORD = re.compile(r"(^|[\s\"'`=(,:@\[]|//)$")
_AFTER_WORD = re.compile(r"($|[\s\"'`),;:/_\]]|\.(\s|$))")


def by_pattern(text: str, rules: Sequence[PatternRule]) -> Iterator[Span]:
    """Find what is known by its form."""
    lowered = text.lower()
    for rule in rules:
        if not rule.hints or any(hint in lowered for hint in rule.hints):
            for match in rule.pattern.finditer(text):
                group = match.lastindex or 0
                if rule.accept(match[group]):
                    original = match[group].lower() if rule.folded else match[group]
                    yield match.start(group), match.end(group), rule.kind, original


class Names:
    """Finds names that are known. The time that it takes does not depend on how many they are."""

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        self._names: dict[str, tuple[str, str]] = {}
        self._words: set[str] = set()
        self._lengths: dict[str, list[int]] = {}
        for kind, name in names:
            self._add(kind, name)
        for lengths in self._lengths.values():
            lengths.sort(reverse=True)

    def _add(self, kind: str, name: str) -> None:
        piece = _PIECE.match(name)
        if not piece or is_common(name):
            return
        for spelling in dict.fromkeys((name, name.lower())):
            self._names.setdefault(spelling, (kind, name))
        if not any(letter.isdigit() for letter in name) and (piece[0] == name or is_of_tools(name)):
            self._words.add(name.lower())
        lengths = self._lengths.setdefault(piece[0].lower(), [])
        if len(name) not in lengths:
            lengths.append(len(name))

    def find(self, text: str, words: bool = True) -> Iterator[Span]:
        """Find the names in a text, the longest where there are several. Without ``words``, no mere words."""
        lowered = text.lower()
        if len(lowered) != len(text):
            lowered = text
        end = 0
        for piece in _PIECE.finditer(lowered):
            if piece.start() >= end and piece[0] in self._lengths:
                for length in self._lengths[piece[0]]:
                    span = self._at(text, lowered, piece.start(), length)
                    if span and (words or span[3].lower() not in self._words):
                        yield span
                        end = span[1]
                        break

    def _at(self, text: str, lowered: str, start: int, length: int) -> Span | None:
        end = start + length
        name = self._names.get(text[start:end]) or self._names.get(lowered[start:end])
        if name is None or _PIECE.match(text[end : end + 1]):
            return None
        if lowered[start:end] in self._words and not (
            _BEFORE_WORD.search(text[max(0, start - 2) : start]) and _AFTER_WORD.match(text[end : end + 2])
        ):
            return None
        return start, end, *name


def merged(spans: Iterable[Span]) -> list[Span]:
    """Put spans that overlap together: what the longest of them stands for takes the place of them all."""
    result: list[Span] = []
    longest = 0
    for start, end, kind, original in sorted(spans, key=lambda span: (span[0], -span[1])):
        if result and start < result[-1][1]:
            before = result[-1]
            name = (kind, original) if end - start > longest else before[2:]
            longest = max(longest, end - start)
            result[-1] = (before[0], max(before[1], end), *name)
        else:
            result.append((start, end, kind, original))
            longest = end - start
    return result
