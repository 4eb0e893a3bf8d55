# SPDX-License-Identifier: GPL-3.0-or-later
"""What has just started is looked at again until it has settled, and no longer."""

from __future__ import annotations

import datetime
import types
import typing as t

import pytest
from cases import base
from documents import of_case

from ansible_collections.gpu.k8s.plugins.action import advertised, registration
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.device_plugin import read_kubelet_devices
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.host import HostLook
from ansible_collections.gpu.k8s.plugins.module_utils._judge.device_plugin_settling import is_registering
from ansible_collections.gpu.k8s.plugins.module_utils._judge.device_plugin_waiting import is_about_to_advertise
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node

Tree = dict[str, t.Any]

CONNECTED, IDLE = "nvidia-gpu.sock connected", "nvidia-gpu.sock idle"
EMPTY: Tree = {"exit_code": 0, "stdout": "", "stderr": ""}


def looked(sockets: str, kubelet_seconds: int, log: str | None = None) -> Tree:
    """The look at a node whose kubelet has run for so long, the plugin's log being the base's."""
    look = base("healthy-h100")["device_plugin"]
    records = look["records"]
    now = records["kubelet_process"]["stdout"].split()[1]
    told = f"now {now}\nprocess kubelet\nseconds {kubelet_seconds}\nlistens /var/lib/kubelet/device-plugins\n"
    records["kubelet_process"] = EMPTY | {"stdout": told}
    records["plugin_connections"] = EMPTY | {"stdout": sockets}
    if log is not None:
        records["plugin_logs"] = EMPTY | {"stdout": log}
    return look


NOTHING_FOUND = "@log kube-system_nvidia-device-plugin-a_0 ctr\nmain.go:397] No devices found. Waiting indefinitely."


@pytest.mark.parametrize(
    ("look", "worth_while"),
    [
        (looked(CONNECTED, 5), False),
        (looked(IDLE, 5), True),
        (looked("", 5), True),
        (looked(IDLE, 5, NOTHING_FOUND), False),
        (looked("", 5, ""), False),  # there is no plugin to wait for
        (looked(IDLE, 100000), False),
    ],
)
def test_a_host_is_looked_at_again_while_a_plugin_is_registering(look: Tree, worth_while: bool) -> None:
    assert is_registering(read_kubelet_devices(HostLook(look["records"]))) is worth_while


def test_a_plugin_that_began_a_moment_ago_is_waited_for() -> None:
    look = looked(IDLE, 100000)
    kubelet = read_kubelet_devices(HostLook(look["records"]))
    assert kubelet.logs[0].began is not None
    look["records"]["kubelet_process"]["stdout"] = (
        f"now {int(kubelet.logs[0].began) + 10}\nseconds 100000\nlistens /var/lib/kubelet/device-plugins\n"
    )
    assert is_registering(read_kubelet_devices(HostLook(look["records"])))


def node(look: Tree, allocatable: str) -> Tree:
    evidence = base("healthy-h100") | {"device_plugin": look}
    evidence["kubernetes"]["node"]["status"]["allocatable"]["nvidia.com/gpu"] = allocatable
    return evidence


@pytest.mark.parametrize(
    ("evidence", "worth_while"),
    [
        (node(looked(CONNECTED, 5), "4"), False),
        (node(looked(CONNECTED, 5), "0"), True),
        (node(looked(CONNECTED, 100000), "0"), False),
        (node(looked(IDLE, 5), "0"), False),  # the host was waited for in vain
        (base("healthy-h100") | {"kubernetes": None}, False),
    ],
)
def test_the_api_is_asked_again_while_the_kubelet_knows_better(evidence: Tree, worth_while: bool) -> None:
    assert is_about_to_advertise(evidence) is worth_while


@pytest.mark.parametrize(("after", "worth_while"), [(30, True), (3600, False)])
def test_without_a_look_at_the_host_the_time_of_the_reading_counts(after: int, worth_while: bool) -> None:
    """A node that has just joined is waited for, and not called broken."""
    evidence = of_case("device_plugin/no_access_and_nothing_advertised", "a")
    ready = next(c for c in evidence["kubernetes"]["node"]["status"]["conditions"] if c["type"] == "Ready")
    ready["lastTransitionTime"] = "2026-11-30T11:00:00Z"
    at = datetime.datetime(2026, 11, 30, 11, tzinfo=datetime.UTC) + datetime.timedelta(seconds=after)
    evidence["kubernetes"]["read_at"] = at.isoformat()
    assert is_about_to_advertise(evidence) is worth_while
    assert judge_node(evidence).conclusion == ("not proven" if worth_while else "broken")


class Clock:
    """Time that passes by sleeping alone."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def registered_after(monkeypatch: pytest.MonkeyPatch, looks: list[Tree], settle: int) -> tuple[Tree, int]:
    """Run the action on a host that gives these answers, the last of them for ever."""
    monkeypatch.setattr(registration, "time", Clock())
    asked: list[Tree] = []

    class Examine:
        def run(self, **_context: Tree) -> Tree:
            asked.append(looks[min(len(asked), len(looks) - 1)])
            return {"look": asked[-1]}

    action = registration.ActionModule.__new__(registration.ActionModule)
    monkeypatch.setattr(registration.ActionBase, "run", lambda *_args: {})
    args: Tree = {"settle": settle, "deadline": 20}
    action._task = types.SimpleNamespace(args=args, copy=lambda: types.SimpleNamespace(args=args))
    loader = types.SimpleNamespace(get=lambda _name, **_context: Examine())
    action._shared_loader_obj = types.SimpleNamespace(action_loader=loader)
    action._connection = action._play_context = action._loader = action._templar = None
    return action.run(task_vars={}), len(asked)


def test_a_settled_host_is_examined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    result, asked = registered_after(monkeypatch, [looked(CONNECTED, 5)], 60)
    assert (asked, result["waited"]) == (1, 0)


def test_a_host_is_examined_until_its_plugin_has_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    result, asked = registered_after(monkeypatch, [looked(IDLE, 5), looked(IDLE, 8), looked(CONNECTED, 11)], 60)
    assert (asked, result["waited"]) == (3, 6)
    assert result["look"] == looked(CONNECTED, 11)


@pytest.mark.parametrize(("settle", "looks"), [(0, 1), (10, 4)])
def test_a_host_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch, settle: int, looks: int) -> None:
    result, asked = registered_after(monkeypatch, [looked(IDLE, 5)], settle)
    assert asked == looks
    assert result["waited"] <= settle


def cluster(allocatable: str) -> Tree:
    one = node(looked(CONNECTED, 5), allocatable)["kubernetes"]
    lists = {name: {"items": items, "error": None} for name, items in (("nodes", [one["node"]]), ("pods", one["pods"]))}
    return {"taken": "2", "error": None, "lists": lists}


def read_after(monkeypatch: pytest.MonkeyPatch, answers: list[Tree], settle: int = 60) -> tuple[Tree, int]:
    """Run the action against an API that gives these answers, the last of them for ever."""
    monkeypatch.setattr(advertised, "time", Clock())
    monkeypatch.setattr(advertised.ControllerAction, "run", lambda *_args: {})
    asked: list[Tree] = []

    def answer(given: Tree) -> Tree:
        assert given["read"] == ["nodes", "pods"]
        asked.append(answers[min(len(asked), len(answers) - 1)])
        return asked[-1]

    evidence = base("healthy-h100")
    hostvars: Tree = {"localhost": {}}
    hostvars["node1"] = {
        f"{layer}_result": {"taken": "2", "look": evidence[layer]} for layer in ("driver", "toolkit")
    } | {"device_plugin_result": {"taken": "2", "look": looked(CONNECTED, 5)}}
    run = {"started": "1", "hosts": ["node1"], "expect": evidence["expect"]}
    action = advertised.ActionModule.__new__(advertised.ActionModule)
    args = {
        "kubeconfig": "k",
        "context": "c",
        "request_timeout": 15,
        "run": run,
        "read": ["nodes", "pods"],
        "namespace": "",
        "wait_for": "devices",
        "after": None,
    }
    action._task = types.SimpleNamespace(register="device_plugin_cluster")
    monkeypatch.setattr(action, "validate_argument_spec", lambda _spec: (None, args | {"settle": settle}))
    monkeypatch.setattr(advertised, "answer", answer)
    return action.run(task_vars={"hostvars": hostvars}), len(asked)


def test_settled_nodes_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_after(monkeypatch, [cluster("4")]) == (cluster("4") | {"changed": False, "waited": 0}, 1)


def test_nodes_are_read_until_they_have_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    result, asked = read_after(monkeypatch, [cluster("0"), cluster("0"), cluster("4")])
    assert (result, asked) == (cluster("4") | {"changed": False, "waited": 10}, 3)


@pytest.mark.parametrize(("settle", "readings"), [(0, 1), (12, 3)])
def test_nodes_are_given_up_in_time(monkeypatch: pytest.MonkeyPatch, settle: int, readings: int) -> None:
    assert read_after(monkeypatch, [cluster("0")], settle)[1] == readings


def test_an_api_that_does_not_answer_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_after(monkeypatch, [{"taken": "2", "error": "it hangs"}])[1] == 1
