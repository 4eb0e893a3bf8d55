# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which lines of a text a message speaks of: those that hold its words, above all words that few lines hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

_WORD = re.compile(r"[A-Za-z0-9](?:[\w.:/+-]*[A-Za-z0-9])?")
_SMALL = re.compile(
    "all|and|are|but|can|cannot|does|for|from|had|has|have|its|may|more|not|now|only|other|than|that|the|their|them|"
    "there|they|this|was|were|what|which|while|will|with|without",
    re.IGNORECASE,
)
_MOST = 5  # a reader looks at a handful
_LEAST = 1.5  # one telling word on two lines, or two plain ones
_NEAR = 0.6  # of what the best line holds


def telling(lines: Sequence[str], said: str, names: Sequence[str] = ()) -> dict[int, int]:
    """Return the lines that tell, each with the place in it where its most telling word is.

    ``names`` are on many lines, and tell nothing: those of the host and the Node. One line alone is what it rests on.
    Where all lines tell as much, none stands out.
    """
    held = {word: places for word in _words(said, names) if (places := dict(_holding(lines, word)))}
    worth = {word: _weight(word) / len(places) for word, places in held.items()}
    scores = dict.fromkeys(range(len(lines)), 0.0)
    for word, places in held.items():
        for line in places:
            scores[line] += worth[word]
    best = max(scores.values(), default=0.0)
    if len(lines) > 1 and (best < _LEAST or min(scores.values()) >= _NEAR * best):
        return {}
    ranked = sorted((line for line, score in scores.items() if score >= _NEAR * best), key=lambda line: -scores[line])
    return {line: _place(line, held, worth) for line in sorted(ranked[:_MOST])}


def _words(said: str, names: Sequence[str]) -> list[str]:
    return [word for word in dict.fromkeys(_WORD.findall(said)) if not _SMALL.fullmatch(word) and word not in names]


def _weight(word: str) -> float:
    """A UUID, path, version, resource or field name tells more than a word of prose or a small number."""
    if word.isdigit():
        return 1.0 if len(word) < 3 else 2.0
    if re.search(r"[0-9._:/-]|[a-z][A-Z]|[A-Z]{2}[a-z]{2}", word):
        return 3.0
    return 1.0 if len(word) > 2 else 0.0


def _holding(lines: Sequence[str], word: str) -> Iterator[tuple[int, int]]:
    """The lines that hold the word by itself, and where. A number is no part of a version or of a longer number."""
    joins = ".-_" if word.isdigit() else ""
    for number, line in enumerate(lines):
        place = line.find(word)
        while place >= 0:
            around = line[place - 1 : place] + line[place + len(word) : place + len(word) + 1]
            if not any(sign.isalnum() or sign in joins for sign in around):
                yield number, place
                break
            place = line.find(word, place + 1)


def _place(line: int, held: Mapping[str, Mapping[int, int]], worth: Mapping[str, float]) -> int:
    words = [word for word, places in held.items() if line in places]
    return held[max(words, key=lambda word: worth[word])][line] if words else 0
