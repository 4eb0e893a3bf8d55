# SPDX-License-Identifier: GPL-3.0-or-later
"""Each sign of production is seen where it is, and not where something only looks like it."""

from __future__ import annotations

import typing as t

import pytest
import yaml
from cases import FOLDER
from install import cluster

from ansible_collections.gpu.k8s.plugins.module_utils._install.signs import MANY_NODES, SIGNS, Rule, found_signs

PAGE = FOLDER.parents[1] / "docs/installing.md"
FILES = {path.stem: yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("install/signs/*.yml"))}


def names(**differs: t.Any) -> list[str]:
    return [sign.name for sign in found_signs(cluster(**differs))]


def test_a_disposable_cluster_has_none() -> None:
    assert names() == []


@pytest.mark.parametrize("name", FILES)
def test_what_is_seen(name: str) -> None:
    told = FILES[name]
    assert told["why"]
    assert told["source"]
    assert names(**{key: told[key] for key in ("context", "server", "lists") if key in told}) == told["says"]


def test_every_sign_has_a_file() -> None:
    said = {name for told in FILES.values() for name in told["says"]}
    assert said | {"size"} == {rule.name for rule in SIGNS}


def test_many_nodes() -> None:
    def of(count: int) -> dict[str, t.Any]:
        return {"nodes": {"items": [{"metadata": {"name": f"n{number}"}, "spec": {}} for number in range(count)]}}

    assert names(lists=of(MANY_NODES)) == []
    assert names(lists=of(MANY_NODES + 1)) == ["size"]


@pytest.mark.parametrize("name", sorted({name for rule in SIGNS for name in rule.needs}))
def test_what_could_not_be_read_is_a_sign(name: str) -> None:
    signs = found_signs(cluster(lists={name: {"items": None, "error": "HTTP 403: forbidden"}}))
    assert {sign.name for sign in signs} == {rule.name for rule in SIGNS if name in rule.needs}
    assert all("can't be ruled out (HTTP 403: forbidden)" in sign.seen for sign in signs)
    without = cluster()
    assert found_signs(type(without)(**{**vars(without), "lists": {}}))[0].seen.endswith("(it was not asked for)")


def test_a_long_list_is_cut() -> None:
    lists = {"deployments": {"items": [{"metadata": {"name": f"web{n}", "namespace": "shop"}} for n in range(9)]}}
    (sign,) = found_signs(cluster(lists=lists))
    assert sign.seen == "Deployment shop/web0, Deployment shop/web1, Deployment shop/web2 and 6 more"


@pytest.mark.parametrize("rule", SIGNS, ids=lambda rule: rule.name)
def test_the_page_tells_it(rule: Rule) -> None:
    assert f"| {rule.name} | {rule.meaning} |" in PAGE.read_text()
