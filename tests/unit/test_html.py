# SPDX-License-Identifier: GPL-3.0-or-later
"""report.html as a text: whole, safe, and asking for nothing. tests/browser opens it."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
import typing as t
from html.parser import HTMLParser

import pytest
from cases import cases
from fleet import NODES, fleet
from hostile import FIELDS, TEXTS, hostile

from ansible_collections.gpu.k8s.plugins.module_utils._render.html import page

VOID = {"meta", "input", "rect"}
LOADS = {"src", "srcset", "data", "action", "formaction", "poster", "background", "xlink:href", "ping", "manifest"}


class Page(HTMLParser):
    """What a browser would make of the page, as far as the tests ask."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, list[str]] = {}
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("style", "script", "title"):
            self.inside.setdefault(self.open[-1], []).append(data)
        else:
            self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def everything() -> dict[str, t.Any]:
    """A fleet in which every case has a node."""
    return fleet({f"gpu-{number:03}": name for number, name in enumerate(cases())} | NODES)


@pytest.fixture(scope="module")
def document() -> dict[str, t.Any]:
    return everything()


@pytest.fixture(scope="module")
def read(document: dict[str, t.Any]) -> Page:
    return Page(page(document))


def test_it_is_well_formed(read: Page) -> None:
    assert read.open == []
    assert len(read.inside["script"]) == len(read.inside["style"]) == 1
    ids = [attributes["id"] for _tag, attributes in read.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_every_node_finding_and_proof_is_there(document: dict[str, t.Any], read: Page) -> None:
    assert len(read.attributes("details")) > len(document["nodes"])
    ids = {attributes.get("id") for attributes in read.attributes("div")}
    flat = read.text.replace("`", "")
    for node in document["nodes"]:
        assert f"host={node['host']}" in ids
        for checkpoint in node["checkpoints"]:
            assert " ".join((checkpoint["seen"] or "").split()) in flat
            for finding in checkpoint["findings"]:
                for said in ("code", "title"):
                    assert finding[said] in flat


def test_what_is_said_and_what_decided_is_there_word_for_word() -> None:
    told = fleet()
    read = Page(page(told))
    node = told["nodes"][1]
    finding = node["deciding"]
    assert finding["message"] in read.text
    marked = [line for e in node["excerpts"].values() for n, line in enumerate(e["lines"]) if n in e["decides"]]
    assert marked
    assert len(read.attributes("mark")) >= len(marked)


def test_it_asks_for_nothing(read: Page) -> None:
    for tag, attributes in read.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "audio", "video", "image")
        assert not LOADS & set(attributes)
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert (attributes.get("href") or "#").startswith("#")
    for text in (read.inside["style"][0], read.inside["script"][0]):
        assert not re.search(r"https?:|url\(|@import|fetch\(|import\(|XMLHttp|innerHTML|insertAdjacent|\beval\b", text)


def test_the_policy_knows_this_style_and_this_script_alone(read: Page) -> None:
    policy = next(a["content"] for a in read.attributes("meta") if a.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in (policy or "").split(";"))
    assert rules.pop("default-src") == rules.pop("base-uri") == rules.pop("form-action") == "'none'"
    for name in ("style", "script"):
        digest = hashlib.sha256(read.inside[name][0].encode()).digest()
        assert rules.pop(f"{name}-src") == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert not rules


def test_the_same_document_makes_the_same_bytes() -> None:
    told = fleet()
    assert page(told) == page(json.loads(json.dumps(told)))
    before = copy.deepcopy(told)
    page(told)
    assert told == before


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_text_stays_text(text: str) -> None:
    plain, attacked = Page(page(fleet())), Page(page(hostile(fleet(), text)))
    # Not one element or attribute more than where all is well, wherever the text stands.
    assert shape(attacked) == shape(plain)
    assert attacked.inside["script"] == plain.inside["script"]


def shape(read: Page) -> list[tuple[str, list[str]]]:
    return [(tag, sorted(attributes)) for tag, attributes in read.elements]


def test_what_would_not_be_seen_is_named() -> None:
    text = page(hostile(fleet(), "a\u202eb\x1b[31mc\x00d\re"))
    assert not re.search("[\u202e\x1b\x00\r]", text)
    assert "a⌈U+202E⌋b⌈U+001B⌋[31mc⌈U+0000⌋d⌈U+000D⌋e" in text


@pytest.mark.parametrize("field", FIELDS)
def test_what_is_not_known_is_no_error(field: str) -> None:
    told = fleet()
    part = told[field] if field in told else told["nodes"][0][field]
    for name in part if isinstance(part, dict) else ():
        part[name] = None
    assert Page(page(told)).open == []


def test_an_early_end_is_in_the_head() -> None:
    head = page(fleet(ended_early="no host answered")).split("<main>")[0]
    assert "This run ended early: no host answered." in head
    assert "ended early" not in page(fleet())


def test_the_title_and_the_head_say_the_conclusion() -> None:
    read = Page(page(fleet()))
    assert read.inside["title"] == ["broken: 1 of 3 nodes usable in training-1"]
    assert "1 of 3 nodes usable, 1 broken, 1 not proven" in read.text


def test_without_a_node_nothing_is_proven() -> None:
    text = Page(page(fleet({}))).text
    assert "There is no node in this run, so nothing is proven." in text
    assert "not proven 0 of 0 nodes usable" in text


def test_notes_of_the_cluster_are_told() -> None:
    told = fleet()
    told["cluster"] |= {
        "nodes_without_host": ["gpu-08", "gpu-09"],
        "missing_permissions": [
            {
                "verb": "list",
                "group": "apps",
                "resource": "daemonsets",
                "subresource": "",
                "scope": "cluster",
                "namespace": "default",
                "needed_for": "what hands out GPUs, and who owns it",
                "required": False,
            }
        ],
    }
    text = Page(page(told)).text
    assert "GPU Nodes without a host in this run: 2 gpu-08, gpu-09" in text
    assert "list daemonsets.apps : what hands out GPUs, and who owns it" in text


def test_a_finding_that_nodes_share_is_told_once_with_all_of_them() -> None:
    told = fleet({f"gpu-{n:02}": "driver/gpu_lost" for n in range(12)})
    found = page(told).split('<ul class="causes">')[1].split("</ul>")[0]
    assert found.count("<li") == 1
    assert "12 nodes:" in found
    assert "and 4 more" in found
    assert "Also on 11 other nodes." in page(told)


def test_what_is_waived_has_a_word_a_share_and_a_filter_of_its_own() -> None:
    read = Page(page(fleet({"gpu-01": "preflight/waived", "gpu-02": "healthy-h100"})))
    assert "1 of 2 nodes usable, 0 broken, 0 not proven, 1 waived" in read.text
    assert "Waived: checkpoints 1, 2. All that was looked at passes." in read.text
    assert {a["data-conclusion"] for a in read.attributes("details") if "data-conclusion" in a} == {"waived", "usable"}
    chips = [a["data-conclusion"] for a in read.attributes("button") if "data-conclusion" in a]
    assert chips == ["", "usable", "waived", "broken", "not proven"]
    shares = {a["class"]: (a.get("x"), a["width"]) for a in read.attributes("rect")}
    assert shares["waived"] == ("1", "1")
    without = Page(page(fleet()))
    assert "waived" not in [a.get("data-conclusion") for a in without.attributes("button")]
