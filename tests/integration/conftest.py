# SPDX-License-Identifier: GPL-3.0-or-later
"""Run playbooks on the lab as a user would. The lab must be up: make lab-up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import typing as t
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = ROOT / ".venv/bin"
NODES = ["node1", "node2", "node3"]
LAB_RUN = Path(os.environ.get("LAB_CACHE") or Path.home() / ".cache/gpu-k8s-lab") / "run"
PROGRAMS = {"PATH": f"{LAB_RUN}/parts/helm:{LAB_RUN}/parts/kubectl:{os.environ['PATH']}"}
AUDIT_LOG = LAB_RUN / "control-plane/audit.log"
FOR_INSTALLING = "not built: ansible-playbook -i inventories/lab playbooks/lab_up.yml -e lab_for_installing=true"
MINUTES = 60
CLIENT = "OpenAPI-Generator/"  # how the client library that the modules use calls itself

sys.path.insert(0, str(ROOT / "build/collections"))


@dataclass
class Run:
    """A playbook's end. ``report`` is None when it wrote none; ``audited`` is its part of the server's audit log."""

    exit_status: int
    output: str
    folder: Path
    report: dict[str, t.Any] | None
    audited: tuple[int, int]

    def requests(self) -> list[dict[str, t.Any]]:
        """What the API server was asked in that time, by whomever."""
        begin, end = self.audited
        with AUDIT_LOG.open(encoding="utf-8") as log:
            log.seek(begin)
            return [json.loads(line) for line in log.read(end - begin).splitlines()]

    def own_requests(self) -> list[dict[str, t.Any]]:
        """Those that the modules made; kubectl is somebody else."""
        return [one for one in self.requests() if str(one.get("userAgent", "")).startswith(CLIENT)]

    @property
    def word(self) -> str:
        """The one word for machines."""
        return (self.folder / "conclusion").read_text().strip()

    @property
    def conclusions(self) -> dict[str, str]:
        assert self.report is not None, self.output
        return {node["host"]: node["conclusion"] for node in self.report["nodes"]}

    def marks(self, host: str) -> list[str]:
        assert self.report is not None, self.output
        node = next(node for node in self.report["nodes"] if node["host"] == host)
        return [checkpoint["status"] for checkpoint in node["checkpoints"]]

    def codes(self, host: str) -> set[str]:
        assert self.report is not None, self.output
        node = next(node for node in self.report["nodes"] if node["host"] == host)
        return {finding["code"] for checkpoint in node["checkpoints"] for finding in checkpoint["findings"]}


class Playbook(t.Protocol):
    def __call__(self, *arguments: str, playbook: str = ..., inventory: str = ..., **variables: t.Any) -> Run: ...


def run_playbook(
    folder: Path,
    *arguments: str,
    playbook: str = "verify.yml",
    inventory: str = "inventories/lab",
    callback: str | None = None,
    **variables: t.Any,
) -> Run:
    given = {"gpu_k8s_report_folder": str(folder), "gpu_k8s_smoke_timeout": 40, **variables}
    begin = AUDIT_LOG.stat().st_size
    done = subprocess.run(
        [BIN / "ansible-playbook", "-i", inventory, playbook, "-e", json.dumps(given), *arguments],
        cwd=ROOT,
        env=os.environ | PROGRAMS | ({"ANSIBLE_STDOUT_CALLBACK": callback} if callback else {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=5 * MINUTES,
        check=False,
    )
    where = Path(given["gpu_k8s_report_folder"])
    written = where / "report.json"
    report = json.loads(written.read_text()) if written.exists() else None
    return Run(done.returncode, done.stdout, where, report, (begin, AUDIT_LOG.stat().st_size))


@pytest.fixture
def play(request: pytest.FixtureRequest) -> Playbook:
    """Run a playbook with ``gpu_k8s_*`` variables; what it leaves is in build/test/<name of the test>."""
    folder = ROOT / "build/test" / request.node.name.replace("/", "_")

    def run(
        *arguments: str, playbook: str = "verify.yml", inventory: str = "inventories/lab", **variables: t.Any
    ) -> Run:
        return run_playbook(folder, *arguments, playbook=playbook, inventory=inventory, **variables)

    return run


@pytest.fixture(scope="session")
def healthy() -> Run:
    """One verification of the whole lab as it should be, for all tests that look at no more than that."""
    return run_playbook(ROOT / "build/test/healthy", callback="gpu.k8s.chain")


@pytest.fixture(scope="session")
def motley(kubectl: t.Callable[..., str]) -> Run:
    """One verification while node1 is healthy, node2 broken and node3 busy with the Pod of motley.yml."""
    theirs, broken = ROOT / "tests/integration/motley.yml", ["-e", "lab_fault=gpu_lost", "-e", "lab_node=node2"]
    folder = ROOT / "build/test/motley"
    (folder / "pseudonyms.json").unlink(missing_ok=True)
    try:
        kubectl("create", "--filename", str(theirs))
        kubectl("label", "node", "node3", "desk.canary.test/owner=canary-nodelabel-6")
        run_playbook(folder, *broken, playbook="playbooks/lab_break.yml")
        kubectl("wait", "-n", "canary-team-7", "--for=condition=PodScheduled", "pod/canary-training-0", "--timeout=20s")
        run = run_playbook(folder, callback="gpu.k8s.chain")
        (folder.parent / "motley-nodes.json").write_text(kubectl("get", "nodes", "--output", "json"))
        return run
    finally:
        run_playbook(folder, playbook="playbooks/lab_mend.yml")
        kubectl("label", "node", "node3", "desk.canary.test/owner-")
        kubectl("delete", "--ignore-not-found", "--filename", str(theirs))


@pytest.fixture(scope="session")
def kubectl() -> t.Callable[..., str]:
    """Run the lab's kubectl and return what it prints."""

    def run(*arguments: str) -> str:
        program = [
            LAB_RUN / "parts/kubectl/kubectl",
            "--kubeconfig",
            LAB_RUN / "kubeconfig",
            "--context",
            "gpu-k8s-lab",
        ]
        return subprocess.run([*program, *arguments], capture_output=True, text=True, check=True, timeout=30).stdout

    return run


@pytest.fixture(scope="session")
def helm() -> Path:
    """Helm's program; playbooks have it on their path."""
    program = LAB_RUN / "parts/helm/helm"
    assert program.exists(), FOR_INSTALLING
    return program


@pytest.fixture(scope="session")
def charts() -> Path:
    """The folder of the charts nvidia-device-plugin and gpu-operator."""
    folder = LAB_RUN / "parts/charts"
    assert folder.exists(), FOR_INSTALLING
    return folder


@pytest.fixture(scope="module")
def bare_node(kubectl: t.Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[str]:
    """The name of a node that has its driver alone. Afterwards it begins anew, and what was installed is gone."""
    broken = ["-e", "lab_fault=toolkit_not_installed", "-e", "lab_node=node3"]
    folder = tmp_path_factory.mktemp("lab")
    try:
        run = run_playbook(folder, *broken, playbook="playbooks/lab_break.yml")
        assert run.exit_status == 0, run.output
        yield "node3"
    finally:
        try:
            kubectl("delete", "namespaces,runtimeclasses", "--selector", "gpu.k8s/installed-by")
            kubectl("label", "nodes", "--all", "gpu.k8s/installed-by-")
        finally:
            run_playbook(folder, playbook="playbooks/lab_mend.yml")


@pytest.fixture
def ssh() -> t.Callable[..., str]:
    """Run a command on a node through the inventory's settings and return what it prints."""

    def run(node: str, command: str, given: str = "") -> str:
        settings = subprocess.run(
            [BIN / "ansible-inventory", "-i", "inventories/lab", "--host", node],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        host = json.loads(settings.stdout)["ansible_host"].replace("{{ lab_network_prefix }}", "10.213.0")
        known = [f"-oUserKnownHostsFile={LAB_RUN}/ssh/known_hosts", "-oBatchMode=yes", f"-i{LAB_RUN}/ssh/id"]
        done = subprocess.run(
            ["ssh", *known, f"root@{host}", command],
            input=given,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
