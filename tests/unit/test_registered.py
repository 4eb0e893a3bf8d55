# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence is this run's or none: what the roles registered is read back by time, layer and host."""

from __future__ import annotations

import typing as t

from cases import base

from ansible_collections.gpu.k8s.plugins.module_utils._evidence.gpu_nodes import nodes_without_host
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.registered import (
    chosen_layers,
    cluster_read,
    evidence_of_all,
)
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node

BEFORE, STARTED, AFTER = (f"2026-01-01T0{hour}:00:00.000000+00:00" for hour in (1, 2, 3))
RUN = {"id": "1", "started": STARTED, "hosts": ["node1"], "expect": base("healthy-h100")["expect"]}


def registered(taken: str = AFTER) -> dict[str, dict[str, t.Any]]:
    """What a whole healthy run registers, as hostvars."""
    whole = base("healthy-h100")
    node, pods = whole["kubernetes"]["node"], whole["kubernetes"]["pods"]
    nodes_list, pods_list = {"items": [node], "error": None}, {"items": pods, "error": None}
    answer = {"taken": taken, "error": None, "server": "s", "version": "v", "uid": "u"}
    followed = {key: whole[key] for key in ("smoke_pod", "control_pod")} | {"host": "node1"}
    return {
        "node1": {
            f"{layer}_result": {"taken": taken, "look": whole[layer]}
            for layer in ("driver", "toolkit", "device_plugin")
        },
        "localhost": {
            "preflight_cluster": {**answer, "lists": {}},
            "device_plugin_cluster": {**answer, "lists": {"nodes": nodes_list}},
            "scheduler_cluster": {**answer, "lists": {"nodes": nodes_list, "pods": pods_list}},
            "smoke_pod_cluster": {**answer, "lists": {"nodes": nodes_list}},
            "smoke_pod_targets": {"taken": taken, "targets": [{"host": "node1"}], "not_tried": {}},
            "smoke_pod_followed": {"taken": taken, "evidence": [followed]},
        },
    }


def verdict(hostvars: dict[str, dict[str, t.Any]]) -> t.Any:
    (evidence,) = evidence_of_all(RUN, hostvars, check_mode=False)
    return judge_node(evidence)


def test_a_whole_run_is_usable() -> None:
    assert verdict(registered()).conclusion == "usable"


def test_nothing_of_an_earlier_run_counts() -> None:
    hostvars = registered(BEFORE)
    assert chosen_layers(RUN, hostvars) == []
    assert cluster_read(hostvars["localhost"], STARTED) is None
    assert verdict(hostvars).conclusion == "not proven"


def test_each_result_of_an_earlier_run_is_missed() -> None:
    for host, variables in registered().items():
        for name in variables:
            hostvars = registered()
            hostvars[host][name] = registered(BEFORE)[host][name]
            if name in ("preflight_cluster", "device_plugin_cluster", "device_plugin_result", "smoke_pod_targets"):
                continue  # nothing is proven by these alone: the others hold the same
            found = verdict(hostvars)
            assert found.conclusion == "not proven", name
            assert found.first_broken_layer is None


def test_a_host_without_results_is_not_what_another_was() -> None:
    hostvars = registered() | {"node2": {}}
    evidence = evidence_of_all(RUN | {"hosts": ["node1", "node2"]}, hostvars, False)
    verdicts = {one["host"]: judge_node(one) for one in evidence}
    assert verdicts["node1"].conclusion == "usable"
    assert verdicts["node2"].conclusion == "not proven"
    assert {c.status for c in verdicts["node2"].checkpoints} == {"unknown"}


def test_layers_are_chosen_by_what_ran() -> None:
    hostvars = registered()
    del hostvars["node1"]["toolkit_result"]
    del hostvars["localhost"]["scheduler_cluster"]
    assert chosen_layers(RUN, hostvars) == ["driver", "device_plugin", "smoke_pod"]


def test_a_later_reading_that_failed_does_not_undo_an_earlier_one() -> None:
    hostvars = registered()
    hostvars["localhost"]["smoke_pod_cluster"] = {"taken": AFTER, "error": "away"}
    read = cluster_read(hostvars["localhost"], STARTED)
    assert read is not None
    assert read["error"] is None
    assert read["lists"]["pods"]["items"] is not None


def test_an_api_that_never_answered_is_an_error() -> None:
    local = {name: {"taken": AFTER, "error": "away"} for name in ("preflight_cluster", "scheduler_cluster")}
    read = cluster_read(local, STARTED)
    assert read is not None
    assert read["error"] == "away"


def test_an_api_that_went_away_says_so_of_the_lists_that_are_missing() -> None:
    hostvars = registered()
    hostvars["localhost"]["scheduler_cluster"] = {"taken": AFTER, "error": "away"}
    hostvars["localhost"]["smoke_pod_cluster"] = {"taken": AFTER, "error": "away"}
    read = cluster_read(hostvars["localhost"], STARTED)
    assert read is not None
    assert read["lists"]["pods"] == {"items": None, "error": "away"}


def test_what_this_identity_may_not_do_reaches_every_node() -> None:
    hostvars = registered()
    denied = {"verb": "create", "group": "", "resource": "pods", "subresource": "", "scope": "smoke namespace"}
    access = {"asked": 22, "denied": [denied], "not_known": []}
    hostvars["localhost"]["preflight_cluster"] |= {"identity": "jane", "access": access}
    (evidence,) = evidence_of_all(RUN, hostvars, check_mode=False)
    assert (evidence["kubernetes"]["identity"], evidence["kubernetes"]["access"]) == ("jane", access)
    assert {f.code for c in judge_node(evidence).checkpoints for f in c.findings} == {"PRE007"}


def test_what_is_wrong_with_the_way_to_the_api_is_told_by_its_kind() -> None:
    hostvars = registered()
    refused = {"taken": AFTER, "error": "HTTP 401: Unauthorized", "error_kind": "credentials"}
    for name in [name for name in hostvars["localhost"] if name.endswith("_cluster")]:
        hostvars["localhost"][name] = refused
    assert {f.code for c in verdict(hostvars).checkpoints[2:4] for f in c.findings} == {"PRE009"}


def test_two_hosts_that_are_one_node_prove_nothing() -> None:
    hostvars = registered()
    hostvars["twin"] = {**hostvars["node1"], "gpu_k8s_node_name": "node1"}
    both = evidence_of_all(RUN | {"hosts": ["node1", "twin"]}, hostvars, check_mode=False)
    for one in both:
        assert one["kubernetes"]["hosts"] == ["node1", "twin"]
        found = judge_node(one)
        assert found.conclusion == "not proven"
        assert found.deciding is not None
        assert found.deciding.code == "PRE008"


def node(name: str, **status: t.Any) -> dict[str, t.Any]:
    return {"metadata": {"name": name, "labels": status.pop("labels", None)}, "status": status}


NODES = [
    node("advertises", capacity={"nvidia.com/gpu": "8"}),
    node("advertises-mig", capacity={"nvidia.com/mig-1g.10gb": "7"}, allocatable={"nvidia.com/mig-1g.10gb": "0"}),
    node("lost-its-plugin", labels={"nvidia.com/gpu.present": "true"}),
    node("of-gke", labels={"cloud.google.com/gke-accelerator": "nvidia-l4"}),
    node("by-dra"),
    node("had-some", capacity={"nvidia.com/gpu": "0"}),
    node("says-no", labels={"nvidia.com/gpu.present": "false"}),
    node("of-another-vendor", capacity={"amd.com/gpu": "8", "cpu": "64"}),
    node("without-status"),
]


def test_gpu_nodes_that_no_host_stands_for_are_named() -> None:
    slices = {"items": [{"spec": {"nodeName": "by-dra"}}], "error": None}
    cluster = {"lists": {"nodes": {"items": NODES, "error": None}, "resource_slices": slices}}
    evidence = [{"host": "a", "kubernetes": {"node": NODES[0]}}, {"host": "b", "kubernetes": None}]
    assert nodes_without_host(cluster, evidence) == ["advertises-mig", "by-dra", "lost-its-plugin", "of-gke"]


def test_nodes_that_were_not_read_are_not_none() -> None:
    assert nodes_without_host({"lists": {"nodes": {"items": None, "error": "forbidden"}}}, []) is None
    assert nodes_without_host({}, []) is None
