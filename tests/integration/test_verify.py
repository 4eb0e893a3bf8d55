# SPDX-License-Identifier: GPL-3.0-or-later
"""The chain on the lab: what a user types, and what they must never be told."""

from __future__ import annotations

import json
import stat
import typing as t
from pathlib import Path

import pytest
from conftest import LAB_RUN, NODES, ROOT, Playbook, Run
from service_account import kubeconfig_of

SMOKE_PODS = (
    "get",
    "pods",
    "--all-namespaces",
    "--selector",
    "app.kubernetes.io/managed-by=gpu.k8s",
    "--output",
    "name",
)


def test_healthy_nodes_are_usable(healthy: Run, kubectl: t.Callable[..., str]) -> None:
    run = healthy
    assert run.exit_status == 0, run.output
    assert run.conclusions == dict.fromkeys(NODES, "usable")
    assert all(run.marks(node) == ["pass"] * 6 for node in NODES)
    assert run.report is not None
    assert run.report["conclusion"] == "usable"
    assert run.report["cluster"]["uid"] == kubectl("get", "ns", "kube-system", "-o", "jsonpath={.metadata.uid}")
    assert "3 of 3 nodes usable" in run.output
    assert kubectl(*SMOKE_PODS) == ""


def test_what_is_written_is_for_its_owner_only(healthy: Run) -> None:
    paths = list(healthy.folder.rglob("*"))
    assert len(paths) > 1 + 1 + len(NODES)
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_dir()} == {0o700}


def test_replay_gives_the_same_verdict_to_the_byte(healthy: Run, play: Playbook, tmp_path: Path) -> None:
    again = play(
        playbook="playbooks/replay.yml",
        inventory="localhost,",
        gpu_k8s_evidence_folder=str(healthy.folder / "evidence"),
        gpu_k8s_report_folder=str(tmp_path),
    )
    assert again.exit_status == 0, again.output
    assert (tmp_path / "report.json").read_bytes() == (healthy.folder / "report.json").read_bytes()
    assert again.word == healthy.word == "usable"


def test_replay_without_evidence_is_not_green(play: Playbook, tmp_path: Path) -> None:
    run = play(playbook="playbooks/replay.yml", inventory="localhost,", gpu_k8s_evidence_folder=str(tmp_path))
    assert run.exit_status != 0
    assert "Not proven" in run.output
    assert run.word == "bad_input"


@pytest.mark.parametrize(
    ("layer", "numbers"),
    [("driver", [1]), ("toolkit", [2]), ("device_plugin", [3]), ("scheduler", [4]), ("smoke_pod", [5, 6])],
)
def test_one_layer_alone(play: Playbook, layer: str, numbers: list[int]) -> None:
    run = play("--tags", layer)
    assert run.exit_status != 0
    assert run.conclusions == dict.fromkeys(NODES, "not proven")
    assert [n for n, status in enumerate(run.marks("node1"), 1) if status == "pass"] == numbers
    assert run.marks("node1").count("skip") == 6 - len(numbers)
    assert "gpu_k8s_gate=chosen" in run.output


def test_the_gate_can_ask_for_the_chosen_layers_only(play: Playbook) -> None:
    run = play("--tags", "driver,toolkit", gpu_k8s_gate="chosen")
    assert run.exit_status == 0, run.output
    assert run.conclusions == dict.fromkeys(NODES, "not proven")


def test_check_mode_creates_nothing_and_proves_less(play: Playbook, kubectl: t.Callable[..., str]) -> None:
    before = kubectl("get", "events", "--output", "name")
    run = play("--check")
    assert run.exit_status != 0
    assert run.marks("node2") == ["pass"] * 4 + ["skip"] * 2
    assert kubectl("get", "events", "--output", "name") == before
    assert kubectl(*SMOKE_PODS) == ""


def test_limit_without_localhost_says_what_to_type(play: Playbook) -> None:
    run = play("--limit", "node2")
    assert run.exit_status != 0
    assert "Use --limit 'node2,localhost'" in run.output


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"gpu_k8s_hosts": "gpu_noodles"}, "gpu_k8s_hosts='gpu_noodles' matches no host"),
        ({"gpu_k8s_context": ""}, "gpu_k8s_context is not set"),
        ({"gpu_k8s_contxt": "lab"}, "Did you mean gpu_k8s_context?"),
        ({"gpu_k8s_gate": "sometimes"}, "gpu_k8s_gate must be one of: usable, chosen, broken, none"),
        ({"gpu_k8s_smoke_gpus": "one"}, "gpu_k8s_smoke_gpus"),
        ({"gpu_k8s_smoke_gpus": 0}, "gpu_k8s_smoke_gpus must be at least 1"),
    ],
)
def test_wrong_input_names_the_variable_and_leaves_no_old_report(
    play: Playbook, variables: dict[str, str], says: str
) -> None:
    (ROOT / "build/test").mkdir(parents=True, exist_ok=True)
    run = play(**variables)
    assert run.exit_status != 0
    assert says in " ".join(run.output.split())
    assert run.report is None
    assert run.word == "bad_input"


def test_another_cluster_than_the_pinned_one_is_asked_for_its_uid_alone(
    play: Playbook, kubectl: t.Callable[..., str]
) -> None:
    run = play(gpu_k8s_cluster_uid="0f3c9a4e-6a51-4c1b-9a0e-2f6d5c1b7e42")
    assert run.exit_status != 0
    assert run.word == "bad_input"
    assert kubectl("get", "ns", "kube-system", "-o", "jsonpath={.metadata.uid}") in run.output
    asked = {(request["verb"], request["requestURI"]) for request in run.own_requests()}
    assert asked == {("get", "/api/v1/namespaces/kube-system")}


def test_an_old_report_does_not_outlive_the_start_of_the_next_run(play: Playbook) -> None:
    assert play("--tags", "driver").report is not None
    assert play(gpu_k8s_hosts="nobody").report is None


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"gpu_k8s_context": "production"}, "has no context 'production'; it has: gpu-k8s-lab"),
        ({"gpu_k8s_kubeconfig": "/nowhere/config"}, "No such file"),
        ({"gpu_k8s_kubeconfig": "/etc/hostname"}, "can't be used"),
    ],
)
def test_a_wrong_way_to_the_cluster_is_not_proven(play: Playbook, variables: dict[str, str], says: str) -> None:
    run = play(**variables)
    assert run.exit_status != 0
    assert run.conclusions == dict.fromkeys(NODES, "not proven")
    assert run.marks("node1") == ["pass", "pass", "unknown", "unknown", "unknown", "unknown"]
    assert run.codes("node1") == {"PRE002"}
    assert says in " ".join(run.output.split())


def test_an_identity_without_rights_is_not_proven(
    play: Playbook, kubectl: t.Callable[..., str], tmp_path: Path
) -> None:
    """A ServiceAccount that may do nothing: every list is refused, and no Pod is made."""
    kubectl("create", "serviceaccount", "nobody")
    try:
        kubeconfig = kubeconfig_of(kubectl, "nobody", "default", tmp_path)
        token = json.loads(kubeconfig.read_text())["users"][0]["user"]["token"]
        run = play(gpu_k8s_kubeconfig=str(kubeconfig))
    finally:
        kubectl("delete", "serviceaccount", "nobody")
    assert run.exit_status != 0
    assert run.marks("node1")[2:] == ["unknown"] * 4
    assert run.codes("node1") == {"PRE007"}
    assert token not in run.output + "".join(p.read_text() for p in run.folder.rglob("*.json"))


def test_an_address_that_leads_to_another_node_is_not_proven(play: Playbook, tmp_path: Path) -> None:
    inventory = tmp_path / "hosts.yml"
    inventory.write_text("gpu_nodes: {hosts: {node1: {ansible_host: 10.213.0.12}}}\n")
    run = play("-i", str(inventory), "--limit", "node1,localhost")
    assert run.conclusions == {"node1": "not proven"}
    assert run.codes("node1") == {"PRE004"}


def test_the_probe_by_hand_prints_what_a_person_can_read(ssh: t.Callable[..., str]) -> None:
    text = ssh("node2", "sh -s", (ROOT / "roles/driver/files/probe.sh").read_text())
    assert "== nvidia_smi_list: nvidia-smi -L\nGPU 0: NVIDIA H100" in text
    assert "-- exit code 0" in text
    assert "gpu-k8s" not in ssh("node2", "ls -A /tmp")


def test_the_experiment_leaves_nothing_on_the_node(play: Playbook, ssh: t.Callable[..., str]) -> None:
    play("--tags", "toolkit")
    assert "gpu-k8s" not in ssh("node1", "ctr -n k8s.io containers list -q; ctr -n k8s.io snapshots list; ls -A /tmp")


def test_nodes_need_no_python(ssh: t.Callable[..., str]) -> None:
    assert ssh("node2", "command -v python3 || echo none").strip() == "none"


def test_the_kubeconfig_has_no_current_context() -> None:
    assert (
        'current-context: ""' in (LAB_RUN / "kubeconfig").read_text()
        or "current-context" not in (LAB_RUN / "kubeconfig").read_text()
    )
