# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""NVLink through NVSwitches: CUDA does not start before the fabric manager has set up the fabric."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .._catalogue import found
from .._chain import Finding
from .._evidence.driver import DriverFacts
from .._evidence.host import HostLook

_VERSION = re.compile(r"\b(\d{3}\.\d+(?:\.\d+)?)\b")


def fabric_is_ready(look: HostLook, facts: DriverFacts) -> Iterator[Finding]:
    """The GPUs themselves say that their fabric is complete; GPUs that don't know, need a fabric manager that runs."""
    states = facts.everywhere("fabric.state")
    outcomes = facts.everywhere("fabric.status")
    pointers = ("driver.nvidia_smi_recovery", "driver.driver_processes")
    waiting = {uuid: state for uuid, state in states.items() if state != "Completed"}
    failed = {u: outcomes[u] for u, s in states.items() if s == "Completed" and outcomes.get(u, "Success") != "Success"}
    if failed:
        yield found("DRV022", *pointers, says="; ".join(f"{uuid}: {status}" for uuid, status in failed.items()))
    elif waiting and not facts.nvswitches:
        says = "; ".join(f"{uuid}: {state}" for uuid, state in waiting.items())
        yield found("DRV024", "driver.nvidia_smi_recovery", says=says)
    elif facts.nvswitches and (waiting or not states) and not _links_are_off(look):
        runs = facts.has_process("nv-fabricmanage")
        if waiting or runs is False:
            yield from _not_ready(look, facts, runs, waiting)


def _not_ready(look: HostLook, facts: DriverFacts, runs: bool | None, waiting: dict[str, str]) -> Iterator[Finding]:
    version = _VERSION.search(look.stdout_of("fabric_manager_version") or "")
    if version and facts.module_version and version[1] != facts.module_version:
        pointer = "driver.fabric_manager_version"
        yield found("DRV023", pointer, manager=version[1], module=facts.module_version)
        return
    says = "the fabric manager does not run" if runs is False else "the fabric is not set up"
    if waiting:
        says += f" (fabric.state is {', '.join(dict.fromkeys(waiting.values()))})"
    yield found("DRV022", "driver.nvidia_smi_recovery", "driver.driver_processes", says=says)


def _links_are_off(look: HostLook) -> bool:
    """Without NVLink no fabric is needed."""
    return re.search(r"^NvLinkDisable: 1$", look.stdout_of("module_parameters") or "", re.MULTILINE) is not None
