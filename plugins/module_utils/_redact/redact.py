# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Redact the evidence of a run: collect the originals, name them, and write every text anew."""

from __future__ import annotations

import typing as t
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .pseudonyms import UNNAMED, Known, Pseudonyms
from .rules import KEY, FieldRule, PatternRule, Rule
from .rules_fields import FIELD_RULES
from .rules_patterns import PATTERN_RULES
from .text import Names, Span, by_pattern, merged

Tree = dict[str, t.Any]
Path = tuple[str, ...]

RULES: tuple[Rule, ...] = (*FIELD_RULES, *PATTERN_RULES)

_KEYS_OF_PEOPLE = ("labels", "annotations", "nodeSelector", "matchLabels")
"""Mappings in which any word may be a key of people's own; elsewhere a key that is an identifier is a field's name."""


@dataclass(frozen=True)
class Redacted:
    """The evidence as it may leave the site.

    Its run says ``redacted``, so that it is not redacted again. ``pseudonyms`` are those of this run and of the runs
    before; ``replaced`` says how many originals of each kind this run has; ``names`` finds originals in a text.
    """

    run: Tree
    cluster: Tree
    evidence: list[Tree]
    pseudonyms: dict[str, dict[str, str]]
    replaced: Mapping[str, int]
    names: Names = field(compare=False)


def redact(
    run: Mapping[str, t.Any],
    cluster: Mapping[str, t.Any],
    evidence: Sequence[Mapping[str, t.Any]],
    known: Known,
    rules: Sequence[Rule] = RULES,
) -> Redacted:
    """Return copies in which every original has its pseudonym. ``known`` are the pseudonyms of earlier runs."""
    trees: list[Mapping[str, t.Any]] = [{"run": run, "cluster": cluster}, *evidence]
    fields = _Fields([rule for rule in rules if isinstance(rule, FieldRule)])
    patterns = [rule for rule in rules if isinstance(rule, PatternRule)]

    matches: dict[str, list[Span]] = {}
    originals: dict[tuple[str, str], None] = {}

    def collect(path: Path, key: str, text: str) -> None:
        originals.update(dict.fromkeys(fields.originals(path, key, text)))
        if text not in matches:
            matches[text] = list(by_pattern(text, patterns))

    for tree in trees:
        _visit(tree, collect)
    for spans in matches.values():
        originals.update(dict.fromkeys((kind, original) for _start, _end, kind, original in spans))

    pseudonyms = Pseudonyms(known, {original for _kind, original in originals})
    for kind, original in originals:
        pseudonyms.of(kind, original)
    earlier = ((kind, original) for kind, named in known.items() for original in named)
    names = Names([*((kind, original) for kind, original in originals if kind not in UNNAMED), *earlier])
    writer = _Writer(fields, matches, names, pseudonyms)
    about, *rewritten = (writer.rewritten(tree) for tree in trees)
    kinds = {original: kind for kind, original in reversed(originals)}
    return Redacted(
        run={**about["run"], "redacted": True},
        cluster=about["cluster"],
        evidence=rewritten,
        pseudonyms=pseudonyms.by_kind,
        replaced=dict(sorted(Counter(kinds.values()).items())),
        names=names,
    )


class _Fields:
    """Which rules hold for a field."""

    def __init__(self, rules: Sequence[FieldRule]) -> None:
        self._by_last: dict[str, list[tuple[Path, FieldRule]]] = defaultdict(list)
        for rule in rules:
            for path in rule.fields:
                *way, last = path.split(" ")
                self._by_last[f"{way.pop()} *" if last == "*" else last].append((tuple(way), rule))

        self._by_path: dict[Path, tuple[FieldRule, ...]] = {}

    def originals(self, path: Path, key: str, text: str) -> Iterator[tuple[str, str]]:
        """Yield the names in the text of a field, with their kinds."""
        if path not in self._by_path:
            self._by_path[path] = tuple(self._rules_of(path))
        for rule in self._by_path[path]:
            yield from rule.originals(key, text)

    def _rules_of(self, path: Path) -> Iterator[FieldRule]:
        for way, rule in self._by_last.get(path[-1], ()):
            if path[len(path) - 1 - len(way) : -1] == way:
                yield rule
        if len(path) > 1 and path[-1] != KEY:
            yield from (rule for _way, rule in self._by_last.get(f"{path[-2]} *", ()))


class _Writer:
    """Writes trees anew, with pseudonyms in the place of originals."""

    def __init__(
        self, fields: _Fields, matches: Mapping[str, list[Span]], names: Names, pseudonyms: Pseudonyms
    ) -> None:
        self._fields = fields
        self._matches = matches
        self._names = names
        self._pseudonyms = pseudonyms
        self._written: dict[str, str] = {}

    def rewritten(self, value: t.Any, path: Path = (), key: str = "") -> t.Any:
        if isinstance(value, str):
            return self._field(path, key, value)
        if isinstance(value, Mapping):
            named = str(value.get("key") or "")
            return {
                self._key(path, str(field)): self.rewritten(content, (*path, str(field)), named or str(field))
                for field, content in value.items()
            }
        if isinstance(value, list):
            return [self.rewritten(content, path, key) for content in value]
        return value

    def _key(self, path: Path, field: str) -> str:
        if _is_of_people(path, field):
            return self._field((*path, KEY), field, field)
        return field

    def _field(self, path: Path, key: str, text: str) -> str:
        """A name that is all of a field is replaced even where it is a common word."""
        for kind, original in self._fields.originals(path, key, text):
            if original == text:
                return self._pseudonyms.of(kind, original)
        if text not in self._written:
            self._written[text] = self._text(text)
        return self._written[text]

    def _text(self, text: str) -> str:
        parts, end = [], 0
        for start, stop, kind, original in merged([*self._matches.get(text, ()), *self._names.find(text)]):
            parts += [text[end:start], self._pseudonyms.of(kind, original)]
            end = stop
        return "".join((*parts, text[end:]))


def _visit(value: t.Any, collect: Callable[[Path, str, str], None], path: Path = (), key: str = "") -> None:
    """Call ``collect`` with every text, the fields that lead to it, and the key that it belongs to."""
    if isinstance(value, str):
        collect(path, key, value)
    elif isinstance(value, Mapping):
        named = str(value.get("key") or "")
        for field, content in value.items():
            if _is_of_people(path, str(field)):
                collect((*path, KEY), str(field), str(field))
            if isinstance(content, str | Mapping | list):
                _visit(content, collect, (*path, str(field)), named or str(field))
    elif isinstance(value, list):
        for content in value:
            _visit(content, collect, path, key)


def _is_of_people(path: Path, field: str) -> bool:
    return bool(path) and (path[-1] in _KEYS_OF_PEOPLE or not field.isidentifier())
