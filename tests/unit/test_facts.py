# SPDX-License-Identifier: GPL-3.0-or-later
"""What a node is, in a few words; what was not seen is None, and never a guess."""

from __future__ import annotations

import copy
import typing as t

import pytest
from cases import base, cases, evidence
from test_driver_kinds import KINDS, records_of

from ansible_collections.gpu.k8s.plugins.module_utils._evidence.facts import facts_of

Tree = dict[str, t.Any]

HEALTHY = base("healthy-h100")
OF_THE_HOST = ("gpus", "models", "uuids", "driver", "toolkit")
OF_THE_NODE = ("os", "kubelet", "container_runtime", "capacity", "allocatable")


def of_kind(kind: str) -> Tree:
    """A machine of another kind, at a Node that the API does not tell of."""
    return facts_of({"driver": {"records": records_of(KINDS[kind]), "error": None}})


def test_a_healthy_node_shows_them_all() -> None:
    """The toolkit of this node says of itself that its version is unknown."""
    facts = facts_of(HEALTHY)
    assert facts == {
        "gpus": 4,
        "models": ["4x NVIDIA H100 80GB HBM3"],
        "uuids": sorted(facts["uuids"]),
        "driver": "550.163.01",
        "toolkit": None,
        "kernel": "6.1.0-40-amd64",
        "os": "Debian GNU/Linux 12 (bookworm)",
        "kubelet": "v1.37.2",
        "container_runtime": "containerd://2.4.2",
        "capacity": "4",
        "allocatable": "4",
    }
    assert len(set(facts["uuids"])) == 4


def test_the_toolkits_version_is_that_of_its_tool() -> None:
    assert facts_of(base("toolkit-crio"))["toolkit"] == "1.19.1"


@pytest.mark.parametrize("name", cases())
def test_facts_of_any_case_have_the_same_names(name: str) -> None:
    assert set(facts_of(evidence(cases()[name]))) == set(facts_of(HEALTHY))


def test_an_unreachable_host_tells_nothing_of_itself() -> None:
    error = {"kind": "unreachable", "reason": "no route"}
    facts = facts_of(HEALTHY | {"driver": {"records": {}, "error": error}, "toolkit": {"records": {}, "error": error}})
    assert {facts[name] for name in OF_THE_HOST} == {None}
    assert all(facts[name] for name in OF_THE_NODE)


def test_without_the_api_only_the_host_tells() -> None:
    whole = base("toolkit-crio")
    facts = facts_of(whole | {"kubernetes": {"error": "away"}})
    assert {facts[name] for name in OF_THE_NODE} == {None}
    assert all(facts[name] for name in OF_THE_HOST)
    assert facts["kernel"] == whole["driver"]["records"]["kernel_release"]["stdout"].strip()


def test_nothing_at_all_is_no_error() -> None:
    assert set(facts_of({}).values()) == {None}


def test_a_strange_transcript_is_not_seen() -> None:
    strange = copy.deepcopy(HEALTHY)
    strange["driver"]["records"]["nvidia_smi_list"]["stdout"] = None
    facts = facts_of(strange)
    assert facts["gpus"] is None
    assert facts["kubelet"] == "v1.37.2"


def test_gpus_that_are_cut_say_so() -> None:
    facts = of_kind("MIG with instances")
    assert facts["models"] == ["1x NVIDIA H100 80GB HBM3 in 2 MIG devices"]
    assert facts["gpus"] == len(facts["uuids"]) == 1


def test_wsl_has_its_driver_from_nvidia_smi() -> None:
    facts = of_kind("WSL")
    assert (facts["driver"], facts["models"]) == ("576.88", ["1x NVIDIA GeForce RTX 4080"])


def test_tegra_without_nvidia_smi_names_no_gpu() -> None:
    facts = of_kind("Jetson Xavier, which has no nvidia-smi")
    assert (facts["gpus"], facts["models"], facts["driver"]) == (None, None, None)


def test_the_resource_is_the_one_that_was_asked_for() -> None:
    shared = copy.deepcopy(HEALTHY)
    shared["expect"]["resource"] = "nvidia.com/mig-1g.10gb"
    shared["kubernetes"]["node"]["status"]["capacity"]["nvidia.com/mig-1g.10gb"] = "7"
    facts = facts_of(shared)
    assert (facts["capacity"], facts["allocatable"]) == ("7", None)


def test_a_node_whose_gpus_are_claimed_advertises_none() -> None:
    facts = facts_of(evidence(cases()["device_plugin/claims_only"]))
    assert facts["gpus"] == 4
    assert facts["allocatable"] in (None, "0")
