# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/examples/cronjob.yml on the lab, in an image that was made without a registry."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import typing as t
from collections.abc import Iterator

import pytest
import yaml
from conftest import LAB_RUN, NODES, ROOT

EXAMPLE = ROOT / "docs/examples/cronjob.yml"
IMAGE = "docker.io/lab/verifier:1"
NODE, REPORTS = "node1", "/var/lib/gpu-k8s-reports"  # where the Job runs, and the volume on that node
NAMESPACE = ("--namespace", "gpu-k8s")

Kubectl = t.Callable[..., str]
Ssh = t.Callable[..., str]


def volume(claim: dict[str, t.Any]) -> dict[str, t.Any]:
    """A volume for the claim. It is on one node, so that the scheduler takes the Job to where its image is."""
    on_node = {"key": "kubernetes.io/hostname", "operator": "In", "values": [NODE]}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "gpu-k8s-reports"},
        "spec": {
            "capacity": claim["spec"]["resources"]["requests"],
            "accessModes": claim["spec"]["accessModes"],
            "claimRef": {"namespace": "gpu-k8s", "name": claim["metadata"]["name"]},
            "hostPath": {"path": REPORTS},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [on_node]}]}},
        },
    }


def documented_rules() -> str:
    """What the page's first command hands to kubectl."""
    (command,) = re.findall(r"^ *(awk .*?) \|$", (ROOT / "docs/cronjob.md").read_text(), re.MULTILINE)
    return subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def for_the_lab() -> list[dict[str, t.Any]]:
    """The example with the lab's images, a volume, and a name for the API's address, as the lab has no DNS."""
    example = yaml.safe_load(EXAMPLE.read_text())["items"]
    settings, claim, cronjob = (
        next(one for one in example if one["kind"] == kind)
        for kind in ("ConfigMap", "PersistentVolumeClaim", "CronJob")
    )
    settings["data"]["settings.yml"] += "gpu_k8s_smoke_image: docker.io/lab/smoke:1\n"
    claim["spec"] |= {"storageClassName": "", "volumeName": "gpu-k8s-reports"}
    pod = cronjob["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    pod["containers"][0]["image"] = IMAGE
    pod["hostAliases"] = [{"ip": "10.96.0.1", "hostnames": ["kubernetes.default.svc"]}]
    return [volume(claim), *example]


@pytest.fixture(scope="module")
def cronjob(kubectl: Kubectl, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The example, applied in its page's order, with the documented rules and nothing else."""
    assert (LAB_RUN / "parts/verifier").exists(), (
        "not built: ansible-playbook -i inventories/lab playbooks/lab_up.yml -e lab_for_provisioning=true"
    )
    cluster = ROOT / "roles/lab/files/cluster"
    subprocess.run(
        [cluster / "verifier_image.sh", NODE],
        env=os.environ | {"LAB_RUN": str(LAB_RUN), "LAB_PYTHON": sys.executable},
        capture_output=True,
        check=True,
    )
    folder = tmp_path_factory.mktemp("cronjob")
    rules, example = folder / "rules.yml", folder / "cronjob.yml"
    rules.write_text(documented_rules())
    example.write_text(yaml.safe_dump_all(for_the_lab()))
    try:
        kubectl("apply", "--filename", str(rules))
        kubectl("apply", "--filename", str(example))
        yield
    finally:
        kubectl("delete", "--ignore-not-found", "--filename", str(example), "--filename", str(rules))


@pytest.fixture
def volume_on_node(ssh: Ssh) -> Iterator[None]:
    ssh(NODE, f"install -d -m 700 -o 1000 -g 1000 {REPORTS}")
    yield
    ssh(NODE, f"rm -r {REPORTS}")


def run_now(kubectl: Kubectl, name: str) -> tuple[dict[str, t.Any], dict[str, t.Any]]:
    """Run the CronJob's Job at once. Return its last condition, and how its only container ended."""
    kubectl("create", "job", name, *NAMESPACE, "--from=cronjob/gpu-k8s-verify")
    deadline = time.monotonic() + 120
    while True:
        status = json.loads(kubectl("get", "job", name, *NAMESPACE, "--output=json"))["status"]
        ended = [one for one in status.get("conditions", []) if one["type"] in ("Complete", "Failed")]
        if ended:
            break
        assert time.monotonic() < deadline, kubectl("describe", "pods", *NAMESPACE)
        time.sleep(0.5)
    (pod,) = json.loads(kubectl("get", "pods", *NAMESPACE, f"--selector=job-name={name}", "--output=json"))["items"]
    return ended[0], pod["status"]["containerStatuses"][0]["state"]["terminated"]


def latest(ssh: Ssh) -> dict[str, t.Any]:
    return json.loads(ssh(NODE, f"cat {REPORTS}/latest/report.json"))


@pytest.mark.usefixtures("cronjob", "volume_on_node")
def test_the_job_ends_as_the_nodes_are(kubectl: Kubectl, ssh: Ssh) -> None:
    condition, container = run_now(kubectl, "healthy")
    assert condition["type"] == "Complete", container
    assert container["exitCode"] == 0
    report = latest(ssh)
    assert {node["host"]: node["conclusion"] for node in report["nodes"]} == dict.fromkeys(NODES, "usable")
    modes = ssh(NODE, f"find -L {REPORTS}/latest -printf '%y%m\\n' | sort -u").split()
    assert modes == ["d700", "f600"]
    assert ssh(NODE, f"head -1 {REPORTS}/latest/handover/handover.md").startswith("# ")

    kubectl("cordon", "node2")
    try:
        condition, container = run_now(kubectl, "broken")
    finally:
        kubectl("uncordon", "node2")
    assert condition["type"] == "Failed"
    assert "exit code 10 " in condition["message"]
    assert container["exitCode"] == 10
    assert "The nodes are: broken" in container["message"]
    runs = f"{report['run']['id']},{latest(ssh)['run']['id']}"
    left = ("get", "pods", "--all-namespaces", "--output=name", f"--selector=gpu.k8s/run in ({runs})")
    assert kubectl(*left) == ""
    assert len(ssh(NODE, f"ls -d {REPORTS}/20*").split()) == 2
