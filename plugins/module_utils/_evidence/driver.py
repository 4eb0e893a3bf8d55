# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the driver's probe saw, typed."""

from __future__ import annotations

import re
import typing as t
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .driver_kernel import (
    DeviceNode,
    KernelGpu,
    ModuleOnDisk,
    PciGpu,
    read_kernel_gpus,
    read_kernel_log,
    read_majors,
    read_nodes,
    read_on_disk,
    read_pci,
)
from .driver_smi import Cells, Gpu, gpus_listed, read_cells, read_list
from .host import HostLook

__all__ = ["DriverFacts", "Gpu", "gpus_listed", "read_driver"]

_LINK = re.compile(r"^(\S+) -> \S*\.so\.(\d+(?:\.\d+)+)$", re.MULTILINE)
_BESIDE = re.compile(r"^(\S+)\.so\.(\d+(?:\.\d+)+)$", re.MULTILINE)
_ROOT = re.compile(r"^(?:chroot (?P<chroot>\S+)|env LD_LIBRARY_PATH=(?P<folder>\S+)) ")

Platform = t.Literal["pci", "wsl", "tegra"]


@dataclass(frozen=True)
class DriverFacts:
    """The driver layer of one host. None: it could not be read."""

    platform: Platform
    is_root: bool
    kernel_release: str | None
    boot_id: str | None
    machine_id: str | None

    pci_gpus: tuple[PciGpu, ...] | None
    nvswitches: int
    module_version: str | None
    module_missing: bool
    modules: tuple[str, ...] | None
    on_disk: ModuleOnDisk | None
    kernel_gpus: tuple[KernelGpu, ...] | None
    nodes: Mapping[str, DeviceNode] | None
    majors: Mapping[str, int]
    hmm_is_off: bool
    kernel_log: tuple[str, ...] | None
    processes: str | None

    library_versions: tuple[str, ...]
    versions_beside: tuple[str, ...]
    cuda_library: bool | None
    gpus: tuple[Gpu, ...] | None
    cells: Mapping[str, Cells]
    nvidia_smi: str | None

    def everywhere(self, field: str) -> Mapping[str, str]:
        """Return a field of the queries by UUID, for the GPUs that have it."""
        return {uuid: cells[field] for uuid, cells in self.cells.items() if field in cells}

    def has_process(self, name: str) -> bool | None:
        """Say whether one of the driver's programs runs. None: the processes can't be seen."""
        return None if self.processes is None else f"\n{name}" in "\n" + self.processes


def read_driver(look: HostLook) -> DriverFacts:
    """Read the records of the driver's probe."""
    pci_gpus, nvswitches = read_pci(look)
    module = look.records.get("module_version_after") or look.records.get("module_version")
    modules = look.stdout_of("loaded_modules")
    linked, beside = _libraries(look)
    cuda = look.stdout_of("cuda_libraries")
    listing = look.records.get("nvidia_smi_list")
    return DriverFacts(
        platform=_platform(look, pci_gpus),
        is_root="uid=0(" in (look.stdout_of("user") or "uid=0("),
        kernel_release=_first_line(look.stdout_of("kernel_release")),
        boot_id=_first_line(look.stdout_of("boot_id")),
        machine_id=_first_line(look.stdout_of("machine_id")),
        pci_gpus=pci_gpus,
        nvswitches=nvswitches,
        # root's nvidia-smi loads a module that nothing else has loaded yet
        module_version=_first_line(look.stdout_of("module_version") or look.stdout_of("module_version_after")),
        module_missing=module is not None and module["exit_code"] not in (0, None),
        modules=None if modules is None else tuple(modules.split()),
        on_disk=read_on_disk(look),
        kernel_gpus=read_kernel_gpus(look),
        nodes=read_nodes(look),
        majors=read_majors(look),
        hmm_is_off=_first_line(look.stdout_of("uvm_disable_hmm")) == "Y",
        kernel_log=read_kernel_log(look),
        processes=look.stdout_of("driver_processes"),
        library_versions=linked,
        versions_beside=beside,
        cuda_library=None if cuda is None else bool(cuda.strip()),
        gpus=read_list(look),
        cells=read_cells(look),
        nvidia_smi=listing["command"].removesuffix(" -L") if listing else None,
    )


def _platform(look: HostLook, pci_gpus: Sequence[PciGpu] | None) -> Platform:
    """WSL and Tegra have their GPU elsewhere than on the PCI bus; with one on the bus they are like any machine."""
    signs = look.stdout_of("platform") or ""
    if pci_gpus == ():
        if re.search(r"^/dev/dxg$", signs, re.MULTILINE):
            return "wsl"
        if "soc0/family: Tegra" in signs or "nv_tegra_release" in signs or "/dev/nvhost-" in signs:
            return "tegra"
    return "pci"


def _libraries(look: HostLook) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the versions of the NVML library that nvidia-smi is given, and those that only lie beside it."""
    text = look.stdout_of("nvml_libraries") or ""
    listing = look.records.get("nvidia_smi_list")
    if listing is None:
        return (), ()  # it is not known which root counts
    root = _ROOT.match(listing["command"])
    folder = (root["chroot"] or root["folder"]) + "/" if root else None

    def of_the_root(path: str) -> bool:
        return path.startswith(folder) if folder else not path.startswith("/run/nvidia/driver/")

    linked = dict.fromkeys(version for path, version in _LINK.findall(text) if of_the_root(path))
    beside = dict.fromkeys(version for path, version in _BESIDE.findall(text) if of_the_root(path))
    return tuple(linked), tuple(version for version in beside if version not in linked)


def _first_line(text: str | None) -> str | None:
    return text.strip().splitlines()[0].strip() if text and text.strip() else None
