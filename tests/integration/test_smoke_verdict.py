# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu.k8s.smoke_verdict in somebody else's playbook: their Pods, kubernetes.core's modules, and the fact."""

from __future__ import annotations

import json
import subprocess
import typing as t
from pathlib import Path

import pytest
from conftest import BIN, LAB_RUN, ROOT

CLUSTER = {"kubeconfig": str(LAB_RUN / "kubeconfig"), "context": "gpu-k8s-lab", "namespace": "default"}
COMMANDS = {
    "theirs-works": "nvidia-smi -L && echo Test PASSED",
    "theirs-says-so-and-fails": "nvidia-smi -L; echo Test PASSED; exit 3",
    "theirs-is-silent": "nvidia-smi -L",
    "theirs-passes-and-errs": "echo Test PASSED; echo 'Failed to initialize NVML: Unknown Error'",
}


def a_pod(name: str) -> dict[str, t.Any]:
    limits = {"nvidia.com/gpu": 1}
    container = {"name": "cuda", "image": "docker.io/lab/smoke:1", "command": ["/bin/sh", "-c", COMMANDS[name]]}
    spec = {
        "restartPolicy": "Never",
        "runtimeClassName": "nvidia",
        "containers": [container | {"resources": {"limits": limits}}],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"theirs": "yes"}}, "spec": spec}


def tasks(name: str, into: Path) -> list[dict[str, t.Any]]:
    """What a reader of the module's documentation would write."""
    phase = "pod.resources | map(attribute='status.phase') | intersect(['Succeeded', 'Failed']) | length > 0"
    ended = {"until": phase, "retries": 30, "delay": 1}
    verdict = {
        "pod": "{{ pod.resources | first | default({}) }}",
        "log": "{{ log.log }}",
        "pass_pattern": "Test PASSED",
    }
    return [
        {"kubernetes.core.k8s_info": {**CLUSTER, "kind": "Pod", "name": name}, "register": "pod", **ended},
        {"kubernetes.core.k8s_log": {**CLUSTER, "name": name}, "register": "log"},
        {"gpu.k8s.smoke_verdict": verdict, "register": "smoke"},
        {"ansible.builtin.copy": {"content": "{{ smoke }}", "dest": str(into / f"{name}.json")}},
    ]


@pytest.fixture(scope="module")
def verdicts(kubectl: t.Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, t.Any]]:
    folder = tmp_path_factory.mktemp("verdicts")
    (folder / "pods.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [a_pod(name) for name in COMMANDS]})
    )
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {"ansible_python_interpreter": "{{ ansible_playbook_python }}"},
        "tasks": [task for name in COMMANDS for task in tasks(name, folder)],
    }
    (folder / "play.yml").write_text(json.dumps([play]))
    try:
        kubectl("create", "--filename", str(folder / "pods.json"))
        done = subprocess.run(
            [BIN / "ansible-playbook", "-i", "localhost,", "-c", "local", folder / "play.yml"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        kubectl("delete", "pods", "--selector", "theirs", "--wait=false")
    assert done.returncode == 0, done.stdout
    return {name: json.loads((folder / f"{name}.json").read_text()) for name in COMMANDS}


def test_a_pod_that_proves_its_gpu(verdicts: dict[str, dict[str, t.Any]]) -> None:
    smoke = verdicts["theirs-works"]
    assert (smoke["passed"], smoke["status"], smoke["exit_code"], smoke["reason"]) == (True, "pass", 0, "Completed")
    assert len(smoke["gpus"]) == 1
    assert smoke["gpus"][0] in smoke["why"]


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("theirs-says-so-and-fails", "fail", "SMK007"),
        ("theirs-is-silent", "unknown", "SMK010"),
        ("theirs-passes-and-errs", "fail", "SMK012"),
    ],
)
def test_a_pod_that_does_not(verdicts: dict[str, dict[str, t.Any]], name: str, status: str, code: str) -> None:
    smoke = verdicts[name]
    assert (smoke["passed"], smoke["status"], smoke["code"], smoke["layer"]) == (False, status, code, "smoke_pod")
    assert smoke["why"]
