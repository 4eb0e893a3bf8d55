# SPDX-License-Identifier: GPL-3.0-or-later
"""A verification after somebody else's provisioning, with their inventory, settings and habits: nothing is disturbed.

The playbooks are those of docs/provisioning.md as they are. They provision with joining/cluster.yml; the inventories
have the shapes that kubespray and k3s-ansible use.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import typing as t
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from conftest import BIN, LAB_RUN, MINUTES, ROOT

JOINING = ROOT / "tests/integration/joining"
PAGE = ROOT / "docs/provisioning.md"
VERIFY = ROOT / "playbooks/verify.yml"

Variables = dict[str, dict[str, t.Any]]


@dataclass
class Joined:
    """How the caller's run ended. ``before`` and ``after`` it are the variables of all hosts."""

    exit_status: int
    output: str
    folder: Path

    @property
    def before(self) -> Variables:
        return self._variables("before")

    @property
    def after(self) -> Variables:
        return self._variables("after")

    def _variables(self, when: str) -> Variables:
        return t.cast(Variables, json.loads((self.folder / f"{when}.json").read_text()))

    @property
    def verified(self) -> bool:
        return (self.folder / "gpu-k8s-report").exists()

    @property
    def conclusions(self) -> dict[str, str]:
        report = json.loads((self.folder / "gpu-k8s-report/report.json").read_text())
        return {node["host"]: node["conclusion"] for node in report["nodes"]}


class Site(t.Protocol):
    def __call__(self, *arguments: str, **variables: t.Any) -> Joined: ...


def _run(folder: Path, inventory: str, arguments: tuple[str, ...], given: t.Any, **environment: str) -> Joined:
    """Run the example, then write down the variables again, in one ansible-playbook in the caller's folder."""
    variables = {"joining_folder": str(folder), "gpu_k8s_context": "gpu-k8s-lab", "gpu_k8s_smoke_timeout": 40}
    variables |= {"gpu_k8s_smoke_image": "docker.io/lab/smoke:1", **given}
    playbooks = ["gpu.yml", JOINING / "remember.yml"]
    done = subprocess.run(
        [BIN / "ansible-playbook", "-i", inventory, *playbooks, "-e", json.dumps(variables), *arguments],
        cwd=folder,
        env=os.environ
        | {"ANSIBLE_CONFIG": "ansible.cfg", "ANSIBLE_COLLECTIONS_PATH": f"collections:{ROOT}/build/collections"}
        | {"KUBECONFIG": "/nowhere/kubeconfig"}
        | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=5 * MINUTES,
        check=False,
    )
    return Joined(done.returncode, done.stdout, folder)


def _example(name: str) -> str:
    """The block of the page that begins with these words."""
    return name + PAGE.read_text().split(f"```yaml\n{name}")[1].split("\n```")[0] + "\n"


@pytest.fixture
def kubespray(tmp_path: Path) -> Site:
    """The folder of somebody who uses kubespray."""
    kubeconfig = tmp_path / "inventory/mycluster/artifacts/admin.conf"
    kubeconfig.parent.mkdir(parents=True)
    kubeconfig.symlink_to(LAB_RUN / "kubeconfig")
    for name in ("inventory.ini", "group_vars"):
        (tmp_path / "inventory/mycluster" / name).symlink_to(JOINING / "kubespray" / name)
    (tmp_path / "ansible.cfg").symlink_to(JOINING / "kubespray/ansible.cfg")
    (tmp_path / "gpu.yml").write_text(_example("# gpu.yml, beside kubespray's cluster.yml"))
    (tmp_path / "cluster.yml").write_text(f"- import_playbook: {JOINING}/cluster.yml\n")

    def run(*arguments: str, **variables: t.Any) -> Joined:
        return _run(tmp_path, "inventory/mycluster/inventory.ini", arguments, variables)

    return run


@pytest.fixture
def k3s_ansible(tmp_path: Path) -> Site:
    """The folder of somebody who uses k3s-ansible."""
    playbooks = tmp_path / "collections/ansible_collections/k3s/orchestration/playbooks"
    playbooks.mkdir(parents=True)
    (playbooks / "site.yml").write_text(f"- import_playbook: {JOINING}/cluster.yml\n")
    (tmp_path / "gpu.yml").write_text(_example("# gpu.yml, with k3s-ansible"))
    for name in ("ansible.cfg", "inventory.yml"):
        (tmp_path / name).symlink_to(JOINING / "k3s-ansible" / name)
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube/config").symlink_to(LAB_RUN / "kubeconfig")

    def run(*arguments: str, **variables: t.Any) -> Joined:
        home = {"HOME": str(tmp_path), "LAB_CACHE": str(LAB_RUN.parent)}
        return _run(tmp_path, "inventory.yml", arguments, variables, **home)

    return run


def _names_of_ours() -> set[str]:
    """What the tasks of a verification register or set: the only names that it may leave behind."""
    names = set()

    def read(tasks: list[dict[str, t.Any]]) -> None:
        for task in tasks:
            names.update([task["register"]] if "register" in task else [], task.get("ansible.builtin.set_fact", {}))
            for section in ("block", "rescue", "always", "tasks"):
                read(task.get(section, []))

    for file in [VERIFY, *(file for role in _roles() for file in ROOT.glob(f"roles/{role}/tasks/*.yml"))]:
        read(yaml.safe_load(file.read_text()) or [])
    return names


def _roles() -> set[str]:
    return set(re.findall(r"name: gpu\.k8s\.(\w+)", VERIFY.read_text()))


def _disturbed(run: Joined) -> dict[str, set[str]]:
    """By host, the variables that have changed, gone or come, but for those that the roles are known to set."""
    nothing: dict[str, t.Any] = {}
    ours = _names_of_ours() | {"joining_who"}
    found = {}
    for host in run.before.keys() | run.after.keys():
        before, after = run.before.get(host, nothing), run.after.get(host, nothing)
        names = {name for name in before.keys() | after.keys() if before.get(name, run) != after.get(name, run)}
        if names - ours:
            found[host] = names - ours
    return found


def test_after_kubespray(kubespray: Site) -> None:
    """All layers of two nodes, where the caller's variables for all hosts would lead localhost astray."""
    run = kubespray("--become")
    assert run.exit_status == 0, run.output
    assert run.conclusions == {"node2": "usable", "node3": "usable"}
    assert run.before["node2"]["node_hostname"] == run.before["node2"]["ansible_facts"]["node_hostname"] == "node2"
    assert _disturbed(run) == {}
    assert all(name.startswith(tuple(f"{role}_" for role in _roles())) for name in _names_of_ours())
    who = [run.before["node3"]["joining_who"]["stdout"], run.after["node3"]["joining_who"]["stdout"]]
    assert who[0] == who[1] != ""


def test_after_k3s_ansible(k3s_ansible: Site) -> None:
    """One node, named by its address, whose facts were gathered and forgotten; the environment leads astray."""
    run = k3s_ansible("--limit", "10.213.0.13,localhost", joining_gathers=True, joining_forgets=True)
    assert run.exit_status == 0, run.output
    assert run.conclusions == {"10.213.0.13": "usable"}
    assert _disturbed(run) == {}


@pytest.mark.parametrize("arguments", [["--tags", "node", "--limit", "node2"], ["--skip-tags", "gpu"]])
def test_runs_with_other_tags_are_left_alone(kubespray: Site, arguments: list[str]) -> None:
    run = kubespray(*arguments)
    assert run.exit_status == 0, run.output
    assert not run.verified


@pytest.mark.parametrize("arguments", [["--limit", "node1"], ["--limit", "node2", "--tags", "gpu"]])
def test_a_limit_without_localhost_says_what_to_type(kubespray: Site, arguments: list[str]) -> None:
    """Also where it leaves no node to verify."""
    run = kubespray(*arguments)
    assert run.exit_status != 0
    assert f"Use --limit '{arguments[1]},localhost'" in " ".join(run.output.split())


def test_an_environment_that_leads_elsewhere_is_refused(kubespray: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("K8S_AUTH_HOST", "https://192.0.2.1:6443")
    monkeypatch.setenv("K8S_AUTH_CONTEXT", "production")
    run = kubespray("--tags", "gpu")
    assert run.exit_status != 0
    assert "the environment sets K8S_AUTH_HOST, which" in " ".join(run.output.split())
    assert (run.folder / "gpu-k8s-report/conclusion").read_text() == "bad_input\n"


def test_a_node_whose_provisioning_failed_is_not_proven(kubespray: Site) -> None:
    """Ansible leaves it out of what follows: it is told all the same, and the others are judged."""
    run = kubespray(
        "--skip-tags", "toolkit,device_plugin,scheduler,smoke_pod", joining_fails_on="node2", gpu_k8s_gate="chosen"
    )
    assert run.exit_status != 0
    assert run.conclusions == {"node2": "not proven", "node3": "not proven"}
    assert "node2" in run.output
