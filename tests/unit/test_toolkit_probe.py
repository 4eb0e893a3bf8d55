# SPDX-License-Identifier: GPL-3.0-or-later
"""The toolkit's probe on nodes of every kind, as far as a machine without them can tell.

The node's programs are stand-ins in a folder: they write down how they were called and print what the real ones print.
"""

from __future__ import annotations

import shutil
import subprocess
import typing as t
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ansible_collections.gpu.k8s.plugins.module_utils._chain import Judgement
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.host import HostLook
from ansible_collections.gpu.k8s.plugins.module_utils._judge.toolkit import judge_toolkit
from ansible_collections.gpu.k8s.plugins.module_utils._probe import script
from ansible_collections.gpu.k8s.plugins.module_utils._transcript import Record, TranscriptError, parse

SHELLS = [["sh"], ["bash"], ["busybox", "ash"]]
GPU = "GPU-bf634c48-01d3-9435-2006-15c379454392"
OTHER = "GPU-05358519-d931-1152-f518-61a34d3897cd"
MIG = "MIG-9b2f1a60-3c5d-5c0e-8a51-2f7a4f6f4b10"
LISTED = f"GPU 0: NVIDIA L40S (UUID: {GPU})\nGPU 1: NVIDIA L40S (UUID: {OTHER})\n"
DIVIDED = f"GPU 0: NVIDIA A100 (UUID: {GPU})\n  MIG 1g.10gb     Device  0: (UUID: {MIG})\n"
IMAGE = "docker.io/lab/smoke:1"

# A container: with a GPU if the command line asks for one by any of the known ways.
CONTAINER = """
for nonce in "$@"; do :; done
echo "begin $nonce"
case "$*" in
*NVIDIA_VISIBLE_DEVICES=void*--device*|*NVIDIA_VISIBLE_DEVICES=GPU-*|*NVIDIA_VISIBLE_DEVICES=MIG-*|*nvidia-container-devices/*|\
*NVIDIA_VISIBLE_DEVICES=all*)
    cat {folder}/in_container; code=0 ;;
*) code=127; printf 'uvm missing\\nlibcuda missing\\n' ;;
esac
echo "end $nonce"
exit $code
"""


@dataclass
class Node:
    """A node of stand-ins. ``endpoint`` is what its kubelet was told, ``files`` what ``describe_host`` finds."""

    folder: Path
    endpoint: str = "unix:///nowhere/run/containerd/containerd.sock"
    files: str = "file /dev/nvidia0\nfile /dev/nvidia1\nfile /dev/nvidia-uvm"
    settings: dict[str, t.Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.write("bin/nvidia-smi", f"cat {self.folder}/gpus")
        self.write("bin/nvidia-container-runtime", "echo 'NVIDIA Container Runtime version 1.19.1'")
        self.write("bin/nvidia-ctk", "echo 'NVIDIA Container Toolkit CLI version 1.19.1'")
        self.config('[nvidia-container-runtime]\nmode = "auto"\n')
        self.gpus(LISTED, f"GPU 0: NVIDIA L40S (UUID: {GPU})")

    def gpus(self, on_host: str, in_container: str) -> None:
        (self.folder / "gpus").write_text(on_host)
        (self.folder / "in_container").write_text(f"{in_container}\ndevice /dev/nvidia0\nuvm there\nlibcuda there\n")

    def config(self, text: str) -> None:
        """The toolkit's configuration, where the GPU Operator puts it: beside the wrapper."""
        path = self.folder / "bin/.config/nvidia-container-runtime/config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def write(self, name: str, body: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\necho "{path.name} $*" >>{self.folder}/calls\n{body}\n')
        path.chmod(0o755)

    def tool(self, name: str, answers: dict[str, str]) -> None:
        """A program that answers by what its command line contains. ``container`` stands for one that is run."""
        cases = [f"*'{words}'*)\n{self._answer(says)}\n;;" for words, says in answers.items()]
        self.write(f"bin/{name}", 'case "$*" in\n' + "\n".join(cases) + "\n*) exit 1 ;;\nesac")

    def _answer(self, says: str) -> str:
        if says == "container":
            return CONTAINER.replace("{folder}", str(self.folder))
        return f"cat <<'EOT'\n{says}\nEOT"

    @property
    def wrapper(self) -> str:
        return f"{self.folder}/bin/nvidia-container-runtime"

    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().splitlines()

    def probe(self, shell: t.Sequence[str] = ("sh",)) -> tuple[dict[str, Record], Judgement]:
        text = script("toolkit", {"image": IMAGE, "nonce": "0123456789abcdef", **self.settings})
        before, last, after = text.rpartition("if wanted toolkit")
        overrides = (
            f"describe_kubelet() {{ echo 'container-runtime-endpoint={self.endpoint}'; }}\n"
            f"describe_host() {{ printf '%s\\n' '{self.files}'; }}\n"
        )
        path = f"{self.folder}/bin:/usr/bin:/bin"
        done = subprocess.run(
            shell,
            input=before + overrides + last + after,
            text=True,
            capture_output=True,
            env={"PATH": path},
            timeout=60,
            check=False,
        )
        assert done.stderr == ""
        records = parse(done.stdout)
        return records, judge_toolkit(HostLook(records), IMAGE, "nvidia")


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def containerd(node: Node, handlers: str, settings: str = "default_runtime runc") -> dict[str, str]:
    node.tool(
        "crictl",
        {
            "version": "RuntimeName:  containerd\nRuntimeVersion:  v1.7.27",
            "BinaryName": handlers,
            "enableCDI": settings,
        },
    )
    return {"images list": IMAGE, " run ": "container"}


def crio(node: Node) -> None:
    node.endpoint = "unix:///var/run/crio/crio.sock"
    node.tool("crictl", {"version": "RuntimeName:  cri-o\nRuntimeVersion:  1.33.2"})
    node.tool(
        "crio",
        {
            "status": '[crio.runtime]\ndefault_runtime = "crun"\ncgroup_manager = "systemd"\n'
            '[crio.runtime.runtimes.crun]\nruntime_path = "/usr/bin/crun"\n'
            f'[crio.runtime.runtimes.nvidia]\nruntime_path = "{node.wrapper}"\nruntime_type = "oci"'
        },
    )
    node.tool("podman", {"image inspect": "sha256:1", "run ": "container"})


def docker(node: Node) -> None:
    node.endpoint = "unix:///run/cri-dockerd.sock"
    node.tool(
        "docker",
        {
            "version": "RuntimeName:  docker\nRuntimeVersion:  28.3.0",
            ".Runtimes": f"nvidia {node.wrapper}\nrunc runc",
            "DefaultRuntime": "default_runtime runc\ncgroup_driver systemd",
            "CDISpecDirs": "",
            "image inspect": "sha256:1",
            "run ": "container",
        },
    )


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_containerd(node: Node, shell: list[str]) -> None:
    if not shutil.which(shell[0]):
        pytest.skip(f"{shell[0]} is not installed")
    node.tool("ctr", containerd(node, f"nvidia {node.wrapper}\nrunc /usr/bin/runc"))
    records, judgement = node.probe(shell)
    assert records["boot_id"]["stdout"] == Path("/proc/sys/kernel/random/boot_id").read_text()
    assert judgement.findings == ()
    assert judgement.seen == f"a container got exactly {GPU} (handler nvidia); the control got none"
    calls = "\n".join(node.calls())
    assert f"--runc-binary {node.wrapper} --env NVIDIA_VISIBLE_DEVICES={GPU} " in calls
    assert "delete" not in calls  # the containers removed themselves


@pytest.mark.parametrize(
    ("prepare", "program", "how"),
    [(crio, "podman", "--runtime {}/bin/nvidia-"), (docker, "docker", "--runtime nvidia ")],
)
def test_crio_and_docker(node: Node, prepare: t.Callable[[Node], None], program: str, how: str) -> None:
    prepare(node)
    _records, judgement = node.probe()
    assert judgement.findings == ()
    assert judgement.seen
    runs = [call for call in node.calls() if call.startswith(program) and " run " in call]
    assert len(runs) == 2
    assert all("--pull=never" in run and "--rm" in run and how.format(node.folder) in run for run in runs)
    assert "NVIDIA_VISIBLE_DEVICES=void" in runs[1]


@pytest.mark.parametrize(
    ("endpoint", "program"),
    [
        ("unix:///run/k3s/containerd/containerd.sock", "k3s"),
        ("unix:///var/snap/microk8s/common/run/containerd.sock", "microk8s"),
        ("unix:///run/k0s/containerd.sock", "k0s"),
    ],
)
def test_distributions_have_clients_of_their_own(node: Node, endpoint: str, program: str) -> None:
    node.endpoint = endpoint
    answers = containerd(node, f"nvidia {node.wrapper}\nrunc /usr/bin/runc")
    if program == "k3s":
        shutil.move(node.folder / "bin/crictl", node.folder / "bin/k3s-crictl")
        rest = "\n".join(f"*'{w}'*) exec {node.folder}/bin/k3s-crictl \"$@\" ;;" for w in ("crictl",))
        node.tool("k3s-ctr", answers)
        node.write("bin/k3s", f'case "$*" in\n{rest}\n*) exec {node.folder}/bin/k3s-ctr "$@" ;;\nesac')
    else:
        node.tool(program, answers)
    records, judgement = node.probe()
    assert f"distribution {program}" in records["runtime"]["stdout"]
    assert judgement.findings == ()
    assert any(call.startswith(f"{program} ctr --address {endpoint.removeprefix('unix://')} ") for call in node.calls())


def write_spec(node: Node, kind: str, devices: t.Sequence[str]) -> None:
    folder = node.folder / "cdi"
    folder.mkdir()
    entries = "".join(f'  - name: "{device}"\n    containerEdits: {{}}\n' for device in devices)
    edits = "containerEdits:\n  deviceNodes:\n    - path: /dev/null\n"
    (folder / "nvidia.yaml").write_text(f"cdiVersion: 0.5.0\nkind: {kind}\ndevices:\n{entries}{edits}")


@pytest.mark.parametrize(
    ("kind", "devices", "asked"),
    [
        ("nvidia.com/gpu", ["0", "1", GPU, OTHER, "all"], f"nvidia.com/gpu={GPU}"),
        ("nvidia.com/gpu", ["0", "1", "all"], "nvidia.com/gpu=0"),
        ("k8s.device-plugin.nvidia.com/gpu", [GPU, OTHER], f"k8s.device-plugin.nvidia.com/gpu={GPU}"),
    ],
)
def test_cdi_without_a_handler(node: Node, kind: str, devices: list[str], asked: str) -> None:
    write_spec(node, kind, devices)
    settings = f"enable_cdi true\ncdi_folder {node.folder}/cdi\ndefault_runtime runc"
    node.tool("ctr", containerd(node, "runc /usr/bin/runc\nkata <no value>", settings))
    records, judgement = node.probe()
    assert f"--device {asked} " in records["gpu_container"]["command"]
    assert [finding.code for finding in judgement.findings] in ([], ["TKT040"])  # by index: it says so
    assert judgement.seen == f"a container got exactly {GPU} (CDI); the control got none"


def test_a_specification_in_json(node: Node) -> None:
    folder = node.folder / "cdi"
    folder.mkdir()
    (folder / "plugin.json").write_text(
        '{"cdiVersion":"0.5.0","kind":"k8s.device-plugin.nvidia.com/gpu","devices":[{"name":"' + GPU + '",'
        '"containerEdits":{"deviceNodes":[{"path":"/dev/nvidia77","hostPath":"/nowhere/dev/nvidia77"},'
        '{"path":"/dev/null","hostPath":"/dev/null"}]}}],"containerEdits":{"hooks":[{"path":"/bin/sh"}]}}'
    )
    settings = f"cdi_folder {folder}\ndefault_runtime runc"
    node.tool("ctr", containerd(node, f"nvidia {node.wrapper}\nrunc /usr/bin/runc", settings))
    records, judgement = node.probe()
    lines = records["cdi_contents"]["stdout"].splitlines()
    assert {f"device {GPU}", "kind k8s.device-plugin.nvidia.com/gpu", "path there /bin/sh"} <= set(lines)
    assert [finding.code for finding in judgement.findings] == ["TKT036"]
    assert judgement.seen


def test_a_toolkit_that_does_not_listen_to_the_variable_is_asked_by_a_mount(node: Node) -> None:
    node.config(
        "accept-nvidia-visible-devices-envvar-when-unprivileged = false\n"
        "accept-nvidia-visible-devices-as-volume-mounts = true\n"
    )
    node.tool("ctr", containerd(node, f"nvidia {node.wrapper}\nrunc /usr/bin/runc"))
    records, judgement = node.probe()
    assert f"dst=/var/run/nvidia-container-devices/{GPU},options=rbind:ro" in records["gpu_container"]["command"]
    assert judgement.findings == ()


def test_a_divided_gpu_is_asked_for_by_its_mig_device(node: Node) -> None:
    node.gpus(DIVIDED, DIVIDED.rstrip())
    node.tool("ctr", containerd(node, f"nvidia {node.wrapper}\nrunc /usr/bin/runc"))
    records, judgement = node.probe()
    assert f"NVIDIA_VISIBLE_DEVICES={MIG}" in records["gpu_container"]["command"]
    assert judgement.findings == ()
    assert judgement.seen == f"a container got exactly {MIG} (handler nvidia); the control got none"


def test_gpus_without_device_nodes_of_their_own(node: Node) -> None:
    """WSL and Tegra."""
    node.files = "file /dev/null"
    (node.folder / "in_container").write_text(f"GPU 0: NVIDIA L40S (UUID: {GPU})\nuvm missing\nlibcuda there\n")
    node.tool("ctr", containerd(node, f"nvidia {node.wrapper}\nrunc /usr/bin/runc"))
    _records, judgement = node.probe()
    assert judgement.findings == ()
    assert judgement.seen


def test_the_default_handler_serves_where_it_has_another_name(node: Node) -> None:
    node.tool(
        "ctr",
        containerd(node, f"nvidia-gpu {node.wrapper}\nrunc /usr/bin/runc", "default_runtime nvidia-gpu"),
    )
    node.config(
        "accept-nvidia-visible-devices-envvar-when-unprivileged = false\n"
        "accept-nvidia-visible-devices-as-volume-mounts = true\n"
    )
    _records, judgement = node.probe()
    assert judgement.seen == f"a container got exactly {GPU} (handler nvidia-gpu); the control got none"
    assert judgement.findings == ()


@pytest.mark.parametrize("missing", ["ctr", "crictl"])
def test_a_missing_tool_is_named_and_proves_nothing(node: Node, missing: str) -> None:
    node.tool("ctr", containerd(node, f"nvidia {node.wrapper}\nrunc /usr/bin/runc"))
    (node.folder / "bin" / missing).unlink()
    if shutil.which(missing, path="/usr/bin:/bin:/usr/local/bin:/usr/sbin:/sbin:/opt/bin"):
        pytest.skip(f"this machine has {missing}")
    _records, judgement = node.probe()
    assert {finding.status for finding in judgement.findings} == {"unknown"}
    assert f"{missing} is not on the node" in judgement.findings[0].message
    assert judgement.seen is None


@pytest.mark.parametrize("prepare", [crio, docker])
def test_evidence_with_a_part_missing_never_makes_a_verdict(node: Node, prepare: t.Callable[[Node], None]) -> None:
    prepare(node)
    records, _judgement = node.probe()
    proofs = {"loaded_handlers", "gpu_list", "image", "gpu_container", "control_container"}
    for name, record in records.items():
        abandoned = t.cast(Record, {**record, "exit_code": None, "stdout": "", "seconds": 20.0})
        empty = t.cast(Record, {**record, "exit_code": 0, "stdout": "", "stderr": ""})
        for part in ({}, {name: abandoned}, {name: empty}):
            rest = {other: there for other, there in records.items() if other != name} | part
            judgement = judge_toolkit(HostLook(rest), IMAGE, "nvidia")
            assert not [f for f in judgement.findings if f.status == "fail"], (name, part)
            assert not judgement.seen or name not in proofs, (name, part)


def test_an_image_is_pulled_only_where_that_is_allowed(node: Node) -> None:
    docker(node)
    _records, _judgement = node.probe()
    assert not [call for call in node.calls() if " pull " in call]
    node.settings = {"pull": "yes"}
    node.tool("docker", {"pull --quiet": "pulled", ".Runtimes": f"nvidia {node.wrapper}", "info": ""})
    records, judgement = node.probe()
    assert [call for call in node.calls() if call == f"docker pull --quiet {IMAGE}"]
    assert records["image_pull"]["exit_code"] == 0
    assert "TKT010" in [finding.code for finding in judgement.findings]


def test_a_container_that_hangs_is_removed(node: Node) -> None:
    docker(node)
    fake = (node.folder / "bin/docker").read_text()
    (node.folder / "bin/docker").write_text(fake.replace("for nonce in", "sleep 60\nfor nonce in"))
    node.settings = {"budget": 4}
    with pytest.raises(TranscriptError, match="used up"):
        node.probe()
    calls = node.calls()
    assert "docker rm --force gpu-k8s-0123456789abcdef-gpu" in calls
    assert not [call for call in calls if "-control" in call]
