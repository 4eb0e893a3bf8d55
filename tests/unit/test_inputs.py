# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with what the user set is told before anything is asked, with the variable and the remedy."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.gpu.k8s.plugins.plugin_utils._inputs import (
    Hosts,
    inputs_of_roles,
    wrong_environment,
    wrong_for_debug_pods,
    wrong_variables,
)

Tree = dict[str, t.Any]

ROLES = Path(__file__).parents[2] / "roles"
INPUTS = yaml.safe_load((ROLES / "preflight/vars/main.yml").read_text())["__preflight_inputs"]


def hosts_of(inventory: dict[str, Tree], **of_play: t.Any) -> Hosts:
    """What the beginning of a run finds of these hosts and their variables, those of localhost among them."""
    hostvars = {"localhost": {}, **inventory}
    names = [host for host in inventory if host != "localhost"]
    return Hosts(names, {"hostvars": hostvars, **hostvars["localhost"], **of_play}, lambda value: value)


def test_each_host_has_its_own_way() -> None:
    hosts = hosts_of({"a": {}, "b": {"gpu_k8s_host_access": "debug_pod"}})
    assert (hosts.reached_by("ssh"), hosts.reached_by("debug_pod")) == (["a"], ["b"])
    assert list(hosts.wrong(INPUTS)) == []


def test_a_variable_of_the_play_comes_before_those_of_its_hosts() -> None:
    inventory: dict[str, Tree] = {"localhost": {"gpu_k8s_host_access": "ssh"}, "a": {"gpu_k8s_host_access": "none"}}
    assert hosts_of(inventory, gpu_k8s_host_access="debug_pod").reached_by("debug_pod") == ["a"]
    assert hosts_of(inventory).reached_by("none") == ["a"]


def test_what_is_wrong_of_one_host_is_told_with_its_name() -> None:
    inventory: dict[str, Tree] = {
        "a": {"gpu_k8s_host_access": "telnet"},
        "b": {"gpu_k8s_waive": ["scheduler"]},
        "c": {"gpu_k8s_waive": "driver"},
    }
    wrong = list(hosts_of(inventory).wrong(INPUTS))
    assert [text.partition(":")[0] for text in wrong] == ["a", "b"]
    assert "telnet" in wrong[0]
    assert "scheduler" in wrong[1]


def test_what_counts_for_the_whole_run_is_not_set_for_some_hosts() -> None:
    """It would be ignored: the plays on localhost read it."""
    of_group = {"gpu_k8s_startup_taint": "release", "gpu_k8s_node_name": "n", "gpu_k8s_expected_gpus": 8}
    (wrong,) = hosts_of({"a": {}, "b": of_group, "c": of_group}).wrong(INPUTS)
    assert wrong.startswith("gpu_k8s_startup_taint is set for b ")
    for_all = {name: dict(of_group) for name in ("localhost", "a", "b")}
    assert list(hosts_of(for_all).wrong(INPUTS)) == []


def test_a_name_that_is_spelt_wrongly_for_one_host_is_told() -> None:
    (wrong,) = hosts_of({"a": {}, "b": {"gpu_k8s_expected_gpu": 8}}).wrong(INPUTS)
    assert wrong.startswith("b: gpu_k8s_expected_gpu is no variable")
    assert "Did you mean gpu_k8s_expected_gpus?" in wrong


def test_what_an_earlier_run_came_to_is_no_input() -> None:
    """A workflow of AWX makes custom stats of one job variables of the next, which may verify again."""
    stats = {"gpu_k8s_conclusion": "broken", "gpu_k8s_summary": {"nodes": 1}, "gpu_k8s_broken": []}
    assert list(wrong_variables(INPUTS, stats, lambda value: value)) == []
    assert len(list(wrong_variables(INPUTS, stats | {"gpu_k8s_conclusions": 1}, lambda value: value))) == 1


@pytest.mark.parametrize("host", ["localhost", "a"])
def test_an_input_of_a_role_is_not_the_users_to_set(host: str) -> None:
    """It would open the gate, or go to another cluster, whatever the gpu_k8s_* variables say."""
    inventory: dict[str, Tree] = {"localhost": {}, "a": {}, host: {"report_gate": "none", "report_of_mine": 1}}
    (wrong,) = hosts_of(inventory).wrong(INPUTS)
    assert wrong.startswith("report_gate is set")


def test_the_inputs_are_those_of_all_roles_but_the_labs() -> None:
    names = inputs_of_roles()
    assert {"report_gate", "scheduler_context", "driver_deadline", "startup_taint_mode", "install_way"} <= names
    assert not [name for name in names if name.startswith(("lab_", "gpu_k8s_"))]
    of_report = yaml.safe_load((ROLES / "report/defaults/main.yml").read_text())
    assert {name for name in names if name.startswith("report_")} == set(of_report)


def test_debug_pods_take_a_namespace_and_a_cluster() -> None:
    wrong = list(wrong_for_debug_pods("", ""))
    assert ["gpu_k8s_debug_namespace is not set" in wrong[0], "gpu_k8s_context is not set" in wrong[1]] == [True, True]
    assert list(wrong_for_debug_pods("a", "b")) == []


def test_the_environment_leads_to_no_other_cluster() -> None:
    (wrong,) = wrong_environment({"K8S_AUTH_HOST": "https://other", "K8S_AUTH_API_KEY": "secret", "HOME": "/"})
    assert "K8S_AUTH_API_KEY, K8S_AUTH_HOST" in wrong
    assert "secret" not in wrong
    assert list(wrong_environment({"K8S_AUTH_CONTEXT": "another", "K8S_AUTH_KUBECONFIG": "x"})) == []
