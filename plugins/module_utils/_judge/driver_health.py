# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The GPUs that are listed can be worked with: memory, MIG, modes, licence, and what the driver itself recommends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .._catalogue import found
from .._chain import Finding
from .._evidence.driver import DriverFacts
from .._evidence.host import HostLook

_HEALTH = "driver.nvidia_smi_health"
_RECOVERY = "driver.nvidia_smi_recovery"
_LICENCE = re.compile(r"^\s*License Status\s*:\s*(?P<status>.*?)\s*$", re.MULTILINE)
_CONFIDENTIAL = re.compile(r"CC status\s*:\s*ON", re.IGNORECASE)
_READY = re.compile(r"ready state\s*:\s*ready", re.IGNORECASE)


def gpu_health(look: HostLook, facts: DriverFacts) -> Iterator[Finding]:
    """Everything that the driver tells of the state of its GPUs."""
    yield from _memory(facts)
    yield from _recovery(facts)
    yield from _mig(facts)
    yield from _modes(facts)
    yield from _licence(look)
    yield from _confidential(look)


def _memory(facts: DriverFacts) -> Iterator[Finding]:
    """No uncorrectable error since the driver was loaded (DRV013), spare rows left (DRV029), no reset due (DRV030)."""
    errors = {u: c for u, c in facts.everywhere("ecc.errors.uncorrected.volatile.total").items() if _number(c)}
    if errors:
        yield found("DRV013", _HEALTH, errors=_listed(errors))
    failed = _those(facts, "remapped_rows.failure", "Yes")
    if failed:
        yield found("DRV029", _HEALTH, gpus=failed)
    pending = [f for f in ("remapped_rows.pending", "retired_pages.pending") if _those(facts, f, "Yes")]
    if pending:
        yield found("DRV030", _HEALTH, gpus=", ".join(f"{f} of {_those(facts, f, 'Yes')}" for f in pending))


def _recovery(facts: DriverFacts) -> Iterator[Finding]:
    """The driver asks for no reset (DRV031) and for nothing else (DRV032)."""
    actions = {u: c for u, c in facts.everywhere("gpu_recovery_action").items() if c != "None"}
    resets = {uuid: action for uuid, action in actions.items() if re.search("Reset|Reboot", action)}
    others = {uuid: action for uuid, action in actions.items() if uuid not in resets}
    if resets:
        yield found("DRV031", _RECOVERY, actions=_listed(resets))
    if others:
        yield found("DRV032", _RECOVERY, actions=_listed(others))


def _mig(facts: DriverFacts) -> Iterator[Finding]:
    """A GPU in MIG mode has instances (DRV014), and no change of the mode is pending (DRV028)."""
    current, pending = facts.everywhere("mig.mode.current"), facts.everywhere("mig.mode.pending")
    empty = [gpu.uuid for gpu in facts.gpus or () if current.get(gpu.uuid) == "Enabled" and not gpu.mig_devices]
    if empty and not facts.is_root:
        yield found("DRV010", "driver.nvidia_smi_list", missing="MIG devices are listed to root only")
    elif empty:
        yield found("DRV014", "driver.nvidia_smi_list", _HEALTH, gpus=", ".join(empty))
    changing = {u: f"{current[u]}, then {pending[u]}" for u in current if pending.get(u, current[u]) != current[u]}
    if changing:
        yield found("DRV028", _HEALTH, gpus=_listed(changing))


def _modes(facts: DriverFacts) -> Iterator[Finding]:
    """CUDA may be used (DRV026), by more than one process (DRV027), and something keeps the driver alive (DRV033)."""
    prohibited, exclusive = (_those(facts, "compute_mode", mode) for mode in ("Prohibited", "Exclusive_Process"))
    if prohibited:
        yield found("DRV026", _HEALTH, gpus=prohibited)
    if exclusive:
        yield found("DRV027", _HEALTH, gpus=exclusive)
    slow = _those(facts, "persistence_mode", "Disabled")
    if slow and facts.platform == "pci" and facts.has_process("nvidia-persiste") is False:
        yield found("DRV033", _HEALTH, gpus=slow)


def _licence(look: HostLook) -> Iterator[Finding]:
    """A virtual GPU has its licence (DRV040); before it got one it may work at full speed for some minutes (DRV041)."""
    states = [m["status"] for m in _LICENCE.finditer(look.stdout_of("nvidia_smi_details") or "")]
    missing = [status for status in states if status.startswith("Unlicensed")]
    if missing:
        code = "DRV041" if all("Unrestricted" in status for status in missing) else "DRV040"
        yield found(code, "driver.nvidia_smi_details", says=", ".join(dict.fromkeys(missing)))


def _confidential(look: HostLook) -> Iterator[Finding]:
    """In confidential computing the GPUs were declared ready (DRV042)."""
    ready = look.stdout_of("confidential_ready")
    if ready and _CONFIDENTIAL.search(look.stdout_of("confidential_status") or "") and not _READY.search(ready):
        yield found("DRV042", "driver.confidential_ready", says=" ".join(ready.split()))


def _those(facts: DriverFacts, field: str, value: str) -> str:
    return ", ".join(uuid for uuid, cell in facts.everywhere(field).items() if cell == value)


def _listed(cells: Mapping[str, str]) -> str:
    return "; ".join(f"{uuid}: {cell}" for uuid, cell in cells.items())


def _number(cell: str) -> int:
    return int(cell) if cell.isdecimal() else 0
