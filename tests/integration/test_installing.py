# SPDX-License-Identifier: GPL-3.0-or-later
"""Installing on the lab: a node with its driver alone, and everything that is refused."""

from __future__ import annotations

import json
import re
import subprocess
import typing as t
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, Playbook, Run

INSTALL, UNINSTALL = "playbooks/install.yml", "playbooks/uninstall.yml"
PLATFORMS = {
    path.stem: yaml.safe_load(path.read_text()) for path in (ROOT / "tests/evidence/install/platforms").glob("*")
}
FOLDERS = "/etc/apt /etc/containerd /etc/nvidia-container-runtime /var/lib/gpu-k8s"
STATE = f"""
    dpkg-query --show
    find {FOLDERS} -type f -exec md5sum {{}} + 2>/dev/null | sort
    systemctl show containerd --property=ExecMainStartTimestamp
"""


@pytest.fixture
def consent(kubectl: t.Callable[..., str]) -> dict[str, t.Any]:
    return {
        "gpu_k8s_cluster_uid": kubectl("get", "ns", "kube-system", "-o", "jsonpath={.metadata.uid}"),
        "gpu_k8s_install_disposable": True,
        "gpu_k8s_install_way": "components",
        "gpu_k8s_install_components": ["toolkit", "device_plugin"],
    }


def changed(run: Run, host: str) -> int:
    found = re.search(rf"^{host} .*\bchanged=(\d+)", run.output, re.MULTILINE)
    assert found, run.output
    return int(found[1])


def outcome(run: Run) -> dict[str, str]:
    told = json.loads((run.folder / "install.json").read_text())
    steps = [*told["cluster"], *(step for steps in told["hosts"].values() for step in steps)]
    return {step["component"]: step["status"] for step in steps}


LOSE_A_GPU = "echo 'gpu.1.handle = 15' >>$(ls /usr/lib/*/libsim-nvml-conf.so.*)"
FIND_IT_AGAIN = """
    settings=$(ls /usr/lib/*/libsim-nvml-conf.so.*)
    kept=$(grep -v '^gpu.1.handle' "$settings")
    echo "$kept" >"$settings"
"""


def test_owners_and_production_are_refused_and_no_word_overrides_them(
    play: Playbook,
    consent: dict[str, t.Any],
    kubectl: t.Callable[..., str],
    ssh: t.Callable[..., str],
    bare_node: str,
    charts: Path,
) -> None:
    """All of it at once: a vendor's Node, another's broken driver, an operator's objects, and what others run."""
    before = ssh(bare_node, STATE)
    definitions, policy = charts / "gpu-operator/crds", Path(__file__).parent / "operator_objects/objects.yml"
    try:
        kubectl("label", "node", bare_node, "node.openshift.io/os_id=rhcos")
        ssh("node1", LOSE_A_GPU)
        kubectl("create", "--filename", str(definitions))
        kubectl("wait", "--for=condition=Established", "--timeout=20s", "--filename", str(definitions))
        kubectl("create", "--filename", str(policy))
        kubectl("create", "namespace", "shop-production")
        kubectl("create", "deployment", "shop", "--namespace=shop-production", "--image=lab/smoke:1", "--replicas=0")
        run = play(playbook=INSTALL, **consent | {"gpu_k8s_install_components": ["driver", "toolkit"]})
    finally:
        kubectl("label", "node", bare_node, "node.openshift.io/os_id-")
        ssh("node1", FIND_IT_AGAIN)
        kubectl("delete", "--ignore-not-found", "--filename", str(definitions))
        kubectl("delete", "namespace", "shop-production")
    assert run.exit_status == 2
    assert run.word == "bad_input"
    said = " ".join(run.output.split())
    for sign in ("openshift", "ClusterPolicy", "shop-production", "shop-production/shop"):
        assert sign in said, run.output
    assert re.search(r"node1.{0,40}driver", said)
    assert ssh(bare_node, STATE) == before


@pytest.mark.usefixtures("helm")
def test_a_bare_node_becomes_usable_and_bare_again(
    play: Playbook,
    bare_node: str,
    consent: dict[str, t.Any],
    kubectl: t.Callable[..., str],
    ssh: t.Callable[..., str],
    tmp_path: Path,
) -> None:
    only = ("--limit", f"{bare_node},localhost")
    before = ssh(bare_node, STATE)

    plan = play(*only, "--check", "--diff", playbook=INSTALL, **consent)
    assert plan.exit_status == 0, plan.output
    assert f"{bare_node} " in plan.output
    assert re.search(r"toolkit +install", plan.output)
    assert ssh(bare_node, STATE) == before

    broken = play(*only, playbook=INSTALL, **consent, gpu_k8s_install_chart=str(tmp_path / "no-chart"))
    assert broken.exit_status == 2
    assert outcome(broken) == {"toolkit": "done", "device_plugin": "failed"}
    told = (broken.folder / "install.md").read_text()
    assert "no-chart" in told
    assert "gpu.k8s.uninstall" in told

    done = play(*only, playbook=INSTALL, **consent)
    assert done.exit_status == 0, done.output
    assert done.conclusions == {bare_node: "usable"}
    assert done.word == "usable"

    again = play(*only, playbook=INSTALL, **consent)
    assert again.exit_status == 0, again.output
    assert changed(again, bare_node) == 0
    assert "gpu-k8s-device-plugin" in kubectl("get", "daemonsets", "--all-namespaces")

    other = play(*only, playbook=UNINSTALL, gpu_k8s_cluster_uid="0f3c9a4e-6a51-4c1b-9a0e-2f6d5c1b7e42")
    assert other.exit_status == 2
    assert "gpu-k8s-device-plugin" in kubectl("get", "daemonsets", "--all-namespaces")

    back = play(*only, playbook=UNINSTALL, gpu_k8s_cluster_uid=consent["gpu_k8s_cluster_uid"])
    assert back.exit_status == 0, back.output
    assert "gpu-k8s-device-plugin" not in kubectl("get", "daemonsets", "--all-namespaces")
    assert kubectl("get", "namespaces,nodes,runtimeclasses", "--selector", "gpu.k8s/installed-by", "-o", "name") == ""
    assert packages_and_files(ssh(bare_node, STATE)) == packages_and_files(before)


def packages_and_files(state: str) -> list[str]:
    """All of it but when the runtime was started."""
    return [line for line in state.splitlines() if "Timestamp" not in line]


def test_without_a_word_nothing_is_done(play: Playbook) -> None:
    run = play(playbook=INSTALL)
    assert run.exit_status == 2
    assert run.word == "bad_input"
    said = " ".join(run.output.split())
    for variable in ("gpu_k8s_install_way", "gpu_k8s_install_disposable", "gpu_k8s_cluster_uid"):
        assert variable in said


def test_another_cluster_is_refused(play: Playbook, consent: dict[str, t.Any]) -> None:
    run = play(playbook=INSTALL, **consent | {"gpu_k8s_cluster_uid": "0f3c9a4e-6a51-4c1b-9a0e-2f6d5c1b7e42"})
    assert run.exit_status == 2
    assert run.word == "bad_input"
    assert {request["verb"] for request in run.own_requests()} == {"get"}


@pytest.mark.parametrize("name", sorted(name for name, told in PLATFORMS.items() if "says" in told))
def test_the_operators_chart_takes_the_values_of_a_platform(
    name: str, helm: Path, charts: Path, tmp_path: Path
) -> None:
    """Rendered by the chart, the operator's ClusterPolicy has on and off what the plan says."""
    values = tmp_path / "values.yml"
    values.write_text(yaml.safe_dump(PLATFORMS[name]["says"]))
    command = [helm, "template", "gpu-k8s-operator", charts / "gpu-operator", "--values", values]
    rendered = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    policy = next(one for one in yaml.safe_load_all(rendered) if one and one["kind"] == "ClusterPolicy")["spec"]
    for switch in ("driver", "toolkit", "devicePlugin"):
        assert policy[switch]["enabled"] is PLATFORMS[name]["says"][switch]["enabled"]
