# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as one HTML file that asks for nothing but itself: roles/report/files/page.html, page.css and page.js.

All of it is in the page's own elements, so that it can be read without the script, which filters, opens and copies.
Evidence is text that anybody on a node may have written: the template escapes it, and the policy runs no other script.
"""

from __future__ import annotations

import base64
import hashlib
import re
import typing as t
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

try:
    from jinja2 import ChainableUndefined, Environment, FileSystemLoader
    from markupsafe import Markup
except ImportError:
    pass  # ansible-core brings them

from .._chain import LAYERS, decides
from .hosts import folded
from .moment import moment, seconds_of

_FILES = Path(__file__).resolve().parents[3] / "roles" / "report" / "files"

_COLUMNS = ("driver", "toolkit", "plugin", "scheduler", "placed", "proven")
_MARKS = {"fail": "FAIL", "unknown": "unknown", "skip": "skipped"}
_SYMBOLS = {
    "usable": "\N{CHECK MARK}",
    "waived": "\N{WHITE CIRCLE}",
    "broken": "\N{MULTIPLICATION X}",
    "not proven": "?",
}
_GRAVITY = {"fail": 0, "unknown": 1, "busy": 1, "warning": 2}
_ORDER = ("preflight", *LAYERS)
# Control characters, and those that change the direction of what follows: a log could show what it does not say.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")

Tree = Mapping[str, t.Any]


@dataclass(frozen=True)
class Cause:
    """A finding that decides about nodes, or warns of them. ``remedy`` is None where it differs from node to node."""

    code: str
    layer: str
    status: str
    title: str
    remedy: str | None
    hosts: tuple[str, ...]


def page(document: Tree) -> str:
    """Return the page; the same document makes the same bytes."""
    style, script = ((_FILES / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    nodes, took = document["nodes"], seconds_of(document["run"])
    rendered: str = (
        _environment()
        .get_template("page.html")
        .render(
            document,
            style=style,
            script=script,
            policy=_policy(style, script),
            columns=_COLUMNS,
            marks=_MARKS,
            symbols=_SYMBOLS,
            causes=_causes(nodes),
            layers=Counter(filter(None, map(_layer, nodes))),
            codes=Counter(code for node in nodes for code in _codes(node)),
            layer_of=_layer,
            codes_of=_codes,
            words_of=_words,
            folded=folded,
            started=moment(document["run"].get("started")),
            seconds=None if took is None else round(took),
        )
    )
    return rendered


def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_FILES),
        autoescape=True,
        finalize=_visible,
        undefined=ChainableUndefined,  # saved evidence of a run may be older than a field
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _policy(style: str, script: str) -> str:
    """The Content-Security-Policy: this style and this script, and nothing else from anywhere."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _visible(value: t.Any) -> t.Any:
    """What the template prints: None is nothing, and a character that would not be seen is named."""
    if value is None:
        return ""
    if isinstance(value, str) and not isinstance(value, Markup):
        return _UNSEEN.sub(lambda found: f"\N{LEFT CEILING}U+{ord(found[0]):04X}\N{RIGHT FLOOR}", value)
    return value


def _findings(node: Tree) -> Iterator[Tree]:
    for checkpoint in node["checkpoints"]:
        yield from checkpoint["findings"]


def _codes(node: Tree) -> list[str]:
    return sorted({finding["code"] for finding in _findings(node)})


def _decides(node: Tree, finding: Tree) -> bool:
    return decides(finding["status"], finding["layer"], node["conclusion"], node["first_broken_layer"])


def _causes(nodes: Sequence[Tree]) -> list[Cause]:
    """What decides, each once for all nodes: the gravest first, then what concerns most of them."""
    said: dict[str, list[tuple[str, Tree]]] = {}
    for node in nodes:
        told = {f["code"]: f for f in _findings(node) if f["status"] == "warning" or _decides(node, f)}
        for code, finding in told.items():
            said.setdefault(code, []).append((node["host"], finding))
    causes = [_cause([host for host, _f in found], [f for _host, f in found]) for found in said.values()]
    return sorted(causes, key=_rank)


def _rank(cause: Cause) -> tuple[int, int, int, str]:
    return (_GRAVITY[cause.status], -len(cause.hosts), _ORDER.index(cause.layer), cause.code)


def _cause(hosts: Sequence[str], findings: Sequence[Tree]) -> Cause:
    first = findings[0]
    alike = len({finding["remedy"] for finding in findings}) == 1
    return Cause(
        code=first["code"],
        layer=first["layer"],
        status=first["status"],
        title=first["title"],
        remedy=first["remedy"] if alike else None,
        hosts=tuple(hosts),
    )


def _layer(node: Tree) -> str | None:
    """Where the chain ends for this node; None where it does not."""
    if node["conclusion"] in ("usable", "waived"):
        return None
    named = node["first_broken_layer"] or (node["deciding"] or {}).get("layer")
    return named or next((c["layer"] for c in node["checkpoints"] if c["status"] not in ("pass", "waived")), None)


def _words(node: Tree) -> str:
    """What the text of the filter is looked for in."""
    facts = node["facts"]
    told = (node["host"], node["node"], node["conclusion"], _layer(node), *_codes(node))
    seen = (facts.get("driver"), facts.get("kernel"), facts.get("os"), *(facts.get("models") or ()))
    return " ".join(str(word) for word in (*told, *seen) if word).lower()
