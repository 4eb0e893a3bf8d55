# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoint 6, when the node could not start the smoke Pod: whose fault that is."""

from __future__ import annotations

import re

from .._catalogue import found
from .._chain import Finding
from .._evidence.smoke_pod import PodEnd
from .toolkit_start import NVML_SAYS

# What runc, nvidia-container-cli and nvidia-container-runtime say when the cause is certain.
_DRIVER_TOO_OLD = r"requirement error|unsatisfied condition"
_IMAGE = r"exec format error|exec:? \"?/bin/sh\"?: |\"/bin/sh\".*(no such file|not found)|no match for platform"
_NO_HANDLER = r"(no runtime for|failed to find runtime handler|unknown runtime handler|runtime handler) \"?\S+"
_TOOLKIT = (
    r"nvidia-(container|ctk|cdi|smi)|NVIDIA_VISIBLE_DEVICES|libnvidia|/dev/nvidia|CDI device|CDI modifier|inject CDI"
)


def why_not_started(which: str, pointer: str, reason: str, end: PodEnd, image: str) -> Finding:
    """Blame the driver, the toolkit or the image where the words are certain; else the node (SMK003)."""
    values: dict[str, object] = {"says": reason, "image": image, "which": which, "reason": reason}
    values |= {"module": "another", "library": f"not that ({reason})"}
    for code, words in NVML_SAYS:
        if re.search(words, reason):
            return found(code, pointer, **values)
    if re.search(_DRIVER_TOO_OLD, reason):
        return found("TKT023", pointer, **values)
    if re.search(_IMAGE, reason):
        return found("SMK028", pointer, **values)
    if re.search(_NO_HANDLER, reason):
        return found("SMK023", pointer, runtime_class=end.runtime_class or "(none)", says=reason)
    if re.search(_TOOLKIT, reason):
        return found("TKT008", pointer, asked=what_it_asked_for(which, end), says=reason)
    return found("SMK003", pointer, **values)


def what_it_asked_for(which: str, end: PodEnd) -> str:
    """For the words of the toolkit's findings."""
    way = f"RuntimeClass {end.runtime_class}" if end.runtime_class else "no RuntimeClass"
    return f"a GPU as the {which} Pod does ({way})"
