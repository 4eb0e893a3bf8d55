# SPDX-License-Identifier: GPL-3.0-or-later
"""What the GPU Operator says of itself, in its own objects, beside what is really so: one node without a device plugin.

A case in operator_objects/ gives the objects a status: what has to be said of the node, and what of the operator?
"""

from __future__ import annotations

import json
import typing as t
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from conftest import Playbook, run_playbook

from ansible_collections.gpu.k8s.plugins.module_utils._evidence.device_plugin_workload import read_workload

HERE = Path(__file__).parent / "operator_objects"
CASES = sorted(path.stem for path in HERE.glob("*.yml") if path.stem != "objects")
WITHOUT_PLUGIN = ["-e", "lab_fault=plugin_absent", "-e", "lab_node=node3"]


@pytest.fixture(scope="module", autouse=True)
def _node3_without_plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("lab")
    try:
        broken = run_playbook(folder, *WITHOUT_PLUGIN, playbook="playbooks/lab_break.yml")
        assert broken.exit_status == 0, broken.output
        yield
    finally:
        run_playbook(folder, playbook="playbooks/lab_mend.yml")


@pytest.fixture(scope="module", autouse=True)
def _definitions(kubectl: t.Callable[..., str], charts: Path) -> Iterator[None]:
    """The operator's own resource definitions; with them its objects go."""
    definitions = str(charts / "gpu-operator/crds")
    try:
        kubectl("create", "--filename", definitions)
        kubectl("wait", "--for=condition=Established", "--timeout=20s", "--filename", definitions)
        yield
    finally:
        kubectl("delete", "--ignore-not-found", "--filename", definitions)


@pytest.mark.parametrize("name", CASES)
def test_the_operators_word_neither_proves_nor_breaks(play: Playbook, kubectl: t.Callable[..., str], name: str) -> None:
    case = yaml.safe_load((HERE / f"{name}.yml").read_text())
    objects = str(HERE / "objects.yml")
    kubectl("delete", "--ignore-not-found", "--filename", objects)
    kubectl("create", "--filename", objects)
    for kind, of in (("clusterpolicy", "cluster-policy"), ("nvidiadriver", "default")):
        if kind in case:
            status = json.dumps({"status": case[kind]})
            kubectl("patch", kind, of, "--subresource=status", "--type=merge", "--patch", status)

    run = play("--tags", "preflight,device_plugin", gpu_k8s_gate="chosen")

    seen = {node: run.marks(node)[2] for node in ("node1", "node2", "node3")}
    assert seen == {"node1": "pass", "node2": "pass", "node3": "fail"}, run.output
    assert case["code"] in run.codes("node3")
    evidence = json.loads((run.folder / "evidence/node-node3.json").read_text())
    assert read_workload(evidence["kubernetes"]).operator == tuple(map(tuple, case["operator"]))
