# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which kernel module a host's GPUs can be driven by, by the PCI device ids of their chips.

The open module needs the GPU System Processor, which came with Turing; Maxwell, Pascal and Volta have none. Grace
Hopper and all from Blackwell on work with the open module alone.
Sources: NVIDIA's driver installation guide, "Kernel Modules"; the supported chips of open-gpu-kernel-modules.
"""

from __future__ import annotations

import typing as t
from collections.abc import Iterable, Sequence

Kind = t.Literal["open", "proprietary"]
KINDS: tuple[Kind, ...] = ("open", "proprietary")

_MAXWELL, _TURING, _BLACKWELL = 0x1340, 0x1E00, 0x2900
_GRACE_HOPPER = frozenset({0x2342, 0x2348})


def kinds_of(device: int) -> tuple[Kind, ...]:
    """Return the modules that drive a chip, the better one first; none where today's driver has none for it."""
    if device >= _BLACKWELL or device in _GRACE_HOPPER:
        return ("open",)
    if device >= _TURING:
        return ("open", "proprietary")
    return ("proprietary",) if device >= _MAXWELL else ()


def choose_module(devices: Sequence[int | None], wanted: str) -> tuple[Kind | None, str]:
    """Return the module that drives all GPUs of a host and why, or None and what stands against it.

    ``wanted``: ``auto``, or the kind that the user names, who may have chips that are not known here.
    """
    ids = sorted({device for device in devices if device is not None})
    unknown = [device for device in ids if not kinds_of(device)]
    if wanted in KINDS:
        against = [device for device in ids if device not in unknown and wanted not in kinds_of(device)]
        if against:
            return None, f"the {wanted} kernel module does not drive its GPUs (PCI device ids {_told(against)})"
        return wanted, "gpu_k8s_install_driver_module says so"
    if not ids or None in devices:
        return None, "the PCI device ids of its GPUs could not be read"
    if unknown:
        return None, f"no kernel module is known for its GPUs (PCI device ids {_told(unknown)})"
    for kind in KINDS:
        if all(kind in kinds_of(device) for device in ids):
            return kind, f"by the GPUs' PCI device ids ({_told(ids)})"
    return None, f"its GPUs (PCI device ids {_told(ids)}) need different kernel modules, and a host loads one"


def _told(devices: Iterable[int]) -> str:
    return ", ".join(f"0x{device:04x}" for device in devices)
