# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pointer leads to: a few lines, of which those stand out that the finding speaks of."""

from __future__ import annotations

import functools
import typing as t

import pytest
from cases import base, cases, evidence

from ansible_collections.gpu.k8s.plugins.module_utils._chain import Finding
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.excerpt import Excerpt, excerpt, proofs
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.telling import telling
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node

Tree = dict[str, t.Any]

HEALTHY = base("healthy-h100")


@functools.cache
def of_case(name: str) -> Tree:
    return evidence(cases()[name])


def findings(name: str) -> list[Finding]:
    return [finding for checkpoint in judge_node(of_case(name)).checkpoints for finding in checkpoint.findings]


def shown(name: str, pointer: str) -> Excerpt:
    """Return the excerpt under a pointer of a case's findings, as the report has it."""
    said = " ".join(finding.message for finding in findings(name) if pointer in finding.evidence)
    found = excerpt(of_case(name), pointer, said)
    assert found is not None
    return found


def logged(*lines: str) -> Tree:
    """Evidence with a log of many lines."""
    record = {"command": "dmesg", "exit_code": 0, "stdout": "\n".join(lines) + "\n", "stderr": ""}
    return HEALTHY | {"driver": {"records": {"kernel_log": record}, "error": None}}


# Where the finding is that something is not there, or was not looked at.
MISSING = {
    ("DRV010", "driver.nvidia_smi_list"),
    ("EXP002", "kubernetes.node.metadata.labels.nvidia.com/gpu.product"),
    ("PRE003", "kubernetes.node"),
    ("SMK011", "smoke_pod.pod"),
    ("SMK015", "control_pod"),
    ("SMK041", "smoke_pod"),
    ("TKT010", "toolkit.gpu_container"),
}


@pytest.mark.parametrize("name", cases())
def test_pointers_of_findings_lead_somewhere(name: str) -> None:
    """A record that the case's base is too old to have leads to nothing, and so does what is missing."""
    for finding in findings(name):
        for pointer in finding.evidence:
            found = excerpt(of_case(name), pointer, finding.message)
            if found is None and (finding.code, pointer) not in MISSING:
                layer, _dot, record = pointer.partition(".")
                assert "." not in record, f"{finding.code}: {pointer}"
                assert record not in of_case(name)[layer]["records"]
            elif found is not None:
                assert len(found.lines) <= 40
                assert len(found.decides) <= 5
                assert max(map(len, found.lines)) <= 410


@pytest.mark.parametrize(
    ("name", "pointer", "decides"),
    [
        ("driver/gpu_lost", "driver.nvidia_smi_list", ["UUID: GPU-bf634c48"]),
        ("driver/hardware_xid", "driver.kernel_log", ["Xid (PCI:0000:9a:00): 94"]),
        ("driver/second_driver_lies_about", "driver.nvml_libraries", ["libnvidia-ml.so.515.105.01"]),
        ("toolkit/cdi_is_off", "toolkit.loaded_settings", ["enable_cdi false"]),
        ("toolkit/cpu_manager_will_take_the_gpu", "toolkit.kubelet", ["cpu-manager-policy=static"]),
        ("toolkit/ldconfig_missing", "toolkit.gpu_container", ["/sbin/ldconfig.real"]),
        ("device_plugin/all_unhealthy", "kubernetes.node.status.allocatable", ["nvidia.com/gpu: 0"]),
        ("device_plugin/too_few", "kubernetes.node.status.capacity", ["nvidia.com/gpu: 3"]),
        ("device_plugin/plugin_met_the_old_driver", "device_plugin.plugin_logs", ["Driver/library version mismatch"]),
        ("device_plugin/slice_of_another_machine", "kubernetes.objects.resource_slices", ["GPU-00000000-1111"]),
        ("scheduler/network_unavailable", "kubernetes.node.status.conditions", ["NoRouteCreated", "without a route"]),
        ("smoke_pod/out_of_memory_and_exit_code_0", "smoke_pod.pod", ["reason: OOMKilled"]),
        ("smoke_pod/error_in_log_and_exit_code_0", "smoke_pod.log", ["[Unknown Error]"]),
        ("smoke_pod/preempted_by_the_kubelet", "smoke_pod.pod", ["status.message: Preempted in order"]),
    ],
)
def test_the_lines_stand_out_that_a_person_would_mark(name: str, pointer: str, decides: list[str]) -> None:
    found = shown(name, pointer)
    marked = [found.lines[place] for place in found.decides]
    assert len(marked) == len(decides)
    assert all(words in line for words, line in zip(decides, marked, strict=True))


def test_where_all_lines_say_the_same_none_stands_out() -> None:
    listed = [f"GPU {n}: NVIDIA H100 (UUID: GPU-{n})" for n in range(4)]
    assert telling(listed, "4 of 4 GPUs (NVIDIA H100)") == {}
    assert telling(listed, "GPU-2 is lost") == {2: listed[2].index("GPU-2")}


def test_small_words_and_names_that_are_everywhere_tell_nothing() -> None:
    lines = ["the node is not there", "address: node1", "kind: Node"]
    assert telling(lines, "node1 is not what the other is", ["node1"]) == {}


def test_a_number_is_not_found_in_a_version() -> None:
    assert telling(["driver 550.79", "Xid 79 on 3b:00.0", "nothing"], "Xid 79") == {1: 0}


def test_one_line_alone_decides() -> None:
    assert telling(["true"], "It is cordoned") == {0: 0}


def test_of_a_long_log_what_decides_stays_with_its_neighbours_and_the_end() -> None:
    lines = [f"line {number} of nothing" for number in range(500)]
    lines[100] = "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus."
    found = excerpt(logged(*lines), "driver.kernel_log", "Xid 79 (PCI:0000:3b:00)")
    assert found is not None
    assert found.cut_off
    assert len(found.lines) == 40
    assert [found.lines[place] for place in found.decides] == [lines[100]]
    assert {lines[99], lines[101], lines[499]} <= set(found.lines)
    assert [*found.lines] == [line for line in lines if line in found.lines]


def test_a_long_line_is_shown_where_it_tells() -> None:
    found = excerpt(logged("x " * 600 + "GPU-1234 is unhealthy " + "y " * 600), "driver.kernel_log", "GPU-1234")
    assert found is not None
    assert "GPU-1234 is unhealthy" in found.lines[0]
    assert len(found.lines[0]) < 420
    assert found.cut_off


def test_what_a_command_printed_comes_with_how_it_ended() -> None:
    found = shown("driver/module_not_loaded", "driver.nvidia_smi_list")
    assert (found.command, found.exit_code) == ("nvidia-smi -L", 9)


def test_a_command_that_printed_nothing_is_an_empty_line() -> None:
    found = excerpt(logged(""), "driver.kernel_log")
    assert found is not None
    assert found.lines == ("",)


def test_a_host_that_was_not_examined_shows_why() -> None:
    refused = HEALTHY | {"driver": {"records": {}, "error": {"kind": "refused", "reason": "sudo: no\nreally"}}}
    found = excerpt(refused, "driver.nvidia_smi_list")
    assert found is not None
    assert found.lines == ("sudo: no", "really")


def test_fields_are_lines_with_their_path() -> None:
    tree = {"kubernetes": {"node": {"spec": {"taints": [{"key": "a/b", "value": None}], "on": True, "none": []}}}}
    found = excerpt(tree, "kubernetes.node.spec")
    assert found is not None
    assert found.lines == ("taints[0].key: a/b", "taints[0].value: null", "on: true", "none: []")


def test_a_name_with_dots_and_an_item_by_its_type_are_found() -> None:
    allocatable = excerpt(HEALTHY, "kubernetes.node.status.allocatable.nvidia.com/gpu")
    ready = excerpt(HEALTHY, "kubernetes.node.status.conditions.Ready")
    assert allocatable is not None
    assert ready is not None
    assert allocatable.lines == ("4",)
    assert "status: True" in ready.lines
    assert excerpt(HEALTHY, "kubernetes.node.status.conditions.Unheard") is None


@pytest.mark.parametrize("name", cases())
def test_what_passes_shows_its_proof(name: str) -> None:
    """At least one pointer of each proof leads somewhere, and where GPUs are claimed it is the slices."""
    tree, verdict = of_case(name), judge_node(of_case(name))
    for checkpoint in verdict.checkpoints:
        if checkpoint.status == "pass":
            given = [pointer for pointer in proofs(tree)[checkpoint.number] if excerpt(tree, pointer)]
            assert given
            if "ResourceSlice" in (checkpoint.seen or ""):
                assert "kubernetes.objects.resource_slices" in given


def test_a_healthy_node_shows_all_of_its_proof_but_for_an_image_that_was_not_asked_for() -> None:
    missing = [p for pointers in proofs(HEALTHY).values() for p in pointers if excerpt(HEALTHY, p) is None]
    assert missing == ["smoke_pod.cuda.log"]
