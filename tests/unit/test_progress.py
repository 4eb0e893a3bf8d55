# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said while a run goes on: a line a layer, and who is not fine, once."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.gpu.k8s.plugins.module_utils._render import progress

FINE = {"status": "pass", "findings": [], "look": {"error": None}}
LOST = FINE | {"status": "fail", "findings": [{"code": "DRV004", "status": "fail"}]}
AWAY = {
    "status": "unknown",
    "findings": [{"code": "DRV001", "status": "unknown"}],
    "look": {"error": {"kind": "unreachable"}},
}
WAIVED = FINE | {"status": "waived", "look": {"error": {"kind": "waived"}}}
NO_ACCESS = {
    "status": "unknown",
    "findings": [{"code": "PRE012", "status": "unknown"}],
    "look": {"error": {"kind": "no_access"}},
}
BLOCKED = {"status": "unknown", "findings": [], "look": {"error": {"kind": "blocked"}}}


def test_a_layer_is_said_when_all_hosts_have_answered() -> None:
    layers = progress.HostLayers(2)
    assert layers.answered("driver", "a", FINE) == []
    assert layers.going_on() == "driver 1 of 2 hosts"
    assert layers.answered("toolkit", "a", FINE) == []
    assert layers.going_on() == "driver 1 of 2, toolkit 1 of 2 hosts"
    assert layers.answered("driver", "b", FINE) == ["driver         2 of 2 hosts"]
    assert layers.going_on() == "toolkit 1 of 2 hosts"
    assert layers.ended() == ["toolkit        1 of 2 hosts"]
    assert layers.ended() == []


def test_who_is_not_fine_is_named_at_once() -> None:
    layers = progress.HostLayers(2)
    assert layers.answered("driver", "a", LOST) == ["  a: FAIL DRV004 A GPU is lost to the driver"]
    assert layers.answered("driver", "b", FINE) == ["driver         2 of 2 hosts, 1 not fine"]


@pytest.mark.parametrize("below", [AWAY, LOST])
def test_a_host_that_is_not_asked_again_is_named_once(below: dict[str, t.Any]) -> None:
    layers = progress.HostLayers(1)
    assert len(layers.answered("driver", "a", below)) == 2
    above = BLOCKED if below is LOST else AWAY
    assert layers.answered("toolkit", "a", above) == ["toolkit        1 of 1 hosts, 1 not asked"]
    assert layers.answered("device_plugin", "a", above) == ["device_plugin  1 of 1 hosts, 1 not asked"]


def test_of_a_fleet_in_trouble_some_are_named() -> None:
    layers = progress.HostLayers(1000)
    lines = [line for number in range(1000) for line in layers.answered("driver", f"gpu-{number}", LOST)]
    assert len(lines) == 21
    assert lines[-1] == "driver         1000 of 1000 hosts, 1000 not fine"


def test_hosts_whose_number_is_not_known_are_counted_to_the_end() -> None:
    layers = progress.HostLayers()
    assert layers.answered("driver", "a", FINE) == []
    assert layers.ended() == ["driver         1 hosts"]


def test_what_was_read_is_counted() -> None:
    lists = {"nodes": {"items": [1, 2]}, "pods": {"items": [1]}, "namespace": {"items": [1]}}
    assert progress.read("scheduler", {"error": None, "lists": lists}) == ["scheduler      2 Nodes and 1 Pods read"]
    refused = {"nodes": {"items": None, "error": "forbidden"}}
    assert progress.read("scheduler", {"error": None, "lists": refused}) == ["scheduler      nothing read"]
    assert "could not be read" in progress.read("scheduler", {"error": "no answer"})[0]


def test_hosts_without_a_smoke_pod_are_named_by_the_reason() -> None:
    reasons = {f"gpu-{number}": "it is broken" for number in range(3)} | {"cpu": "it is busy"}
    assert progress.not_tried({"not_tried": reasons}) == [
        "smoke_pod      not tried on gpu-[0-2]: it is broken",
        "smoke_pod      not tried on cpu: it is busy",
    ]


def test_smoke_pods_that_failed_are_named() -> None:
    bad = {"host": "b", "passed": False, "status": "fail", "findings": [{"code": "SMK007", "status": "fail"}]}
    lines = progress.tried({"verdicts": [{"host": "a", "passed": True}, bad]})
    assert lines[0].startswith("  b: FAIL SMK007 ")
    assert lines[-1] == "smoke_pod      1 of 2 hosts passed"


def test_nothing_that_a_host_is_called_can_steer_the_terminal() -> None:
    assert "\x1b" not in progress.not_fine("a\x1b[2J", LOST)[0]


def test_what_was_not_to_be_looked_at_is_counted() -> None:
    """The kubelet's devices are not judged on the host: without a way to it they were merely not asked for."""
    layers = progress.HostLayers(1)
    assert layers.answered("driver", "a", WAIVED) == ["driver         1 of 1 hosts, 1 waived"]
    devices = {"look": NO_ACCESS["look"]}
    assert layers.answered("device_plugin", "a", devices) == ["device_plugin  1 of 1 hosts, 1 not asked"]


def test_a_host_without_a_way_is_named_once() -> None:
    layers = progress.HostLayers(1)
    assert layers.answered("driver", "a", NO_ACCESS)[0] == "  a: ? PRE012 There is no way to the host"
    assert layers.answered("toolkit", "a", NO_ACCESS) == ["toolkit        1 of 1 hosts, 1 not asked"]
