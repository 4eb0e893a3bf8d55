# SPDX-License-Identifier: GPL-3.0-or-later
"""Every example of docs/provisioning.md is run by a test, or says in the page that it is not, and why."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.gpu.k8s.plugins.module_utils._evidence.kubernetes_taints import STARTUP_TAINT

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/provisioning.md"
MARK = re.compile(r"^\*Not executed here: [^*]+\.\*", re.MULTILINE)

JOINING, PROVISIONING = "tests/integration/test_joining.py", "tests/integration/test_provisioning.py"

RUN_BY = {
    "# gpu.yml, beside kubespray's cluster.yml": JOINING,
    "# gpu.yml, with k3s-ansible": JOINING,
    "examples/kubeadm-join.yml": "tests/integration/test_startup_taint.py",
    "examples/user-data": PROVISIONING,
    "sh docs/examples/gate.sh ansible-playbook -i inventory/mycluster gpu.yml": PROVISIONING,
}
"""The module that runs a linked file, or a block of the page. A block is called by its first line, up to a colon."""

SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL))


def _linked(text: str) -> list[str]:
    return re.findall(r"\]\((examples/[^)#]+)\)", text)


def _blocks(text: str) -> list[str]:
    return re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def _examples(text: str) -> list[str]:
    return sorted({*_linked(text), *(block.splitlines()[0].split(":")[0] for block in _blocks(text))})


@pytest.mark.parametrize("title", SECTIONS)
def test_an_example_is_run_or_says_why_not(title: str) -> None:
    text = SECTIONS[title]
    if MARK.search(text):
        assert _examples(text), "nothing is left to excuse"
        assert not set(_examples(text)) & set(RUN_BY), "it is run, so it needs no excuse"
    else:
        assert set(_examples(text)) <= set(RUN_BY)


@pytest.mark.parametrize("example", RUN_BY)
def test_what_runs_it_knows_it(example: str) -> None:
    assert example in _examples(PAGE.read_text()), "the page no longer has it"
    assert example.removeprefix("examples/") in (ROOT / RUN_BY[example]).read_text()


@pytest.mark.parametrize("link", re.findall(r"\]\(([\w./-]+)(?:#[\w-]+)?\)", PAGE.read_text()))
def test_what_it_links_to_is_there(link: str) -> None:
    assert (PAGE.parent / link).exists()


def _example(name: str) -> t.Any:
    return yaml.safe_load((ROOT / "docs/examples" / name).read_text())


TAINT = {"key": STARTUP_TAINT, "effect": "NoSchedule"}
AS_FLAG = f"{STARTUP_TAINT}=:NoSchedule"


def test_all_name_the_taint_that_a_verification_takes_away() -> None:
    api = _example("cluster-api.yml")["spec"]["template"]["spec"]["joinConfiguration"]["nodeRegistration"]
    assert api["taints"] == [TAINT]
    assert _example("kubeadm-join.yml")["nodeRegistration"]["taints"] == [TAINT]
    assert _example("karpenter.yml")["spec"]["template"]["spec"]["startupTaints"] == [TAINT]
    (file,) = _example("user-data")["write_files"]
    assert file["content"].split("=", 1) == ["KUBELET_EXTRA_ARGS", f"--register-with-taints={AS_FLAG}\n"]
    (k3s,) = _blocks(SECTIONS["k3s"])
    assert yaml.safe_load(yaml.safe_load(k3s)["agent_config_yaml"]) == {"node-taint": [AS_FLAG]}
    assert _blocks(SECTIONS["cluster-autoscaler"]) == [f"--startup-taint={STARTUP_TAINT}\n"]


def test_awx_is_asked_for_what_there_is() -> None:
    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(t.cast(yaml.ScalarNode, node)))
    (block,) = _blocks(SECTIONS["AWX"])
    (play,) = yaml.load(block, Loader)
    tasks = {name.rsplit(".", 1)[-1]: task[name] for task in play["tasks"] for name in task if name.startswith("awx.")}
    known = yaml.safe_load((ROOT / "roles/preflight/vars/main.yml").read_text())["__preflight_inputs"]
    set_by_us = tasks["job_template"]["extra_vars"] | tasks["credential_type"]["injectors"]["extra_vars"]
    assert set(set_by_us) <= set(known)
    steps = {step["identifier"]: step for step in tasks["workflow_job_template"]["workflow_nodes"]}
    assert steps["verify"]["unified_job_template"]["name"] == tasks["job_template"]["name"]
    follow = [one["identifier"] for step in steps.values() for way in step.get("related", {}).values() for one in way]
    assert sorted(follow) == sorted(set(steps) - {"provision"})
