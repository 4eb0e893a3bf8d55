# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu.k8s.smoke_verdict by itself: one Pod as kubernetes.core.k8s_info returns it, and its log."""

from __future__ import annotations

import typing as t

import pytest
from cases import base, cases, evidence

from ansible_collections.gpu.k8s.plugins.module_utils._evidence.driver import read_driver
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.host import read_look
from ansible_collections.gpu.k8s.plugins.module_utils._judge.smoke_pod_alone import judge_pod, judge_pods
from ansible_collections.gpu.k8s.plugins.modules.smoke_verdict import what_is_wrong

OPTIONS: dict[str, t.Any] = dict.fromkeys(
    (
        "pod",
        "log",
        "container",
        "nonce",
        "pass_pattern",
        "fail_pattern",
        "gpus",
        "node",
        "host_uuids",
        "control_pod",
        "control_log",
        "control_nonce",
        "pods",
    )
)
PASSED = "[Vector addition of 50000 elements]\nTest PASSED\nDone\n"


def given(**options: t.Any) -> dict[str, t.Any]:
    """The healthy smoke Pod of a base, with the limits that the API shows."""
    smoke = base("healthy-h100")["smoke_pod"]
    pod = smoke["pod"]
    pod["spec"]["containers"] = [{"name": "smoke", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]
    healthy = {"pod": pod, "log": smoke["log"], "nonce": smoke["nonce"], "resource": "nvidia.com/gpu"}
    return OPTIONS | healthy | options


def somebody_elses(log: str | None = PASSED, status: dict | None = None, **options: t.Any) -> dict[str, t.Any]:
    """A Pod without nonces, as the documentation of vectorAdd has it."""
    mine = given(log=log, nonce=None, pass_pattern="Test PASSED", **options)
    mine["pod"]["status"] |= status or {}
    return mine


def container(exit_code: int | None, reason: str, name: str = "smoke", **more: t.Any) -> dict[str, t.Any]:
    state = (
        {"waiting": {"reason": reason}}
        if exit_code is None
        else {"terminated": {"exitCode": exit_code, "reason": reason}}
    )
    return {"name": name, "restartCount": 0, "state": state, **more}


def ended(exit_code: int | None, reason: str, **more: t.Any) -> dict[str, t.Any]:
    return {
        "phase": "Succeeded" if exit_code == 0 else "Failed",
        "containerStatuses": [container(exit_code, reason, **more)],
    }


def test_a_pod_that_proves_its_gpu_passes() -> None:
    verdict = judge_pod(given())
    assert verdict["passed"] is True
    assert (verdict["status"], verdict["code"], verdict["layer"]) == ("pass", "", "")
    assert (verdict["exit_code"], verdict["reason"]) == (0, "Completed")
    assert verdict["gpus"] == ["GPU-4717e76a-4077-c20e-e9de-a2e77bb898cd"]
    assert "no control was looked at" in verdict["why"]


def test_with_a_control_it_is_looked_at() -> None:
    control = base("healthy-h100")["control_pod"]
    options = {"control_pod": control["pod"], "control_nonce": control["nonce"]}
    assert judge_pod(given(**options, control_log=control["log"]))["passed"]
    seen = control["log"].replace("gpu-k8s end", "device /dev/nvidia0\ngpu-k8s end")
    assert judge_pod(given(**options, control_log=seen))["code"] == "SMK013"


def test_somebody_elses_pod_passes_by_its_own_words() -> None:
    verdict = judge_pod(somebody_elses())
    assert verdict["passed"] is True
    assert verdict["gpus"] == []
    assert "pass_pattern" in verdict["why"]


@pytest.mark.parametrize(
    ("options", "status", "code"),
    [
        ({"log": None}, "unknown", "SMK010"),
        ({"log": ""}, "unknown", "SMK010"),
        ({"log": "unable to retrieve container logs for containerd://61a9"}, "unknown", "SMK010"),
        ({"log": "==========\n== CUDA ==\n=========="}, "unknown", "SMK010"),
        ({"log": PASSED + "ERR!"}, "fail", "SMK012"),
        ({"log": PASSED + "my own words of failure", "fail_pattern": "own words"}, "fail", "SMK012"),
        ({"log": PASSED, "status": ended(1, "Error")}, "fail", "SMK007"),
        ({"log": PASSED, "status": ended(0, "OOMKilled")}, "unknown", "SMK021"),
        ({"log": PASSED, "status": ended(0, "Completed", restartCount=2)}, "unknown", "SMK011"),
        ({"log": PASSED, "status": ended(137, "ContainerStatusUnknown")}, "unknown", "SMK022"),
        ({"log": PASSED, "status": ended(255, "Unknown")}, "unknown", "SMK022"),
        ({"log": PASSED, "status": ended(255, "Error")}, "fail", "SMK007"),
        ({"log": PASSED, "status": ended(137, "Error")}, "unknown", "SMK011"),
        ({"log": PASSED, "status": ended(143, "Error")}, "unknown", "SMK011"),
        ({"log": None, "status": ended(None, "CreateContainerConfigError")}, "unknown", "SMK039"),
        ({"log": PASSED, "status": {"phase": "Failed", "reason": "DeadlineExceeded"}}, "unknown", "SMK011"),
        ({"log": PASSED, "status": {"phase": "Unknown"}}, "unknown", "SMK022"),
        ({"log": PASSED, "status": {"phase": "Running", "containerStatuses": []}}, "unknown", "SMK011"),
        ({"log": PASSED, "node": "node9"}, "unknown", "SMK016"),
        ({"log": PASSED, "resource": "nvidia.com/mig-1g.10gb"}, "unknown", "SMK038"),
    ],
)
def test_never_a_pass(options: dict[str, t.Any], status: str, code: str) -> None:
    verdict = judge_pod(somebody_elses(**options))
    assert (verdict["passed"], verdict["status"], verdict["code"]) == (False, status, code)
    assert verdict["why"]


def test_a_pod_that_is_not_there_is_unknown() -> None:
    verdict = judge_pod(given(pod={}))
    assert (verdict["status"], verdict["code"], verdict["exit_code"]) == ("unknown", "SMK011", None)


def test_the_named_container_counts_and_not_the_phase() -> None:
    statuses = [container(0, "Completed", "app"), container(1, "Error", "helper")]
    options = somebody_elses(status={"phase": "Failed", "containerStatuses": statuses}, container="app")
    assert judge_pod(options)["passed"]
    assert judge_pod(options | {"container": "helper"})["code"] == "SMK007"


def test_an_init_container_that_failed_is_told() -> None:
    broken = {
        "phase": "Pending",
        "initContainerStatuses": [container(3, "Error", "prepare")],
        "containerStatuses": [container(None, "PodInitializing")],
    }
    verdict = judge_pod(somebody_elses(log=None, status=broken))
    assert (verdict["status"], verdict["code"]) == ("unknown", "SMK011")
    assert "prepare" in verdict["why"]


def test_the_limits_say_how_many_gpus_it_must_see() -> None:
    two = given()
    two["pod"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = "2"
    assert judge_pod(two)["code"] == "SMK008"


def test_a_gpu_that_the_host_does_not_have_is_told() -> None:
    assert judge_pod(given(host_uuids=["GPU-0"]))["code"] == "SMK009"


def test_banners_and_odd_bytes_do_not_matter() -> None:
    mine = given()
    assert judge_pod(mine | {"log": "== CUDA ==\n\ufffd\ufffd\nERROR? no\n" + mine["log"]})["passed"]


@pytest.mark.parametrize("name", [name for name in cases() if name.startswith("smoke_pod/")])
def test_no_case_that_is_not_proven_passes(name: str) -> None:
    """What the whole chain does not pass for the smoke Pod's sake, the module alone must not pass either."""
    case = cases()[name]
    if case["says"]["status"] == "warning" or "smoke_scope" in str(case) or "smoke_cuda" in str(case):
        return  # the module is not told of what else the run expects
    whole = evidence(case)
    if whole["smoke_pod"] is None:
        return
    uuids = read_driver(t.cast(t.Any, read_look(whole["driver"]))).gpus or ()
    pods = whole | {"node": "node1", "host_uuids": [gpu.uuid for gpu in uuids]}
    assert judge_pods(pods, "nvidia.com/gpu")["passed"] is False


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (given(), ""),
        (given(nonce=None), "nonce or pass_pattern"),
        (given(pass_pattern="("), "pass_pattern is no regular expression"),
        (given(control_pod={"spec": {}}), "control_nonce"),
        (
            OPTIONS | {"pods": [{"host": "h", "smoke_pod": {}, "smoke_pods_more": [{"pod": {}}], "control_pod": None}]},
            "h has no nonce",
        ),
    ],
)
def test_useless_options_are_told(options: dict[str, t.Any], says: str) -> None:
    assert says in what_is_wrong(options)
    assert bool(says) == bool(what_is_wrong(options))
