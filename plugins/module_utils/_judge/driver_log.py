# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the kernel log adds: why a GPU did not start, and the errors of GPUs that did.

A line of the log is never a fault by itself, since it may be old: it explains a fault that was seen, or warns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .._catalogue import found
from .._chain import Finding
from .._evidence.driver import DriverFacts
from .._evidence.driver_kernel import xids

_LOG = "driver.kernel_log"

# Why a GPU did not start, in NVIDIA's words; the first that fits is the most exact.
_REASONS = (
    ("DRV019", re.compile(r"requires use of the NVIDIA open kernel modules|does not include the required GPU")),
    (
        "DRV020",
        re.compile(r"is not supported by the$|not supported by the NVIDIA \S+ driver|OpenRmEnableUnsupportedGpus"),
    ),
    ("DRV004", re.compile(r"fallen off the bus")),
    (
        "DRV021",
        re.compile(r"RmInitAdapter failed|rm_init_adapter failed|Cannot initialize GSP|I/O region .* is invalid"),
    ),
)

# Errors that speak of the GPU, its memory, its links or its firmware. The others (13, 31, 43, 45, 68, 69, 109, …) come
# from an application that failed, and leave the GPU as it was.
_HARDWARE_XIDS = frozenset(
    {48, 62, 63, 64, 74, 79, 92, 94, 95, 110, 119, 120, 121, 122, 123, 136, 137, 140, 142, 143, 144, 145, 146, 147}
    | {148, 149, 150, 151, 154, 155, 156, 158, 160, 161, 167, 168, 169, 171, 172}
)


def why_not_started(facts: DriverFacts) -> Iterator[Finding]:
    """At most one finding: the reason in the kernel log why a GPU did not start."""
    for code, words in _REASONS:
        for line in facts.kernel_log or ():
            if words.search(line):
                says = _without_time(line)
                yield found(code, _LOG, says=says)
                return


def module_was_rejected(facts: DriverFacts) -> str | None:
    """The kernel's line on a module without a signature that it trusts."""
    for line in facts.kernel_log or ():
        if re.search(r"unavailable key|unsigned module|rejected by service", line):
            return _without_time(line)
    return None


def errors_in_the_log(facts: DriverFacts) -> Iterator[Finding]:
    """Hardware errors since the last boot (DRV034), and unified memory that found no range of addresses (DRV035)."""
    if facts.kernel_log is None:
        return
    serious = [xid for xid in xids(facts.kernel_log) if xid.number in _HARDWARE_XIDS]
    if serious:
        said = ", ".join(dict.fromkeys(f"Xid {xid.number} ({xid.where})" for xid in serious))
        yield found("DRV034", _LOG, xids=said)
    if any("request_free_mem_region" in line for line in facts.kernel_log) and not facts.hmm_is_off:
        yield found("DRV035", _LOG)


def _without_time(line: str) -> str:
    return re.sub(r"^\[ *[\d.]+\] ", "", line).strip()
