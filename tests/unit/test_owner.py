# SPDX-License-Identifier: GPL-3.0-or-later
"""Who owns a layer is known by the Node and the DaemonSets; without a sign it is nobody, and never a guess."""

from __future__ import annotations

import typing as t

import pytest
import yaml
from cases import FOLDER, base

from ansible_collections.gpu.k8s.plugins.module_utils._judge.owner import OWNED, OWNERS, owners

FILES = {path.stem: yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("preflight/owners/*.yml"))}
INPUTS = FOLDER.parents[1] / "roles/preflight/vars/main.yml"


def judged(told: dict[str, t.Any], **given: str) -> dict[str, str]:
    objects = {"daemon_sets": {"items": told["daemon_sets"], "error": None}}
    evidence = {"expect": {"owner": given}, "kubernetes": {"node": told["node"], "objects": objects}}
    return {layer: owner.owner for layer, owner in owners(evidence).items()}


@pytest.mark.parametrize("name", FILES)
def test_the_owners_of_a_platform(name: str) -> None:
    told = FILES[name]
    assert told["why"]
    assert told["source"]
    assert judged(told) == told["says"]


def test_every_owner_has_a_file() -> None:
    said = {owner for told in FILES.values() for owner in told["says"].values()}
    assert said == {*OWNERS, "unknown"}


def test_the_user_knows_better() -> None:
    assert judged(FILES["gke"], driver="nobody") == {"driver": "nobody", "toolkit": "gke", "device_plugin": "gke"}


@pytest.mark.parametrize("name", FILES)
def test_what_is_missing_is_no_sign(name: str) -> None:
    """Take away each part of the Node in turn: no other platform may come out of it, and nothing crashes."""
    whole = FILES[name]
    for part in ("labels", "providerID", "nodeInfo", "spec", "status"):
        node = {key: dict(value or {}) for key, value in whole["node"].items()}
        node.pop(part, None)
        for inner in node.values():
            inner.pop(part, None)
        told = judged({"node": node, "daemon_sets": whole["daemon_sets"]})
        assert set(told.values()) <= {*whole["says"].values(), name.partition("_")[0], "nobody"}, part


def test_a_node_that_is_not_known_has_no_owner() -> None:
    assert {owner.owner for owner in owners({"expect": {}, "kubernetes": None}).values()} == {"unknown"}


def test_a_healthy_base_is_nobodys() -> None:
    assert {owner.owner for owner in owners(base("healthy-h100")).values()} == {"nobody"}


def test_the_input_takes_what_the_judge_knows() -> None:
    given = yaml.safe_load(INPUTS.read_text())["__preflight_inputs"]["gpu_k8s_owner"]["options"]
    assert tuple(given) == OWNED
    assert {tuple(option["choices"]) for option in given.values()} == {OWNERS}
