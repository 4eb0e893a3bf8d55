# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""nvidia-smi answers. Its exit codes are NVML's return values (nvmlReturn_t); its text is on either stream."""

from __future__ import annotations

from collections.abc import Iterator

from .._catalogue import found
from .._chain import Finding
from .._evidence.driver import DriverFacts
from .._evidence.driver_smi import QUERIES
from .._evidence.host import HostLook
from .._transcript import Record
from .driver_gpus import control_node_is_missing

# A driver that is too old for a field, or a GPU that does not have it.
_NOT_KNOWN_HERE = (2, 3, 13)
_NO_PERMISSION = 4
_NO_DEVICES = 6
_NOT_LOADED = 9
_LIBRARY_NOT_FOUND = 12
_LOST = (15, 16)  # GPU is lost, GPU requires reset
_VERSION_MISMATCH = 18
_COULD_NOT_BE_STARTED = (125, 126)  # of chroot, env and the shell
_COMMAND_NOT_FOUND = 127


def nvidia_smi_answers(look: HostLook, facts: DriverFacts, queries: tuple[str, ...] = QUERIES) -> Iterator[Finding]:
    """The list and the queries end with 0. Only the first that does not is told."""
    for name in ("nvidia_smi_list", *queries):
        record = look.records.get(name)
        if record is None or record["exit_code"] in (0, _NO_DEVICES):
            continue
        if name in QUERIES[1:] and (record["exit_code"] in _NOT_KNOWN_HERE or "not a valid field" in _says(record)):
            continue
        yield from _failure(record, f"driver.{name}", facts)
        return


def _failure(record: Record, pointer: str, facts: DriverFacts) -> Iterator[Finding]:
    code, says = record["exit_code"], _says(record)
    module = facts.module_version or "not loaded"
    if code is None:
        yield found("DRV008", pointer, seconds=record["seconds"])
    elif code in _COULD_NOT_BE_STARTED or (code in (_NO_PERMISSION, _NOT_LOADED) and not facts.is_root):
        yield found("DRV010", pointer, missing=f"nvidia-smi may not be used by this user, or not started: {says}")
    elif code == _VERSION_MISMATCH:
        yield found("DRV003", pointer, module=module, library=f"another (nvidia-smi: {says})")
    elif code in _LOST:
        yield found("DRV004", pointer, says=f"{says} (exit code {code})")
    elif code == _NOT_LOADED and control_node_is_missing(facts):
        yield found("DRV011", pointer, "driver.device_nodes_after", nodes="/dev/nvidiactl of the driver itself")
    elif code in (_LIBRARY_NOT_FOUND, _COMMAND_NOT_FOUND):
        yield found("DRV006", pointer, says=says, module=module)
    else:
        yield found("DRV009", pointer, exit_code=code, says=says)


def _says(record: Record) -> str:
    """The first line that the command printed, wherever it printed it."""
    for line in (record["stdout"] + "\n" + record["stderr"]).splitlines():
        if line.strip():
            return line.strip()
    return "(no output)"
