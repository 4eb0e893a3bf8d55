# SPDX-License-Identifier: GPL-3.0-or-later
"""The device plugin's probe, in every shell, on a node whose files are stand-ins in a folder."""

from __future__ import annotations

import shutil
import socket
import subprocess
import typing as t
from pathlib import Path

import pytest

from ansible_collections.gpu.k8s.plugins.module_utils._evidence.device_plugin import (
    KubeletDevices,
    read_kubelet_devices,
)
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.host import HostLook
from ansible_collections.gpu.k8s.plugins.module_utils._probe import script
from ansible_collections.gpu.k8s.plugins.module_utils._transcript import parse

SHELLS = [shell for shell in (["dash"], ["bash"], ["busybox", "sh"]) if shutil.which(shell[0])]
CHECKPOINT = '{"Data":{"RegisteredDevices":{"nvidia.com/gpu":["GPU-1::0","GPU-1::1"]}},"Checksum":1}'
LOG = """\
2026-11-30T13:52:48.824724845Z stderr F I1130 13:52:48.821237       1 main.go:275] Starting Plugins.
2026-11-30T13:52:48.834002989Z stderr F Running with config:
2026-11-30T13:52:48.834004972Z stderr F {
2026-11-30T13:52:48.834006644Z stderr F   "version": "v1",
2026-11-30T13:52:48.834061085Z stderr F }
2026-11-30T13:52:48.851155476Z stderr F I1130 13:52:48.849438       1 server.go:149] Registered device plugin for \
'nvidia.com/gpu' with Kubelet
"""
UNITS = """\
ExecMainStatus=0
Id=nvidia-device-plugin.service
LoadState=not-found
ActiveState=inactive
SubState=dead

ExecMainStatus=1
Id=nvidia-k8s-device-plugin.service
LoadState=loaded
ActiveState=failed
SubState=failed
"""


@pytest.fixture(params=SHELLS, ids=lambda shell: shell[0])
def shell(request: pytest.FixtureRequest) -> list[str]:
    return request.param


def probe(shell: list[str], folder: Path, overrides: str = "") -> KubeletDevices:
    """Run the whole probe; ``overrides`` are shell functions in place of its own."""
    before, last, after = script("device_plugin", {"kubelet_folder": folder}).rpartition("if wanted device_plugin")
    stand_ins = f"pod_logs={folder}/logs\nkubelet_process() {{ echo $$; }}\n{overrides}\n"
    sent = (before + stand_ins + last + after).encode()
    environment = {"PATH": f"{folder}/bin:/usr/bin:/bin"}
    done = subprocess.run([*shell, "-s"], input=sent, capture_output=True, env=environment, timeout=60, check=True)
    assert done.stderr == b""
    return read_kubelet_devices(HostLook(parse(done.stdout.decode())))


@pytest.fixture
def sockets(tmp_path: Path) -> t.Iterator[Path]:
    """A kubelet that listens, is connected to one plugin, and has lost another."""
    folder = tmp_path / "device-plugins"
    folder.mkdir()
    (folder / "kubelet_internal_checkpoint").write_text(CHECKPOINT)
    listening = {name: socket.socket(socket.AF_UNIX) for name in ("kubelet", "nvidia-gpu", "rdma")}
    for name, listener in listening.items():
        listener.bind(str(folder / f"{name}.sock"))
        listener.listen()
    listening["rdma"].close()
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(folder / "nvidia-gpu.sock"))
        with listening["nvidia-gpu"].accept()[0]:
            yield tmp_path
    for listener in listening.values():
        listener.close()


def test_the_kubelet_and_its_plugins(shell: list[str], sockets: Path) -> None:
    seen = probe(shell, sockets)
    assert seen.sockets == {"nvidia-gpu.sock": True, "rdma.sock": False}
    assert seen.connected is True
    assert seen.listens == f"{sockets}/device-plugins"
    assert seen.registered == {"nvidia.com/gpu": ("GPU-1::0", "GPU-1::1")}
    assert seen.ids("nvidia.com/gpu") == ("GPU-1",)
    assert seen.kubelet_is_young  # the shell that stands for it has just begun


def test_a_kubelet_with_another_root_directory(shell: list[str], sockets: Path) -> None:
    elsewhere = sockets / "elsewhere"
    elsewhere.mkdir()
    seen = probe(shell, elsewhere, f"pod_logs={sockets}/logs")
    assert seen.listens == f"{sockets}/device-plugins"
    assert seen.registered is not None


def test_a_host_without_a_kubelet(shell: list[str], tmp_path: Path) -> None:
    seen = probe(shell, tmp_path, "kubelet_process() { :; }\nsockets_of_kubelet() { :; }")
    assert seen.connected is None
    assert seen.registered is None
    assert seen.now is not None
    assert not seen.kubelet_is_young


def test_the_newest_log_of_each_container(shell: list[str], tmp_path: Path) -> None:
    container = tmp_path / "logs/kube-system_nvidia-device-plugin-abcde_0d2f/nvidia-device-plugin-ctr"
    container.mkdir(parents=True)
    (container / "0.log").write_text(LOG.replace("nvidia.com/gpu", "of the container before"))
    (container / "1.log").write_text(LOG)
    (container / "2.log").write_text("")
    (tmp_path / "logs/kube-system_coredns-abcde_0d2f/coredns").mkdir(parents=True)
    (tmp_path / "logs/kube-system_coredns-abcde_0d2f/coredns/0.log").write_text(LOG)
    (log,) = probe(shell, tmp_path).logs
    assert (log.source, log.container) == ("kube-system/nvidia-device-plugin-abcde", "nvidia-device-plugin-ctr")
    assert len(log.lines) == 3  # without the settings
    assert log.last("registered") == "nvidia.com/gpu"
    assert log.began == pytest.approx(1796046768.82, abs=0.01)


def test_a_plugin_that_is_a_service(shell: list[str], tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    said = "1796046760.123456 node1 nvidia-k8s-device-plugin[77]: I1130 main.go:397] No devices found. Waiting."
    for name, text in (("systemctl", UNITS), ("journalctl", said)):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\ncat <<'EOT'\n{text}\nEOT\n")
        (tmp_path / "bin" / name).chmod(0o755)
    seen = probe(shell, tmp_path)
    assert seen.units == {"nvidia-k8s-device-plugin.service": "failed"}
    (log,) = seen.logs
    assert (log.source, log.container) == ("service", "nvidia-k8s-device-plugin")
    assert log.last("no_devices") == "No devices found"


def test_a_folder_that_can_not_be_read_says_nothing_of_connections(shell: list[str], sockets: Path) -> None:
    unseen = f"{sockets}/nowhere"
    seen = probe(shell, sockets, f"find_plugin_folder() {{ heard={unseen} plugin_folder={unseen}; }}")
    assert seen.listens == unseen
    assert seen.connected is None
