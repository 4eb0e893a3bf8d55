# SPDX-License-Identifier: GPL-3.0-or-later
"""A node joins with the startup taint, is released when proven, and held when broken; nothing else of it changes."""

from __future__ import annotations

import json
import subprocess
import threading
import time
import typing as t
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from conftest import LAB_RUN, ROOT, Playbook
from service_account import created_pods, rules_of, service_account

from ansible_collections.gpu.k8s.plugins.module_utils._kube import ApiError, Cluster

NODE = "node3"
HERE = ("--limit", f"{NODE},localhost")
KEY = "gpu.k8s/unverified"
POLICY = ROOT / "docs/examples/startup-taint-policy.yml"
JOIN = ROOT / "docs/examples/kubeadm-join.yml"
CONFIG = "/etc/kubernetes/kubelet.yaml"
OWN = {"key": KEY, "effect": "NoSchedule"}
THEIRS = "example.com/theirs"
# A Pod as users have it: it wants a GPU and tolerates nothing.
ORDINARY = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "ordinary", "namespace": "default"},
    "spec": {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 0,
        "nodeSelector": {"kubernetes.io/hostname": NODE},
        "containers": [
            {
                "name": "main",
                "image": "docker.io/lab/smoke:1",
                "command": ["true"],
                "resources": {"limits": {"nvidia.com/gpu": 1}},
            }
        ],
    },
}

Kubectl = Callable[..., str]
Tree = dict[str, t.Any]


def read(kubectl: Kubectl) -> Tree:
    node: Tree = json.loads(kubectl("get", "node", NODE, "--output", "json"))
    return node


def taints(node: Tree, key: str) -> list[Tree]:
    return [taint for taint in node["spec"].get("taints", []) if taint["key"] == key]


def wait(what: Callable[[], object], seconds: int = 60) -> None:
    ends = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < ends, "waited in vain"
        time.sleep(0.2)


def refusal(kubeconfig: Path, patch: Tree) -> str:
    """Return what the API says against a patch of the Node by that identity. It is not carried out."""
    program = [LAB_RUN / "parts/kubectl/kubectl", "--kubeconfig", kubeconfig, "--context", "gpu-k8s-lab"]
    asked = ["patch", "node", NODE, "--type=merge", "--dry-run=server", "--patch", json.dumps(patch)]
    done = subprocess.run([*program, *asked], capture_output=True, text=True, check=False, timeout=30)
    return done.stderr if done.returncode else ""


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory, kubectl: Kubectl) -> Iterator[Path]:
    """The kubeconfig of a ServiceAccount with the documented rules, narrowed by the documented policy."""
    rules = "\n".join(map(rules_of, ("The rules", "For the startup taint")))
    with service_account(kubectl, tmp_path_factory.mktemp("identity"), rules) as kubeconfig:
        try:
            kubectl("apply", "--filename", str(POLICY))
            wait(lambda: refusal(kubeconfig, {"spec": {"unschedulable": True}}))  # a policy is in force after a while
            yield kubeconfig
        finally:
            kubectl("delete", "--filename", str(POLICY))


@pytest.fixture(scope="module", autouse=True)
def nothing_left(kubectl: Kubectl) -> Iterator[None]:
    """The node as it was, whatever becomes of the tests."""
    yield
    kubectl("label", "node", NODE, "gpu.k8s/verified-")
    kubectl("annotate", "node", NODE, "gpu.k8s/verification-", "example.com/edits-")
    if read(kubectl)["spec"].get("taints"):
        kubectl("patch", "node", NODE, "--type=json", "--patch", '[{"op": "remove", "path": "/spec/taints"}]')


@pytest.fixture
def joined_tainted(kubectl: Kubectl, ssh: Callable[..., str]) -> Iterator[None]:
    """The node has left the cluster, and joined it anew as a kubelet does that registers with the taint."""
    register = f"registerWithTaints: {json.dumps(yaml.safe_load(JOIN.read_text())['nodeRegistration']['taints'])}"
    try:
        ssh(NODE, f"cp {CONFIG} {CONFIG}.was && echo '{register}' >>{CONFIG} && systemctl stop kubelet")
        kubectl("delete", "node", NODE)
        ssh(NODE, "systemctl start kubelet")
        wait(lambda: NODE in kubectl("get", "nodes", "--output", "name"))
        wait(lambda: read(kubectl)["status"]["allocatable"].get("nvidia.com/gpu") == "2")
        wait(lambda: read(kubectl)["spec"].get("taints") == [OWN])  # and no more that of a Node that is not Ready
        yield
    finally:
        ssh(NODE, f"mv {CONFIG}.was {CONFIG}")  # only a kubelet that registers a Node reads the taints


@contextmanager
def another_writer() -> Iterator[list[str]]:
    """Somebody who edits the Node's taints all the time, as controllers do: read, change, write if nobody else has."""
    cluster = Cluster(str(LAB_RUN / "kubeconfig"), "gpu-k8s-lab", 10)
    edits: list[str] = []
    wrong: list[str] = []
    stop = threading.Event()

    def edit() -> None:
        while not stop.wait(0.03):
            node = cluster.get(cluster.core.read_node, NODE)
            if edits and [taint["value"] for taint in taints(node, THEIRS)] != edits[-1:]:
                wrong.append(f"edit {edits[-1]} was lost")
            others = [taint for taint in node["spec"].get("taints", []) if taint["key"] != THEIRS]
            value = str(len(edits))
            theirs = {"key": THEIRS, "value": value, "effect": "PreferNoSchedule"}
            # Now before all others, now behind them: the places of the others change.
            node["spec"]["taints"] = [theirs, *others] if len(edits) % 2 else [*others, theirs]
            node["metadata"].setdefault("annotations", {})["example.com/edits"] = value
            try:
                cluster.get(cluster.core.replace_node, NODE, body=node)
            except ApiError as error:
                wrong.extend([str(error)] if error.status != 409 else [])
            else:
                edits.append(value)

    writer = threading.Thread(target=edit)
    writer.start()
    try:
        yield edits
    finally:
        stop.set()
        writer.join()
    assert wrong == []


def others_of(node: Tree) -> Tree:
    """What of a Node is nobody's that writes here."""
    metadata, spec = dict(node["metadata"]), dict(node["spec"])
    for parent, prefixes in (("labels", "gpu.k8s/"), ("annotations", ("gpu.k8s/", "example.com/"))):
        metadata[parent] = {key: value for key, value in metadata[parent].items() if not key.startswith(prefixes)}
    for changing in ("resourceVersion", "managedFields"):
        metadata.pop(changing, None)
    spec["taints"] = [taint for taint in spec.get("taints", []) if taint["key"] not in (KEY, THEIRS)]
    return {"metadata": metadata, "spec": spec}


@pytest.mark.usefixtures("joined_tainted")
def test_it_joins_tainted_and_is_released_while_another_writes(
    play: Playbook, kubectl: Kubectl, identity: Path, tmp_path: Path
) -> None:
    before = read(kubectl)
    (tmp_path / "pod.json").write_text(json.dumps(ORDINARY))
    kubectl("create", "--filename", str(tmp_path / "pod.json"))
    try:
        kubectl("wait", "pod/ordinary", "--for=jsonpath={.status.conditions[0].reason}=Unschedulable", "--timeout=20s")
        with another_writer() as edits:
            run = play(*HERE, gpu_k8s_kubeconfig=str(identity), gpu_k8s_startup_taint="release")
        assert run.exit_status == 0, run.output
        assert run.conclusions == {NODE: "usable"}
        kubectl("wait", "pod/ordinary", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=30s")
    finally:
        kubectl("delete", "pod", "ordinary", "--ignore-not-found")
    after = read(kubectl)
    assert taints(after, KEY) == []
    assert [taint["value"] for taint in taints(after, THEIRS)] == edits[-1:]
    assert len(edits) > 50
    assert others_of(after) == others_of(before)
    assert after["metadata"]["labels"]["gpu.k8s/verified"] == "usable"
    told = json.loads(after["metadata"]["annotations"]["gpu.k8s/verification"])
    assert run.report is not None
    assert (told["conclusion"], told["run"]) == ("usable", run.report["run"]["id"])
    assert told["collection"] == run.report["run"]["versions"]["gpu.k8s"]
    assert f"startup taint: taken away: {NODE}" in run.output


def test_a_broken_node_gets_it_back_and_keeps_it(
    play: Playbook, kubectl: Kubectl, ssh: Callable[..., str], identity: Path
) -> None:
    ssh(NODE, "rm -f /dev/nvidia-uvm /dev/nvidia-uvm-tools")
    try:
        held = play(*HERE, gpu_k8s_kubeconfig=str(identity), gpu_k8s_startup_taint="hold")
        node = read(kubectl)
        stays = play(*HERE, gpu_k8s_kubeconfig=str(identity), gpu_k8s_startup_taint="release")
    finally:
        ssh(NODE, "nvidia-device-nodes")
    for run in (held, stays):
        assert run.conclusions == {NODE: "broken"}
        assert {"DRV012", "SCH042"} <= run.codes(NODE)
    assert f"put back: {NODE}" in held.output
    assert f"stays: {NODE}" in stays.output
    assert node["metadata"]["labels"]["gpu.k8s/verified"] == "broken"
    told = json.loads(node["metadata"]["annotations"]["gpu.k8s/verification"])
    assert (told["first_broken_layer"], told["code"]) == ("driver", "DRV012")
    assert taints(node, KEY) == taints(read(kubectl), KEY) == [OWN]


def test_without_the_right_to_patch_nodes_the_verb_is_named_and_nothing_is_created(
    play: Playbook, kubectl: Kubectl, identity: Path
) -> None:
    role, rules = "clusterrole/gpu-k8s-startup-taint-write", [{"apiGroups": [""], "resources": ["nodes"]}]
    try:
        patch_role(kubectl, role, [rules[0] | {"verbs": ["get"]}])
        run = play(*HERE, gpu_k8s_kubeconfig=str(identity), gpu_k8s_startup_taint="release")
    finally:
        patch_role(kubectl, role, [rules[0] | {"verbs": ["get", "patch"]}])
    assert run.conclusions == {NODE: "not proven"}
    assert "PRE007" in run.codes(NODE)
    assert "may not patch nodes" in " ".join(run.output.split())
    assert "patch" in (run.folder / "missing-permissions.yml").read_text()
    assert created_pods(run) == []


def patch_role(kubectl: Kubectl, role: str, rules: list[Tree]) -> None:
    kubectl("patch", role, "--type=merge", "--patch", json.dumps({"rules": rules}))


@pytest.mark.parametrize(
    ("patch", "refused"),
    [
        ({"spec": {"taints": [OWN]}}, ""),
        ({"spec": {"taints": []}}, ""),
        ({"metadata": {"labels": {"gpu.k8s/verified": "broken"}}}, ""),
        ({"metadata": {"annotations": {"gpu.k8s/verification": "{}"}}}, ""),
        ({"spec": {"taints": [OWN, {"key": THEIRS, "effect": "NoSchedule"}]}}, "of the taints"),
        ({"spec": {"taints": [{"key": KEY, "effect": "NoExecute"}]}}, "which ends no Pod"),
        ({"metadata": {"labels": {"node-role.kubernetes.io/theirs": ""}}}, "of the labels"),
        ({"metadata": {"labels": {"lab/gpu": None}}}, "of the labels"),
        ({"metadata": {"labels": {"kubernetes.io/arch": "theirs"}}}, "of the labels"),
        ({"metadata": {"annotations": {"example.com/theirs": "1"}}}, "of the annotations"),
        ({"metadata": {"annotations": {"node.alpha.kubernetes.io/ttl": None}}}, "of the annotations"),
        ({"spec": {"unschedulable": True}}, "of the Node's spec"),
        ({"metadata": {"finalizers": ["example.com/theirs"]}}, "owners and finalizers"),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else "",
)
def test_the_policy_leaves_no_more_than_the_collections_own_keys(
    kubectl: Kubectl, identity: Path, patch: Tree, refused: str
) -> None:
    kubectl("patch", "node", NODE, "--type=merge", "--patch", '{"spec": {"taints": []}}')
    said = refusal(identity, patch)
    assert bool(said) == bool(refused), said
    assert refused in said
