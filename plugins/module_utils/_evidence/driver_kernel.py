# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the kernel shows of the GPUs and their driver, typed: the PCI bus, the modules, the device nodes, the log."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .host import HostLook

_NVIDIA = "0x10de"
_DISPLAY, _BRIDGE = "0x03", "0x0680"
_ADDRESS = re.compile(r"^(?:[0-9a-fA-F]{4,8}):[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$")
_NODE = re.compile(
    r"^c(?P<mode>\S{9})\S* +\d+ +\d+ +\d+ +(?P<major>\d+), +(?P<minor>\d+) .*?(?P<path>/\S+)$", re.MULTILINE
)
_XID = re.compile(r"NVRM: Xid \((?P<where>[^)]*)\): (?P<number>\d+)")


@dataclass(frozen=True)
class PciGpu:
    """An NVIDIA display or 3D device on the PCI bus; ``driver`` is the bound kernel driver or ``none``.

    ``device`` is the number that says which chip it is; None when it could not be read.
    """

    address: str
    driver: str
    device: int | None


@dataclass(frozen=True)
class KernelGpu:
    """A GPU that NVIDIA's kernel module has taken; ``minor`` is the number of its device node."""

    address: str
    minor: int | None
    excluded: bool


@dataclass(frozen=True)
class DeviceNode:
    """A character device; ``mode`` is as ``ls`` writes it: ``rw-rw-rw-``."""

    path: str
    mode: str
    major: int


@dataclass(frozen=True)
class ModuleOnDisk:
    """What ``modinfo`` says of the module that belongs to the running kernel."""

    version: str | None
    signed: bool


@dataclass(frozen=True)
class Xid:
    """An error that NVIDIA's module wrote into the kernel log."""

    number: int
    where: str


def same_address(text: str) -> str:
    """Write a PCI address as the kernel does: nvidia-smi gives the domain eight digits, and capitals."""
    domain, _colon, rest = text.strip().lower().partition(":")
    return f"{int(domain, 16):04x}:{rest}" if re.fullmatch("[0-9a-f]+", domain) and rest else text.strip().lower()


def read_pci(look: HostLook) -> tuple[tuple[PciGpu, ...] | None, int]:
    """Return the NVIDIA GPUs on the bus, and how many NVSwitches are there. Virtual functions are not GPUs here."""
    text = look.stdout_of("pci_devices")
    if text is None:
        return None, 0
    gpus, switches = [], 0
    for line in text.splitlines():
        address, *words = line.split() or [""]
        about = dict(word.split("=", 1) for word in words if "=" in word)
        if about.get("vendor") != _NVIDIA:
            continue
        if about.get("class", "").startswith(_BRIDGE):
            switches += 1
        elif about.get("class", "").startswith(_DISPLAY) and about.get("function") != "virtual":
            gpus.append(PciGpu(same_address(address), about.get("driver", "none"), _number(about.get("device", ""))))
    return tuple(gpus), switches


def _number(text: str) -> int | None:
    return int(text, 16) if re.fullmatch("0x[0-9a-fA-F]{1,4}", text) else None


def read_kernel_gpus(look: HostLook) -> tuple[KernelGpu, ...] | None:
    """Read /proc/driver/nvidia/gpus: an address, then that GPU's own lines."""
    text = look.stdout_of("gpus_in_kernel")
    if text is None:
        return None
    blocks: dict[str, dict[str, str]] = {}
    about: dict[str, str] = {}
    for line in text.splitlines():
        if _ADDRESS.match(line.strip()):
            about = blocks.setdefault(same_address(line), {})
        else:
            key, _colon, value = line.partition(":")
            about[key.strip()] = value.strip()
    return tuple(
        KernelGpu(
            address,
            int(about["Device Minor"]) if about.get("Device Minor", "").isdecimal() else None,
            about.get("GPU Excluded") == "Yes",
        )
        for address, about in blocks.items()
    )


def read_nodes(look: HostLook) -> Mapping[str, DeviceNode] | None:
    """Read the device nodes by name (``nvidia0``), as they were after nvidia-smi, which may make them."""
    text = look.stdout_of("device_nodes_after")
    if text is None and look.error is None:
        text = look.stdout_of("device_nodes")
    if text is None:
        return None
    found = [DeviceNode(m["path"], m["mode"], int(m["major"])) for m in _NODE.finditer(text)]
    return {node.path.rsplit("/", 1)[-1]: node for node in reversed(found)}


def read_majors(look: HostLook) -> Mapping[str, int]:
    """Read the numbers that the kernel gave to NVIDIA's character devices."""
    lines = (line.split() for line in (look.stdout_of("device_majors") or "").splitlines())
    return {words[1]: int(words[0]) for words in lines if len(words) == 2 and words[1].startswith("nvidia")}


def read_on_disk(look: HostLook) -> ModuleOnDisk | None:
    """None: there is no such module for the running kernel, or modinfo did not answer."""
    text = look.stdout_of("module_on_disk")
    if text is None:
        return None
    about = dict(line.split(":", 1) for line in reversed(text.splitlines()) if ":" in line)
    return ModuleOnDisk(about.get("version", "").strip() or None, bool(about.get("signer", "").strip()))


def read_kernel_log(look: HostLook) -> tuple[str, ...] | None:
    """Return the lines of NVIDIA's modules, the first being where they were read. None: the log is not readable."""
    text = look.stdout_of("kernel_log")
    return None if text is None else tuple(text.splitlines())


def xids(log: tuple[str, ...]) -> tuple[Xid, ...]:
    """Return the Xid errors of a kernel log in their order."""
    return tuple(Xid(int(m["number"]), m["where"]) for line in log for m in _XID.finditer(line))
