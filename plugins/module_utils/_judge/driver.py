# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoint 1: the driver is loaded and recognises every GPU on the bus."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .._catalogue import found
from .._chain import Finding, Judgement
from .._evidence.driver import DriverFacts, read_driver
from .._evidence.host import HostLook
from .._transcript import Record

_NVML = "driver.nvidia_smi_list"
_QUERY = "driver.nvidia_smi_query"

# Exit codes of nvidia-smi are NVML's return values (nvml.h, nvmlReturn_t).
_NOT_LOADED = 9
_LIBRARY_NOT_FOUND = 12
_COMMAND_NOT_FOUND = 127
_VERSION_MISMATCH = 18
_LOST = (15, 16)  # GPU is lost, GPU requires reset
_ERROR_CELL = re.compile(r"ERR!|\[?Unknown Error|GPU is lost|requires reset", re.IGNORECASE)


def judge_driver(look: HostLook, host: str) -> Judgement:
    """Judge one host's driver."""
    facts = read_driver(look)
    findings = [*_examined(look, host), *_versions_fit(facts), *_gpu_on_the_bus(facts), *_answers(look, facts)]
    if not any(f.status == "fail" for f in findings):
        findings += [*_every_gpu(facts), *_no_error_cell(look), *_complete(look, facts)]
    return Judgement(1, tuple(findings), None if findings else _seen(facts))


def _examined(look: HostLook, host: str) -> Iterator[Finding]:
    if look.error is None:
        return
    if look.kind == "incomplete":
        yield found("DRV010", missing=look.error)
    else:
        yield found("DRV001", reason=look.error, host=host)


def _versions_fit(facts: DriverFacts) -> Iterator[Finding]:
    """The kernel module and the NVML library come from one driver version."""
    module, libraries = facts.module_version, facts.library_versions
    if module and libraries and module not in libraries:
        yield found(
            "DRV003", "driver.module_version", "driver.nvml_libraries", module=module, library=", ".join(libraries)
        )


def _gpu_on_the_bus(facts: DriverFacts) -> Iterator[Finding]:
    if facts.pci_gpus == () and not facts.gpus:
        yield found("DRV002", "driver.pci_devices", _NVML)


def _answers(look: HostLook, facts: DriverFacts) -> Iterator[Finding]:
    """nvidia-smi ends with 0, for the list and for the query. Only the first that fails is told."""
    if facts.pci_gpus == ():
        return
    for pointer, name in ((_NVML, "nvidia_smi_list"), (_QUERY, "nvidia_smi_query")):
        record = look.records.get(name)
        if record is not None and record["exit_code"] != 0:
            yield from _failure(record, pointer, facts)
            return


def _failure(record: Record, pointer: str, facts: DriverFacts) -> Iterator[Finding]:
    code, says = record["exit_code"], _says(record)
    module = facts.module_version or "not loaded"
    if code is None:
        yield found("DRV008", pointer, seconds=record["seconds"])
    elif code == _VERSION_MISMATCH:
        if not list(_versions_fit(facts)):
            yield found("DRV003", pointer, module=module, library="another (nvidia-smi: " + says + ")")
    elif code in _LOST:
        yield found("DRV004", pointer, exit_code=code, says=says)
    elif code == _NOT_LOADED and facts.module_version is None:
        yield found("DRV005", pointer, "driver.module_version", says=says)
    elif code in (_LIBRARY_NOT_FOUND, _COMMAND_NOT_FOUND):
        if facts.module_version is None:
            yield found("DRV005", pointer, "driver.module_version", says="neither is nvidia-smi usable: " + says)
        else:
            yield found("DRV006", pointer, says=says, module=module)
    else:
        yield found("DRV009", pointer, exit_code=code, says=says)


def _every_gpu(facts: DriverFacts) -> Iterator[Finding]:
    """As many GPUs in NVML as on the bus."""
    if facts.pci_gpus and facts.gpus is not None and len(facts.gpus) < len(facts.pci_gpus):
        foreign = [f"{g.address} is bound to {g.driver}" for g in facts.pci_gpus if g.driver != "nvidia"]
        yield found(
            "DRV007",
            "driver.pci_devices",
            _NVML,
            on_bus=len(facts.pci_gpus),
            in_nvml=len(facts.gpus),
            which=f" ({'; '.join(foreign)})" if foreign else "",
        )


def _no_error_cell(look: HostLook) -> Iterator[Finding]:
    """The query ends with 0 even when every field of one GPU is an error word."""
    record = look.records.get("nvidia_smi_query")
    if record and record["exit_code"] == 0:
        for line in record["stdout"].splitlines():
            if _ERROR_CELL.search(line):
                yield found("DRV004", _QUERY, exit_code=0, says=line.strip())


def _complete(look: HostLook, facts: DriverFacts) -> Iterator[Finding]:
    """Everything that the proof rests on is there."""
    missing = [
        words
        for words, there in (
            ("the PCI bus could not be listed", facts.pci_gpus is not None),
            ("nvidia-smi -L did not run, or its list could not be read", facts.gpus is not None),
            ("nvidia-smi --query-gpu did not run", "nvidia_smi_query" in look.records),
            ("the version of the kernel module could not be read", facts.module_version is not None),
            ("the bus lists no GPU and nvidia-smi does", not (facts.pci_gpus == () and facts.gpus)),
            (
                "nvidia-smi lists more GPUs than the bus",
                len(facts.gpus or ()) <= len(facts.pci_gpus or facts.gpus or ()),
            ),
        )
        if not there
    ]
    if missing and look.error is None:
        yield found("DRV010", _NVML, missing="; ".join(missing))


def _seen(facts: DriverFacts) -> str | None:
    if not facts.gpus or not facts.pci_gpus:
        return None
    names = ", ".join(dict.fromkeys(gpu.name for gpu in facts.gpus))
    return f"{len(facts.gpus)} of {len(facts.pci_gpus)} GPUs ({names}), driver {facts.module_version}"


def _says(record: Record) -> str:
    """The first line that the command printed, wherever it printed it."""
    for line in (record["stdout"] + "\n" + record["stderr"]).splitlines():
        if line.strip():
            return line.strip()
    return "(no output)"
