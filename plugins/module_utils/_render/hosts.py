# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many host names in little room: folded into ranges, or cut so that no two look alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_FOLD = 3
"""From so many names on, those that differ in one number are written as one."""

_ITEM = 60
"""Characters after which a range is ended and another begun, so that a line can be broken between them."""


def folded(names: Sequence[str]) -> list[str]:
    """Return the names in few words: of those that differ in one number only ``gpu-[001-040,043]``."""
    alike: dict[tuple[str, ...], list[list[str]]] = {}
    for name in dict.fromkeys(names):
        pieces = re.split(r"(\d+)", name)
        alike.setdefault(tuple(pieces[::2]), []).append(pieces)
    return [item for members in alike.values() for item in _folded(members)]


def _folded(members: Sequence[list[str]]) -> Iterator[str]:
    """``members``: names of one pattern, each in pieces of which every second is a number."""
    if len(members) < _FOLD:
        yield from map("".join, members)
        return
    at = max(range(1, len(members[0]), 2), key=lambda n: len({pieces[n] for pieces in members}))
    rows: dict[tuple[str, str], list[str]] = {}
    for pieces in members:
        rows.setdefault(("".join(pieces[:at]), "".join(pieces[at + 1 :])), []).append(pieces[at])
    for (before, after), numbers in rows.items():
        if len(numbers) < _FOLD:
            yield from (f"{before}{number}{after}" for number in numbers)
        else:
            yield from (f"{before}[{some}]{after}" for some in _joined(_ranges(numbers)))


def _ranges(numbers: Iterable[str]) -> list[str]:
    """``01``, ``02``, ``03``, ``07`` as ``01-03``, ``07``."""
    runs: list[list[str]] = []
    for number in sorted(numbers, key=lambda digits: (int(digits), len(digits))):
        if runs and str(int(runs[-1][-1]) + 1).zfill(len(runs[-1][-1])) == number:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(run) for run in runs]


def _joined(ranges: Sequence[str]) -> Iterator[str]:
    some = ""
    for one in ranges:
        if some and len(some) + len(one) > _ITEM:
            yield some
            some = one
        else:
            some = f"{some},{one}" if some else one
    yield some


def cut(names: Sequence[str], width: int) -> list[str] | None:
    """Return the names, those longer than ``width`` with ``…`` for a part; None if two would then look alike."""
    long = [name for name in names if len(name) > width]
    for before, after, without in _cuts(width, _common_end(long)):
        labels = [name if len(name) <= width else _cut(name, before, after, without) for name in names]
        if len(set(labels)) == len(set(names)):
            return labels
    return None


def _common_end(names: Sequence[str]) -> int:
    """How many characters all names end in alike, such as those of their domain."""
    end, shortest = 0, min(map(len, names), default=0)
    while end < shortest and len({name[-end - 1 :] for name in names}) == 1:
        end += 1
    return end


def _cuts(width: int, end: int) -> Iterator[tuple[int, int, int]]:
    """How many characters to keep of either side, and how many of a common end to leave out; the plainest first."""
    yield width - 1, 0, 0
    for without in dict.fromkeys((0, end)):
        room = width - (2 if without else 1)
        yield from ((room - after, after, without) for after in range(4, room - 2))


def _cut(name: str, before: int, after: int, without: int) -> str:
    stem = name[: len(name) - without]
    return name[:before] + "…" + (stem[-after:] if after else "") + ("…" if without else "")
