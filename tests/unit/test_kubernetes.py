# SPDX-License-Identifier: GPL-3.0-or-later
"""Counting as the scheduler counts, and knowing which Node a host is."""

from __future__ import annotations

import pytest

from ansible_collections.gpu.k8s.plugins.module_utils._evidence.kubernetes import find_node, read_node
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.kubernetes_pods import effective_request, holders

GPU = "nvidia.com/gpu"


def container(amount: int, kind: str = "requests", **more: str) -> dict:
    return {"resources": {kind: {GPU: str(amount)}} if amount else {}, **more}


@pytest.mark.parametrize(
    ("spec", "amount"),
    [
        ({"containers": [container(0)]}, 0),
        ({"containers": [container(1)]}, 1),
        ({"containers": [container(2, "limits")]}, 2),
        ({"containers": [container(1), container(3)]}, 4),
        ({"containers": [container(1)], "initContainers": [container(3)]}, 3),
        ({"containers": [container(4)], "initContainers": [container(3)]}, 4),
        ({"containers": [container(1)], "initContainers": [container(1, restartPolicy="Always")]}, 2),
        (
            {
                "containers": [container(1)],
                "initContainers": [container(1, restartPolicy="Always"), container(4)],
            },
            5,
        ),
        (
            {
                "containers": [container(1)],
                "initContainers": [container(4), container(1, restartPolicy="Always")],
            },
            4,
        ),
        ({"containers": [{}], "overhead": {GPU: "1"}}, 1),
        ({"containers": None}, 0),
    ],
)
def test_effective_request(spec: dict, amount: int) -> None:
    assert effective_request({"spec": spec}, GPU) == amount


def pod(name: str, node: str | None, phase: str, amount: int = 1) -> dict:
    return {
        "metadata": {"namespace": "ml", "name": name},
        "spec": {"nodeName": node, "containers": [container(amount)]},
        "status": {"phase": phase},
    }


def test_holders_are_the_live_pods_of_the_node_that_ask_for_it() -> None:
    pods = [
        pod("trains", "a", "Running", 2),
        pod("starts", "a", "Pending"),
        pod("done", "a", "Succeeded"),
        pod("dead", "a", "Failed"),
        pod("elsewhere", "b", "Running"),
        pod("waits", None, "Pending"),
        pod("cpu", "a", "Running", 0),
    ]
    assert {holder.name: holder.amount for holder in holders(pods, "a", GPU)} == {"ml/trains": 2, "ml/starts": 1}


def node(name: str, machine_id: str = "", address: str = "") -> dict:
    addresses = [{"type": "InternalIP", "address": address}] if address else []
    return {"metadata": {"name": name}, "status": {"nodeInfo": {"machineID": machine_id}, "addresses": addresses}}


def test_a_node_is_found_by_its_name_first_even_if_the_machine_is_another() -> None:
    nodes = [node("a", "m1"), node("b", "m2")]
    assert find_node(nodes, ["a"], "m2") is nodes[0]
    assert find_node(nodes, ["b", "a"], None) is nodes[1]


def test_a_node_of_another_name_is_found_by_machine_id_before_its_address() -> None:
    nodes = [node("a", "m1", "192.0.2.1"), node("b", "m2", "192.0.2.2")]
    assert find_node(nodes, ["gpu-b", "192.0.2.1"], "m2") is nodes[1]


def test_a_machine_id_that_two_nodes_share_identifies_nobody() -> None:
    nodes = [node("a", "m1"), node("b", "m1")]
    assert find_node(nodes, ["b"], "m1") is nodes[1]
    assert find_node(nodes, ["c"], "m1") is None


def test_a_node_is_found_by_name_or_address() -> None:
    nodes = [node("a", address="192.0.2.1"), node("b", address="192.0.2.2")]
    assert find_node(nodes, ["gpu-b", "192.0.2.2"], None) is nodes[1]
    assert find_node(nodes, ["c"], None) is None
    assert find_node([], ["a"], "m1") is None


def test_a_node_without_the_resource_has_no_count() -> None:
    facts = read_node({"metadata": {"name": "a"}, "spec": {}, "status": {"capacity": {"cpu": "4"}}}, GPU)
    assert (facts.capacity, facts.allocatable, facts.condition("Ready")) == (None, None, None)
