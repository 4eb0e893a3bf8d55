# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator's values on every platform: what the image or somebody else brings stays off."""

from __future__ import annotations

import typing as t

import pytest
import yaml
from cases import FOLDER
from install import wish

from ansible_collections.gpu.k8s.plugins.module_utils._install.operator_values import operator_values
from ansible_collections.gpu.k8s.plugins.module_utils._install.presence import Ground, Presence
from ansible_collections.gpu.k8s.plugins.module_utils._judge.owner import OWNERS, owners, platform_of

FILES = {path.stem: yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("install/platforms/*.yml"))}


def ground(told: dict[str, t.Any], host: str = "host") -> Ground:
    """Return what the file says is there, with the owners that the rules find."""
    objects = {"daemon_sets": {"items": told["daemon_sets"], "error": None}}
    kubernetes = {"node": told["node"], "objects": objects}
    evidence = {"expect": {"owner": told.get("given", {})}, "kubernetes": kubernetes}
    owned = owners(evidence)
    return Ground(
        host=host,
        node=told["node"]["metadata"]["name"],
        platform=platform_of(evidence),
        labels=told["node"]["metadata"]["labels"],
        present={name: Presence(state, "seen so", owned[name]) for name, state in told["present"].items()},
        obstacles=(),
        devices=(0x2330,),
        bound=(),
    )


@pytest.mark.parametrize("name", FILES)
def test_the_values_of_a_platform(name: str) -> None:
    told = FILES[name]
    assert told["why"]
    assert told["source"]
    values, refusals = operator_values(wish(way="operator"), [ground(told)])
    if "refused" in told:
        assert any(told["refused"] in refusal.saw for refusal in refusals)
        assert values == {}
    else:
        assert refusals == []
        assert values == told["says"]


@pytest.mark.parametrize("name", FILES)
def test_nothing_that_works_is_brought_again(name: str) -> None:
    """Whatever the platform, the operator's part is off where something works, and on only where nothing is there."""
    told = FILES[name]
    values, _refusals = operator_values(wish(way="operator"), [ground(told)])
    for component, switch in (("driver", "driver"), ("toolkit", "toolkit"), ("device_plugin", "devicePlugin")):
        if values:
            assert values[switch]["enabled"] is (told["present"][component] == "absent")


def test_every_owner_of_a_platform_has_a_file() -> None:
    platforms = {ground(told).platform for told in FILES.values()} - {None}
    assert platforms == set(OWNERS) - {"gpu-operator", "nobody"}


def test_hosts_that_need_different_values() -> None:
    grounds = [ground(FILES["bare"], "new"), ground(FILES["bare_with_driver"], "old")]
    values, (refusal,) = operator_values(wish(way="operator"), grounds)
    assert values == {}
    assert refusal.saw == "its hosts differ: driver on for new; driver off for old"
    assert operator_values(wish(way="operator"), grounds[:1] * 2)[1] == []


def test_the_kernel_module_is_named_where_the_user_names_it() -> None:
    values, _refusals = operator_values(wish(way="operator", driver_module="open"), [ground(FILES["bare"])])
    assert values["driver"] == {"enabled": True, "kernelModuleType": "open"}
    values, _refusals = operator_values(wish(way="operator", driver_module="open"), [ground(FILES["bare_with_driver"])])
    assert values["driver"] == {"enabled": False}
