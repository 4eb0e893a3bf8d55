# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoint 1: the driver is loaded and recognises every GPU on the bus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .._catalogue import found
from .._chain import Finding, Judgement
from .._evidence.driver import DriverFacts, read_driver
from .._evidence.driver_smi import QUERIES, error_rows
from .._evidence.host import HostLook
from .debug_pod import NO_POD
from .driver_answers import nvidia_smi_answers
from .driver_expected import as_expected, driver_version, expected_in_vain
from .driver_fabric import fabric_is_ready
from .driver_gpus import device_nodes, every_gpu
from .driver_health import gpu_health
from .driver_log import errors_in_the_log
from .driver_module import gpu_on_the_bus, module_is_loaded, no_other_driver, one_installation, versions_fit

_LIST = "driver.nvidia_smi_list"


def judge_driver(look: HostLook, host: str) -> Judgement:
    """Judge one host's driver. What the user expects of it is in ``look.expect``."""
    if look.waived:
        return Judgement(1, tuple(expected_in_vain(look.expect)), waived=look.waived)
    facts = read_driver(look)
    findings = [*_examined(look, host)]
    if look.kind in (None, "incomplete"):
        findings += {"pci": _on_the_bus, "wsl": _wsl, "tegra": _tegra}[facts.platform](look, facts)
    findings = list(dict.fromkeys(findings))
    passes = all(finding.status == "warning" for finding in findings)
    return Judgement(1, tuple(findings), _seen(facts) if passes else None)


def _examined(look: HostLook, host: str) -> Iterator[Finding]:
    if look.error is None:
        return
    no_pod = NO_POD.get(look.cause, "PRE020")
    known = {"incomplete": "DRV010", "refused": "DRV016", "no_access": "PRE012", "no_pod": no_pod}
    code = known.get(look.kind or "", "DRV001")
    yield found(code, missing=look.error, reason=look.error, host=host)


def _on_the_bus(look: HostLook, facts: DriverFacts) -> Iterator[Finding]:
    """A machine with its GPUs on the PCI bus and NVIDIA's kernel module: nearly all machines.

    What keeps the driver from working is told first and alone: it explains all that would follow.
    """
    expected = look.expect.get("gpus")
    told: list[Finding] = []
    for findings in (
        gpu_on_the_bus(look, facts),
        no_other_driver(look, facts, expected),
        module_is_loaded(look, facts),
        versions_fit(look, facts),
        nvidia_smi_answers(look, facts),
    ):
        told = [*findings]
        yield from told
        if _fails(told):
            return
    gpus = [*_no_error_cell(look)] or [*every_gpu(facts, expected), *device_nodes(facts)]
    yield from gpus
    yield from gpu_health(look, facts)
    yield from fabric_is_ready(look, facts)
    yield from as_expected(facts, look.expect)
    yield from _cuda_library(facts)
    yield from one_installation(facts)
    yield from errors_in_the_log(facts)
    yield from _log_was_read(look)
    if not told and not _fails(gpus):
        yield from _complete(look, facts)


def _wsl(look: HostLook, facts: DriverFacts) -> Iterator[Finding]:
    """WSL: the driver is the one of Windows, reached through /dev/dxg. nvidia-smi is the only witness."""
    yield from nvidia_smi_answers(look, facts, QUERIES[:1])
    yield from _no_error_cell(look)
    yield from as_expected(facts, look.expect)
    yield from _complete(look, facts)


def _tegra(look: HostLook, facts: DriverFacts) -> Iterator[Finding]:
    """Tegra: the GPU is part of the chip. Either nvidia-smi lists it, or its own module nvgpu serves it."""
    listing = look.records.get("nvidia_smi_list")
    if facts.gpus:
        yield from _no_error_cell(look)
        yield from as_expected(facts, look.expect)
    elif listing is not None and listing["exit_code"] == 127 and facts.modules is not None:
        if "nvgpu" not in facts.modules:
            yield found("DRV005", "driver.loaded_modules", says="nor is nvgpu, which serves the GPU of a Tegra")
    else:
        yield found(
            "DRV010", _LIST, missing="nvidia-smi did not list the GPU, and what else speaks for it is not known"
        )
    if "module_version" not in look.records:
        yield found("DRV010", "driver.module_version", missing="the kernel module was not looked for")


def _no_error_cell(look: HostLook) -> Iterator[Finding]:
    """The query ends with 0 even when every field of one GPU is an error word."""
    for record, says in error_rows(look):
        yield found("DRV004", f"driver.{record}", says=says)


def _cuda_library(facts: DriverFacts) -> Iterator[Finding]:
    """CUDA's part of the driver lies where NVML's does (DRV046)."""
    if facts.cuda_library is False and facts.library_versions:
        yield found("DRV046", "driver.cuda_libraries", "driver.nvml_libraries")


def _log_was_read(look: HostLook) -> Iterator[Finding]:
    """A log that could not be read is not one without errors (DRV038)."""
    record = look.records.get("kernel_log")
    if record is not None and record["exit_code"] != 0:
        says = record["stderr"].strip().splitlines()
        yield found("DRV038", "driver.kernel_log", reason=says[0] if says else "it was not read in time")


def _complete(look: HostLook, facts: DriverFacts) -> Iterator[Finding]:
    """Everything that the proof rests on is there."""
    on_bus, in_nvml = facts.pci_gpus, facts.gpus
    elsewhere = facts.platform != "pci"
    missing = [
        words
        for words, there in (
            ("the PCI bus could not be listed", on_bus is not None),
            ("nvidia-smi -L did not run, or its list could not be read", in_nvml),
            ("nvidia-smi --query-gpu did not run", "nvidia_smi_query" in look.records),
            (
                "the version of the kernel module could not be read",
                facts.module_version is not None or (elsewhere and "module_version" in look.records),
            ),
            ("nvidia-smi lists GPUs and the bus has none", on_bus != () or not in_nvml or elsewhere),
            (
                "nvidia-smi lists more GPUs than the bus",
                elsewhere or len(in_nvml or ()) <= len(on_bus or in_nvml or ()),
            ),
        )
        if not there
    ]
    if missing and look.error is None:
        yield found("DRV010", _LIST, missing="; ".join(missing))


def _fails(findings: Iterable[Finding]) -> bool:
    return any(finding.status == "fail" for finding in findings)


def _seen(facts: DriverFacts) -> str | None:
    names = ", ".join(dict.fromkeys(gpu.name for gpu in facts.gpus or ()))
    version = driver_version(facts) or "of unknown version"
    if facts.platform == "tegra":
        how = f"nvidia-smi lists {names}" if names else "the module nvgpu is loaded"
        return f"the GPU of a Tegra chip: {how}"
    if not facts.gpus:
        return None
    if facts.platform == "wsl":
        return f"{len(facts.gpus)} GPUs ({names}) by way of /dev/dxg, driver {version}"
    if not facts.pci_gpus:
        return None
    cut = sum(gpu.mig_devices for gpu in facts.gpus)
    mig = f", cut into {cut} MIG devices" if cut else ""
    by = "" if facts.nvidia_smi in (None, "nvidia-smi") else f", by {facts.nvidia_smi}"
    return f"{len(facts.gpus)} of {len(facts.pci_gpus)} GPUs ({names}){mig}, driver {version}{by}"
