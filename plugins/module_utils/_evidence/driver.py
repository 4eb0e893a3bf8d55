# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the driver's probe saw, typed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .host import HostLook

_GPU_LINE = re.compile(r"^GPU (?P<index>\d+): (?P<name>.*) \(UUID: (?P<uuid>GPU-[0-9a-fA-F-]+)\)\s*$", re.MULTILINE)
_PCI_LINE = re.compile(
    r"^(?P<address>\S+) vendor=(?P<vendor>\S+) device=(?P<device>\S+) class=(?P<class>\S+) driver=(?P<driver>\S+)$",
    re.MULTILINE,
)
_LIBRARY_FILE = re.compile(r"libnvidia-ml\.so\.(\d+(?:\.\d+)+)$", re.MULTILINE)
_NVIDIA = "0x10de"


@dataclass(frozen=True)
class PciGpu:
    """An NVIDIA display or 3D device on the PCI bus; ``driver`` is the bound kernel driver or ``none``."""

    address: str
    driver: str


@dataclass(frozen=True)
class Gpu:
    """A GPU that nvidia-smi lists."""

    uuid: str
    name: str


@dataclass(frozen=True)
class DriverFacts:
    """The driver layer of one host. None: it could not be read."""

    pci_gpus: tuple[PciGpu, ...] | None
    module_version: str | None
    library_versions: tuple[str, ...]
    gpus: tuple[Gpu, ...] | None
    boot_id: str | None
    machine_id: str | None


def gpus_listed(text: str) -> tuple[Gpu, ...]:
    """Return the GPUs in the output of ``nvidia-smi -L``. MIG devices are not among them."""
    return tuple(Gpu(m["uuid"], m["name"]) for m in _GPU_LINE.finditer(text))


def _gpus_or_unreadable(text: str) -> tuple[Gpu, ...] | None:
    """No GPU is believed only where nvidia-smi says so; a list in unknown words is unreadable."""
    gpus = gpus_listed(text)
    return gpus if gpus or re.search(r"no (devices|gpus?)", text, re.IGNORECASE) else None


def read_driver(look: HostLook) -> DriverFacts:
    """Read the records of the driver's probe."""
    pci = look.stdout_of("pci_devices")
    listed = look.stdout_of("nvidia_smi_list")
    return DriverFacts(
        pci_gpus=None
        if pci is None
        else tuple(PciGpu(m["address"], m["driver"]) for m in _PCI_LINE.finditer(pci) if m["vendor"] == _NVIDIA),
        module_version=_first_line(look.stdout_of("module_version")),
        library_versions=tuple(dict.fromkeys(_LIBRARY_FILE.findall(look.stdout_of("nvml_libraries") or ""))),
        gpus=None if listed is None else _gpus_or_unreadable(listed),
        boot_id=_first_line(look.stdout_of("boot_id")),
        machine_id=_first_line(look.stdout_of("machine_id")),
    )


def _first_line(text: str | None) -> str | None:
    return text.strip().splitlines()[0].strip() if text and text.strip() else None
