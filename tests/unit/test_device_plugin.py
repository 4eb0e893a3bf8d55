# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that a hurried check would call broken at checkpoint 3, and how the parts of the evidence are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from cases import FOLDER, evidence

from ansible_collections.gpu.k8s.plugins.module_utils._evidence.device_plugin import read_kubelet_devices
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.device_plugin_log import read_logs
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.device_plugin_placement import (
    labels_in_the_way,
    taints_in_the_way,
)
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.device_plugin_workload import read_workload
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.host import HostLook
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.kubernetes import NodeFacts, read_node
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node

GPU = "nvidia.com/gpu"

HEALTHY = sorted((FOLDER / "device_plugin" / "healthy").glob("*.yml"))


@pytest.mark.parametrize("path", HEALTHY, ids=lambda path: path.stem)
def test_what_looks_odd_and_is_healthy(path: Path) -> None:
    case = yaml.safe_load(path.read_text())
    assert case["why"]
    assert case["source"]
    verdict = judge_node(evidence(case))
    third = verdict.checkpoints[2]
    assert third.findings == ()
    assert third.status == "pass"
    assert verdict.first_broken_layer is None


def node_of(labels: dict, taints: list[dict]) -> NodeFacts:
    return read_node({"metadata": {"name": "a", "labels": labels}, "spec": {"taints": taints}, "status": {}}, GPU)


def expression(key: str, operator: str, *values: str) -> dict:
    return {"key": key, "operator": operator, "values": list(values)}


@pytest.mark.parametrize(
    ("term", "meets"),
    [
        ([expression("gpu", "In", "h100", "l40s")], True),
        ([expression("gpu", "In", "a100")], False),
        ([expression("gpu", "NotIn", "a100")], True),
        ([expression("no", "NotIn", "a100")], True),
        ([expression("gpu", "Exists")], True),
        ([expression("no", "Exists")], False),
        ([expression("no", "DoesNotExist")], True),
        ([expression("count", "Gt", "3")], True),
        ([expression("count", "Lt", "3")], False),
        ([expression("gpu", "Gt", "3")], False),
        ([expression("gpu", "Exists"), expression("no", "Exists")], False),
    ],
)
def test_affinity_is_read_as_the_controller_reads_it(term: list[dict], meets: bool) -> None:
    required = {"nodeSelectorTerms": [{"matchExpressions": term}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    daemon_set = {"spec": {"affinity": affinity}}
    assert (labels_in_the_way(daemon_set, node_of({"gpu": "h100", "count": "4"}, [])) == []) is meets


def test_one_term_of_an_affinity_suffices() -> None:
    terms = [{"matchExpressions": [expression(key, "In", "true")]} for key in ("a", "b")]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    daemon_set = {"spec": {"affinity": affinity, "nodeSelector": {"c": "d"}}}
    assert labels_in_the_way(daemon_set, node_of({"b": "true", "c": "d"}, [])) == []
    assert labels_in_the_way(daemon_set, node_of({}, [])) == ["c=d", "a=true or b=true"]


@pytest.mark.parametrize(
    ("taint", "in_the_way"),
    [
        ({"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}, False),
        ({"key": "nvidia.com/gpu", "effect": "NoExecute"}, True),
        ({"key": "dedicated", "effect": "PreferNoSchedule"}, False),
        ({"key": "dedicated", "effect": "NoSchedule"}, True),
        ({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}, False),
        ({"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}, False),
    ],
)
def test_taints_are_read_as_the_controller_reads_them(taint: dict, in_the_way: bool) -> None:
    daemon_set = {"spec": {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]}}
    assert bool(taints_in_the_way(daemon_set, node_of({}, [taint]))) is in_the_way


@pytest.mark.parametrize(
    ("name", "container", "image", "serves"),
    [
        ("nvidia-device-plugin-daemonset", "nvidia-device-plugin-ctr", "nvcr.io/nvidia/k8s-device-plugin", True),
        ("nvidia-gpu-device-plugin-small-cos", "nvidia-gpu-device-plugin", "gke.gcr.io/nvidia-gpu-device-plugin", True),
        ("plugin", "nvidia-device-plugin-ctr", "registry.example/nvdp:1", True),
        ("hami-device-plugin", "device-plugin", "projecthami/hami:v2", True),
        ("gpu-feature-discovery", "gpu-feature-discovery", "nvcr.io/nvidia/k8s-device-plugin", False),
        ("nvdp-mps-control-daemon", "mps-control-daemon-ctr", "nvcr.io/nvidia/k8s-device-plugin", False),
        ("nvidia-dcgm-exporter", "nvidia-dcgm-exporter", "nvcr.io/nvidia/k8s/dcgm-exporter", False),
        ("intel-gpu-plugin", "intel-gpu-plugin", "intel/intel-gpu-plugin", False),
        ("sriov-device-plugin", "kube-sriovdp", "ghcr.io/sriov-network-device-plugin", False),
    ],
)
def test_who_hands_out_nvidia_gpus(name: str, container: str, image: str, serves: bool) -> None:
    item = {"metadata": {"name": name}, "spec": {"containers": [{"name": container, "image": image}]}}
    read = read_workload({"objects": {"daemon_sets": {"items": [item]}}})
    assert read.daemon_sets == ((item,) if serves else ())
    assert read.pods is None


def test_a_log_in_dockers_format() -> None:
    entry = {"log": "I1 main.go:397] No devices found. Waiting indefinitely.\n", "time": "2026-11-30T13:52:48.8Z"}
    text = f"@log kube-system_nvidia-device-plugin-a_0d2f ctr\n{json.dumps(entry)}\nnot a line of any format\n"
    record = {"exit_code": 0, "stdout": text, "stderr": ""}
    (log,) = read_logs(HostLook({"plugin_logs": record}))
    assert log.last("no_devices") == "No devices found"
    assert [line.at is None for line in log.lines] == [False, True]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"Data": null}', '{"Data": {"RegisteredDevices": []}}'])
def test_an_unreadable_record_of_devices_is_not_known(text: str) -> None:
    look = HostLook({"kubelet_checkpoint": {"exit_code": 0, "stdout": text, "stderr": ""}})
    assert not read_kubelet_devices(look).registered
