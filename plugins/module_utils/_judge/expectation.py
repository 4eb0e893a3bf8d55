# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The user's own expectations of each node: queries over its evidence, with what they should find.

They can make a layer fail or stay unknown; they never make anything pass.
"""

from __future__ import annotations

import json
import re
import typing as t
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

try:
    import jmespath
    from jmespath.exceptions import JMESPathError
except ImportError:
    jmespath = None
    JMESPathError = ValueError

from .._catalogue import found
from .._chain import LAYERS, Finding, Judgement, Layer
from .._evidence.kubernetes_quantity import quantity

Expectation = Mapping[str, t.Any]

_COMPARISONS = ("equals", "at_least", "matches")
_KEYS = {"name", "query", "layer", *_COMPARISONS}
# Which layer a query is about, by the part of the evidence that it names first.
_ABOUT: Mapping[str, Layer] = {
    "driver": "driver",
    "toolkit": "toolkit",
    "device_plugin": "device_plugin",
    "kubernetes": "scheduler",
    "smoke_pod": "smoke_pod",
    "control_pod": "smoke_pod",
}
_SHORT = 100


def check_expectations(own: object) -> list[str]:
    """Return what is wrong with a list of expectations, in words, before anything is looked at."""
    if not isinstance(own, list):
        return ["it is no list"]
    if own and jmespath is None:
        return ["the Python library jmespath is needed for it"]
    return [problem for number, one in enumerate(own, start=1) for problem in _check(one, number)]


def _check(one: object, number: int) -> Iterator[str]:
    if not isinstance(one, dict) or not one.get("name") or not isinstance(one["name"], str):
        yield f"entry {number} has no name"
        return
    name = one["name"]
    unknown = sorted(map(str, set(one) - _KEYS))
    if unknown:
        yield f"{name}: {', '.join(unknown)} means nothing here ({', '.join(sorted(_KEYS))} do)"
    given = [key for key in _COMPARISONS if one.get(key) is not None]
    if len(given) != 1:
        yield f"{name}: it needs exactly one of {', '.join(_COMPARISONS)}, and has {len(given)}"
    yield from (f"{name}: {problem}" for problem in (*_query(one), *_wanted(one), *_layer(one)))


def _query(one: Expectation) -> Iterator[str]:
    query = one.get("query")
    if not isinstance(query, str) or not query:
        yield "it has no query"
        return
    try:
        jmespath.compile(query)
    except JMESPathError as error:
        yield f"its query is no JMESPath: {_one_line(error)}"


def _wanted(one: Expectation) -> Iterator[str]:
    if one.get("at_least") is not None and _number(one["at_least"]) is None:
        yield f"at_least is no number: {one['at_least']}"
    if one.get("matches") is not None:
        try:
            re.compile(str(one["matches"]))
        except re.error as error:
            yield f"matches is no regular expression: {error}"


def _layer(one: Expectation) -> Iterator[str]:
    layer = one.get("layer")
    if layer is not None and layer not in LAYERS:
        yield f"layer {layer} is none of {', '.join(LAYERS)}"
    elif layer is None and isinstance(one.get("query"), str) and layer_of(one) is None:
        yield "its query names no part of the evidence that belongs to a layer; say which with layer"


def layer_of(one: Expectation) -> Layer | None:
    """Return the layer that an expectation counts for: the one that it names, else the one that its query is about."""
    if one.get("layer") in LAYERS:
        return t.cast(Layer, one["layer"])
    part = _part(str(one.get("query") or ""))
    return _ABOUT[part] if part else None


def _part(query: str) -> str | None:
    """Return the part of the evidence that a query names first."""
    return next((word for word in re.findall(r"\w+", query) if word in _ABOUT), None)


def _pointers(query: str) -> list[str]:
    """Return the path of names that a query begins with, as a pointer into the evidence."""
    part = _part(query)
    path = re.search(rf'\b{part}((?:\.(?:\w+|"[^"]+"))*)', query) if part else None
    if part is None or path is None:
        return []
    names = [quoted or name for quoted, name in re.findall(r'\.(?:"([^"]+)"|(\w+))', path[1])]
    of_a_record = names[:1] == ["records"] and len(names) > 1
    return [".".join([part, names[1]] if of_a_record else [part, *names])]


def hold_against(judgements: Iterable[Judgement], evidence: Mapping[str, t.Any], layer: Layer) -> Iterator[Judgement]:
    """Add what the user's expectations find to the last checkpoint of their layer. One that is skipped stays so."""
    given = list(judgements)
    own = [one for one in evidence["expect"].get("own") or () if layer_of(one) == layer]
    findings = tuple(finding for one in own for finding in look(one, evidence, layer))
    yield from given[:-1]
    for judgement in given[-1:]:
        may = judgement.skipped is None
        yield replace(judgement, findings=(*judgement.findings, *findings)) if may else judgement


def look(one: Expectation, evidence: Mapping[str, t.Any], layer: Layer) -> Iterator[Finding]:
    """Look at one expectation: nothing when it is met (EXP001, EXP002)."""
    name, query = str(one.get("name")), str(one.get("query"))
    pointers = _pointers(query)
    seen, problem = _search(query, evidence)
    met: bool | None = None
    if problem is None:
        met, problem = _is_met(one, seen)
    if met is None:
        yield replace(found("EXP002", *pointers, name=name, query=query, problem=problem), layer=layer)
    elif not met:
        told = {"name": name, "query": query, "wanted": _in_words(one), "seen": _shown(seen)}
        yield replace(found("EXP001", *pointers, **told), layer=layer)


def _search(query: str, evidence: Mapping[str, t.Any]) -> tuple[t.Any, str | None]:
    """Return what a query finds, and why it can't be compared."""
    if jmespath is None:
        return None, "can't be worked out without the Python library jmespath"
    try:
        seen = jmespath.search(query, evidence)
    except JMESPathError as error:
        return None, f"can't be worked out: {_one_line(error)}"
    return seen, None


def _is_met(one: Expectation, seen: t.Any) -> tuple[bool | None, str | None]:
    """Whether what was found is what was wanted; None, with the reason, where that can't be said."""
    if one.get("equals") is not None and seen is not None and _equal(one["equals"], seen):
        return True, None
    if seen is None or seen in ("", [], {}):
        return None, "finds nothing in this node's evidence"
    if one.get("equals") is not None:
        return False, None
    if one.get("at_least") is not None:
        least, number = _number(one["at_least"]), _number(seen)
        if least is None or number is None:
            return None, f"finds no number, but {_shown(seen)}"
        return number >= least, None
    texts = seen if isinstance(seen, list) else [seen]
    if any(isinstance(text, dict | list) for text in texts):
        return None, f"finds no text, but {_shown(seen)}"
    return any(re.search(str(one.get("matches")), _text(text)) for text in texts), None


def _equal(wanted: t.Any, seen: t.Any) -> bool:
    """Text and numbers are compared as they are written: the API writes numbers of GPUs as text."""
    if isinstance(wanted, dict | list) or isinstance(seen, dict | list):
        return bool(wanted == seen)
    return _text(wanted) == _text(seen)


def _number(value: t.Any) -> t.Any:
    return None if isinstance(value, bool | dict | list) or value is None else quantity(value)


def _text(value: t.Any) -> str:
    return (value if isinstance(value, str) else json.dumps(value)).strip()


def _in_words(one: Expectation) -> str:
    for key, words in zip(_COMPARISONS, ("equal", "be at least", "match"), strict=True):
        if one.get(key) is not None:
            return f"{words} {_shown(one[key])}"
    return "be compared with something"


def _shown(value: t.Any) -> str:
    text = _text(value)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}..."


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
