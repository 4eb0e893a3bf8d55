# SPDX-License-Identifier: GPL-3.0-or-later
"""What is decided before smoke Pods are made, and how they are followed."""

from __future__ import annotations

import datetime
import typing as t

import pytest

from ansible_collections.gpu.k8s.plugins.module_utils._follow import Follower, is_hopeless
from ansible_collections.gpu.k8s.plugins.module_utils._image import full_reference
from ansible_collections.gpu.k8s.plugins.module_utils._kube import ApiError
from ansible_collections.gpu.k8s.plugins.module_utils._smoke import left_over, tolerations
from ansible_collections.gpu.k8s.plugins.modules.smoke_pods_info import creation_errors


def test_only_the_nodes_own_taints_are_tolerated() -> None:
    taints = [
        {"key": "sku", "value": "gpu", "effect": "NoSchedule"},
        {"key": "nvidia.com/gpu", "effect": "NoExecute"},
        {"key": "maybe", "effect": "PreferNoSchedule"},
        {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"},
    ]
    assert tolerations(taints) == [
        {"key": "sku", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"},
        {"key": "nvidia.com/gpu", "operator": "Equal", "value": "", "effect": "NoExecute"},
    ]


def test_only_old_pods_are_left_over() -> None:
    now = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.UTC)

    def pod(name: str, minutes: int, phase: str) -> dict:
        created = (now - datetime.timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")
        metadata = {"namespace": "default", "name": name, "creationTimestamp": created}
        return {"metadata": metadata, "spec": {"activeDeadlineSeconds": 150}, "status": {"phase": phase}}

    pods = [
        pod("new", 1, "Running"),
        pod("ended", 2, "Succeeded"),
        pod("old", 20, "Failed"),
        pod("stuck", 6, "Pending"),
    ]
    assert [p["name"] for p in left_over(pods, now)] == ["old", "stuck"]


@pytest.mark.parametrize(
    ("given", "full"),
    [
        ("nvidia/cuda:12.4.1-base", "docker.io/nvidia/cuda:12.4.1-base"),
        ("busybox", "docker.io/library/busybox:latest"),
        ("registry.example:5000/cuda", "registry.example:5000/cuda:latest"),
        ("localhost/cuda:1", "localhost/cuda:1"),
        ("nvcr.io/nvidia/cuda@sha256:0123", "nvcr.io/nvidia/cuda@sha256:0123"),
    ],
)
def test_full_reference(given: str, full: str) -> None:
    assert full_reference(given) == full


def test_creation_errors_go_to_their_pods() -> None:
    one_refused = {
        "result": {"results": [{"error": {"msg": "exceeded quota"}, "method": "create"}, {"method": "create"}]}
    }
    assert creation_errors(one_refused, ["a", "b"]) == {"a": "exceeded quota"}
    assert creation_errors({"msg": "no connection", "failed": False}, ["a", "b"]) == dict.fromkeys(
        "ab", "no connection"
    )
    assert creation_errors({"method": "create", "result": {"kind": "Pod"}}, ["a"]) == {}


class FakeCluster:
    """Answers each list with the next state; watches bring the changes between two states."""

    def __init__(self, *states: dict[str, str] | Exception) -> None:
        self.states = list(states)
        self.lists = self.watches = 0
        self.core = type("Core", (), {"list_namespaced_pod": None})

    def get(self, _method: t.Any, _namespace: str, **_query: t.Any) -> dict:
        self.lists += 1
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        if isinstance(state, Exception):
            raise state
        items = [{"metadata": {"name": name}, "status": {"phase": phase}} for name, phase in state.items()]
        return {"items": items, "metadata": {"resourceVersion": "1"}}

    def watch(self, _method: t.Any, _namespace: str, **_query: t.Any) -> list:
        self.watches += 1
        return []


class Clock:
    """Each look at it takes a second, so that no test sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def follow(cluster: FakeCluster, names: list[str], timeout: float = 60) -> tuple[dict, Follower]:
    clock = Clock()
    follower = Follower(cluster, "default", "gpu.k8s/run=1", clock, clock.sleep)
    return follower.follow(names, timeout, grace=5), follower


def test_follows_until_every_pod_has_ended() -> None:
    cluster = FakeCluster({"a": "Pending"}, {"a": "Succeeded", "b": "Running"}, {"a": "Succeeded", "b": "Failed"})
    pods, follower = follow(cluster, ["a", "b"])
    assert {name: pod["status"]["phase"] for name, pod in pods.items()} == {"a": "Succeeded", "b": "Failed"}
    assert follower.error is None
    assert cluster.lists == 3


def test_gives_up_when_the_time_is_up() -> None:
    pods, _follower = follow(FakeCluster({"a": "Running"}), ["a", "never-seen"], timeout=20)
    assert list(pods) == ["a"]


def test_outlives_an_api_that_is_away_for_a_while() -> None:
    pods, follower = follow(FakeCluster(ApiError("away"), ApiError("away"), {"a": "Succeeded"}), ["a"])
    assert list(pods) == ["a"]
    assert follower.error is None


def test_says_why_when_the_api_stays_away() -> None:
    pods, follower = follow(FakeCluster(ApiError("away")), ["a"], timeout=10)
    assert pods == {}
    assert follower.error == "away"


def test_nothing_to_follow_asks_nothing() -> None:
    cluster = FakeCluster({})
    assert follow(cluster, [])[0] == {}
    assert cluster.lists == 0


@pytest.mark.parametrize(
    ("status", "hopeless"),
    [
        ({"containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]}, True),
        ({"containerStatuses": [{"state": {"waiting": {"reason": "ContainerCreating"}}}]}, False),
        ({"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}, True),
        ({"conditions": [{"type": "PodScheduled", "status": "True"}]}, False),
        ({}, False),
    ],
)
def test_hopeless(status: dict, hopeless: bool) -> None:
    assert is_hopeless({"status": status}) is hopeless
