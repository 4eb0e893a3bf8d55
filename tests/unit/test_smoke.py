# SPDX-License-Identifier: GPL-3.0-or-later
"""What is decided before smoke Pods are made, and how they are followed."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from cases import BASES, base, cases, evidence

from ansible_collections.gpu.k8s.plugins.module_utils._follow import Follower, has_ended, is_hopeless, read_remains
from ansible_collections.gpu.k8s.plugins.module_utils._image import full_reference
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._kube import ApiError
from ansible_collections.gpu.k8s.plugins.module_utils._smoke import left_over, reason_not_to_try
from ansible_collections.gpu.k8s.plugins.module_utils._smoke_evidence import creation_errors, evidence_by_host
from ansible_collections.gpu.k8s.plugins.module_utils._smoke_plan import (
    free_devices,
    how_many,
    newer_than_the_driver,
    once_more,
    pods_to_make,
    with_its_equals,
)
from ansible_collections.gpu.k8s.plugins.module_utils._smoke_progress import progress, state_of


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("driver/module_not_loaded", "the driver layer below it is broken"),
        ("scheduler/busy", "no GPU is free"),
        ("scheduler/asks_for_more_than_the_node_has", "its Node has less than the Pod would ask for"),
        ("device_plugin/mig_profiles", "its Node has none of what the Pod would ask for"),
        ("scheduler/priority_class_pushes_others_out", "would push out other Pods"),
        ("scheduler/limit_range_gives_gpus_away", "would give a GPU to its control"),
        ("preflight/no_node", "its Node is not known"),
        ("preflight/other_machine", "the host is not the Node of that name"),
        ("preflight/smoke_pods_denied", "lacks a permission"),
        ("preflight/one_node_two_hosts", "several hosts stand for its Node"),
    ],
)
def test_where_no_pod_is_worth_trying(case: str, says: str) -> None:
    whole = evidence(cases()[case]) | {"smoke_pod": None, "control_pod": None}
    assert says in (reason_not_to_try(whole, judge_node(whole)) or "")


@pytest.mark.parametrize("name", BASES)
def test_a_healthy_node_is_worth_a_pod(name: str) -> None:
    whole = base(name) | {"smoke_pod": None, "control_pod": None}
    assert reason_not_to_try(whole, judge_node(whole)) is None


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


def test_a_claim_template_that_was_refused_is_needed_by_all_pods() -> None:
    created = {"result": {"results": [{"error": {"msg": "not found"}}, {"method": "create"}, {"method": "create"}]}}
    assert creation_errors(created, ["a", "b"]) == dict.fromkeys("ab", "not found")


TARGET = {"host": "h", "node": "n", "hostname": "n", "tolerations": [], "asked": 1, "host_uuids": None}


def test_each_node_has_its_smoke_pods_and_one_control() -> None:
    pods = pods_to_make(TARGET, "run", 5, 3)
    assert [pod["which"] for pod in pods] == ["smoke", "smoke", "smoke", "control"]
    assert [pod["asked"] for pod in pods] == [1, 1, 1, 0]
    assert len({pod["name"] for pod in pods} | {pod["nonce"] for pod in pods}) == 8


@pytest.mark.parametrize(("scope", "taken", "pods"), [("node", 0, 1), ("every_gpu", 0, 4), ("every_gpu", 3, 1)])
def test_every_gpu_means_every_free_one(scope: str, taken: int, pods: int) -> None:
    whole = base("healthy-h100")
    whole["expect"]["smoke_scope"] = scope
    limits = {"resources": {"limits": {"nvidia.com/gpu": str(taken)}}}
    holder = {"metadata": {"name": "a", "namespace": "b"}, "spec": {"nodeName": "node1", "containers": [limits]}}
    whole["kubernetes"]["pods"] = [holder]
    assert how_many(whole) == pods


def test_devices_of_dra_are_counted_in_the_nodes_slices() -> None:
    whole = base("healthy-h100")
    whole["expect"]["smoke_ask"] = "dra"
    devices = [{"name": "gpu-0", "type": "gpu"}, {"name": "gpu-1"}, {"name": "gpu-0-mig", "type": "mig"}]
    whole["kubernetes"]["objects"]["resource_slices"] = {"items": [{"spec": {"devices": devices}}], "error": None}
    assert free_devices(whole) == 2


@pytest.mark.parametrize(
    ("image", "driver", "needs"),
    [
        ("nvidia/cuda:13.0.1-base-ubuntu24.04", "550.163.01", ("13", 550, 580)),
        ("mirror.example.com/nvidia/cuda:13.0.1-base", "580.65", None),
        ("nvidia/cuda:12.9.0-base", "535.261.03", None),
        ("nvcr.io/nvidia/k8s/cuda-sample:vectoradd-cuda12.5.0", "470.1", ("12", 470, 525)),
        ("docker.io/lab/smoke:1", "470.1", None),
        ("nvidia/cuda:13.0.1-base", None, None),
        ("nvidia/cuda@sha256:0123", "470.1", None),
    ],
)
def test_an_image_newer_than_the_driver(image: str, driver: str | None, needs: tuple | None) -> None:
    assert newer_than_the_driver(image, driver) == needs


def test_a_second_attempt_takes_the_place_of_the_first_and_keeps_it() -> None:
    pods = pods_to_make(TARGET, "run", 0, 2)
    first = evidence_by_host(pods, {pod["name"]: {"seconds": 1} for pod in pods}, [])
    again = once_more(pods[1])
    (both,) = evidence_by_host([again], {again["name"]: {"seconds": 2}}, first)
    assert both["smoke_pod"] == first[0]["smoke_pod"]
    assert both["control_pod"] == first[0]["control_pod"]
    (more,) = both["smoke_pods_more"]
    assert (more["nonce"], more["seconds"]) == (again["nonce"], 2)
    assert more["attempts"] == first[0]["smoke_pods_more"]


def test_where_every_gpu_is_tried_all_of_a_node_are_tried_again() -> None:
    one, every = pods_to_make(TARGET, "run", 0, 1), pods_to_make(TARGET | {"host": "i"}, "run", 2, 3)
    assert with_its_equals([one[1]], [*one, *every]) == [one[1]]
    assert with_its_equals([every[1]], [*one, *every]) == every[:3]
    assert with_its_equals([every[3]], [*one, *every]) == [every[3]]


def a_pod(name: str, phase: str = "Pending", node: str = "", **status: t.Any) -> dict:
    spec = {"containers": [{"name": "smoke"}]} | ({"nodeName": node} if node else {})
    return {"metadata": {"name": name}, "spec": spec, "status": {"phase": phase, **status}}


PLACED = {"conditions": [{"type": "PodScheduled", "status": "True"}]}


@pytest.mark.parametrize(
    ("pod", "state"),
    [
        (None, "not seen yet"),
        (a_pod("a"), "waiting for the scheduler"),
        (
            a_pod("a", conditions=[{"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available"}]),
            "unscheduled: 0/3 nodes are available",
        ),
        (a_pod("a", **PLACED), "not taken up by the node yet"),
        (a_pod("a", **PLACED, containerStatuses=[{"state": {"waiting": {"reason": "ContainerCreating"}}}]), "starting"),
        (
            a_pod("b", **PLACED, containerStatuses=[{"state": {"waiting": {"reason": "ContainerCreating"}}}]),
            "pulling the image",
        ),
        (
            a_pod("b", **PLACED, containerStatuses=[{"state": {"waiting": {"reason": "ErrImagePull"}}}]),
            "ErrImagePull",
        ),
        (a_pod("a", "Running", **PLACED, containerStatuses=[{"state": {"running": {}}}]), "running"),
    ],
)
def test_what_a_pod_waits_for(pod: dict | None, state: str) -> None:
    assert state_of(pod, {"b"}) == state


def test_progress_is_one_line_however_many_wait() -> None:
    waiting = [(f"node{n}", "pulling the image", float(n)) for n in range(40)] + [("node50", "running", 2.0)]
    assert progress("smoke Pods", 59, 100, 41.2, waiting) == (
        "smoke Pods: 59 of 100 done after 41 s; 40 pulling the image (oldest 39 s; node0, node1, node2 ...); "
        "1 running (oldest 2 s; node50)"
    )


class FakeCluster:
    """Goes on to the next state at each list and watch. ``ready`` is the status of every Node."""

    def __init__(self, *states: list[dict] | Exception, ready: str = "True") -> None:
        self.states = list(states)
        self.ready = ready
        self.asked: list[str] = []
        names = ("list_namespaced_pod", "list_node", "list_namespaced_event")
        self.core = type("Core", (), {name: name for name in names})

    def get(self, method: str, *_args: str, **_query: t.Any) -> dict:
        self.asked.append(method)
        if method == "list_node":
            ready = {"type": "Ready", "status": self.ready, "reason": "r", "message": "m"}
            node = {"metadata": {"labels": {"kubernetes.io/hostname": "n"}}, "status": {"conditions": [ready]}}
            return {"items": [node]}
        return {"items": self.next_state(), "metadata": {"resourceVersion": "1"}}

    def next_state(self) -> list[dict]:
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        if isinstance(state, Exception):
            raise state
        self.known = state
        return state

    def list(self, method: str, *_args: str, **_query: t.Any) -> list:
        self.asked.append(method)
        return []

    def watch(self, method: str, _namespace: str, *, resource_version: str, **_query: t.Any) -> t.Iterator[dict]:
        self.asked.append(f"watch {method}")
        assert resource_version == "1"
        before = self.known
        now = self.next_state()
        for kind, pods in (("DELETED", [p for p in before if named(p) not in map(named, now)]), ("MODIFIED", now)):
            for pod in pods:
                yield {"type": kind, "object": pod | {"metadata": pod["metadata"] | {"resourceVersion": "1"}}}


def named(pod: dict) -> str:
    return pod["metadata"]["name"]


class Clock:
    """Each look at it takes a second, so that no test sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def follow(cluster: FakeCluster, names: list[str], timeout: float = 60) -> tuple[dict, Follower, list[str]]:
    clock, told = Clock(), []
    follower = Follower(cluster, "default", "gpu.k8s/run=1", clock, clock.sleep, told.append)
    return follower.follow(dict.fromkeys(names, "n"), timeout, grace=5), follower, told


def test_follows_until_every_pod_has_ended() -> None:
    cluster = FakeCluster(
        [a_pod("a")],
        [a_pod("a", "Succeeded"), a_pod("b", "Running")],
        [a_pod("a", "Succeeded"), a_pod("b", "Failed")],
    )
    pods, follower, _told = follow(cluster, ["a", "b"])
    assert {name: pod["status"]["phase"] for name, pod in pods.items()} == {"a": "Succeeded", "b": "Failed"}
    assert follower.error is None
    assert cluster.asked == ["list_namespaced_pod", *["watch list_namespaced_pod"] * 2]


def test_after_a_refusal_the_pods_are_listed_anew() -> None:
    cluster = FakeCluster([a_pod("a", "Running")], ApiError("HTTP 500: later"), [a_pod("a", "Succeeded")])
    pods, follower, _told = follow(cluster, ["a"])
    assert pods["a"]["status"]["phase"] == "Succeeded"
    assert follower.error is None
    assert [what for what in cluster.asked if "pod" in what] == [
        "list_namespaced_pod",
        "watch list_namespaced_pod",
        "list_namespaced_pod",
    ]


def test_gives_up_when_the_time_is_up() -> None:
    pods, _follower, told = follow(FakeCluster([a_pod("a", "Running")]), ["a", "never-seen"], timeout=20)
    assert list(pods) == ["a"]
    assert "smoke Pods: 0 of 2 done" in told[-1]
    assert "not seen yet" in told[-1]


def test_a_pod_that_somebody_deletes_is_not_waited_for() -> None:
    cluster = FakeCluster([a_pod("a", "Running", "n")], [])
    pods, follower, _told = follow(cluster, ["a"], timeout=1000)
    assert pods["a"]["status"]["phase"] == "Running"
    assert list(follower.gone) == ["a"]
    assert cluster.asked == ["list_namespaced_pod", "watch list_namespaced_pod"]


def test_a_node_that_is_not_ready_is_not_waited_for_to_the_end() -> None:
    cluster = FakeCluster([a_pod("a", "Running", "n")], ready="False")
    _pods, follower, _told = follow(cluster, ["a"], timeout=1000)
    assert follower.nodes["n"]["status"] == "False"
    assert cluster.asked.count("list_namespaced_pod") == 1
    assert len(cluster.asked) < 20


def test_a_node_that_has_been_silent_for_long_is_not_waited_for_at_all() -> None:
    cluster = FakeCluster([a_pod("a", "Running", "n")], ready="Unknown")
    _pods, follower, _told = follow(cluster, ["a"], timeout=1000)
    assert follower.nodes["n"]["status"] == "Unknown"
    assert cluster.asked == ["list_namespaced_pod", "watch list_namespaced_pod", "list_node"]


def test_a_sidecar_that_runs_on_is_not_waited_for() -> None:
    statuses = [
        {"name": "istio-proxy", "state": {"running": {}}},
        {"name": "smoke", "state": {"terminated": {"exitCode": 0}}},
    ]
    pod = a_pod("a", "Running", "n", containerStatuses=statuses)
    assert not has_ended(pod)  # its phase will tell
    pod["spec"]["containers"].append({"name": "istio-proxy"})
    cluster = FakeCluster([pod])
    assert list(follow(cluster, ["a"])[0]) == ["a"]
    assert cluster.asked == ["list_namespaced_pod"]


def test_outlives_an_api_that_is_away_for_a_while() -> None:
    pods, follower, _told = follow(FakeCluster(ApiError("away"), ApiError("away"), [a_pod("a", "Succeeded")]), ["a"])
    assert list(pods) == ["a"]
    assert follower.error is None


def test_says_why_when_the_api_stays_away() -> None:
    pods, follower, _told = follow(FakeCluster(ApiError("away")), ["a"], timeout=10)
    assert pods == {}
    assert follower.error == "away"


def test_nothing_to_follow_asks_nothing() -> None:
    cluster = FakeCluster([])
    assert follow(cluster, [])[0] == {}
    assert cluster.asked == []


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


class LogCluster:
    """Hands out the log of each container by its name, and the events of the Pod."""

    core = type("Core", (), {"read_namespaced_pod_log": "log", "list_namespaced_event": "events"})

    def text(self, _method: str, name: str, namespace: str, *, container: str, limit_bytes: int) -> str:
        if container == "control":
            raise ApiError("HTTP 404: gone", 404)
        return f"{namespace}/{name}/{container}"[:limit_bytes]

    def list(self, _method: str, _namespace: str, **_query: t.Any) -> list:
        return [{"reason": "Late", "lastTimestamp": "2"}, {"reason": "Early", "lastTimestamp": "1"}]


def test_what_is_left_of_pods_is_read_by_container() -> None:
    def ended(*names: str) -> list[dict]:
        return [{"name": name, "state": {"terminated": {"exitCode": 0}}} for name in names]

    both = a_pod("a", "Succeeded", "n", initContainerStatuses=ended("smoke"), containerStatuses=ended("cuda"))
    gone = a_pod("b", "Succeeded", "n", containerStatuses=ended("control", "istio-proxy"))
    waits = a_pod("c", "Pending")
    for pod in (both, gone, waits):
        pod["metadata"] |= {"namespace": "ns", "uid": "1", "managedFields": ["much"]}
    left = read_remains(t.cast(t.Any, LogCluster()), {"a": both, "b": gone, "c": waits}, 10)
    assert (left["a"]["log"], left["a"]["log_cut_off"]) == ("ns/a/smoke", True)
    assert left["a"]["cuda"]["log"] == "ns/a/cuda"
    assert left["b"] | {"pod": None} == {
        "pod": None,
        "log": None,
        "log_error": "HTTP 404: gone",
        "log_cut_off": False,
        "events": [],
    }
    assert [event["reason"] for event in left["c"]["events"]] == ["Early", "Late"]
    assert "managedFields" not in left["c"]["pod"]["metadata"]
