# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The catalogue of findings: one entry a code, kept as data, one file a layer.

Private to the collection. Codes are stable: a code is never given a second meaning.
"""

from __future__ import annotations

from .._chain import Finding
from ._entry import Entry
from .device_plugin import ENTRIES as DEVICE_PLUGIN
from .driver import ENTRIES as DRIVER
from .expectation import ENTRIES as EXPECTATION
from .preflight import ENTRIES as PREFLIGHT
from .scheduler import ENTRIES as SCHEDULER
from .smoke_pod import ENTRIES as SMOKE_POD
from .toolkit import ENTRIES as TOOLKIT

CATALOGUE: dict[str, Entry] = {
    entry.code: entry
    for entries in (PREFLIGHT, DRIVER, TOOLKIT, DEVICE_PLUGIN, SCHEDULER, SMOKE_POD, EXPECTATION)
    for entry in entries
}


def found(code: str, *evidence: str, **values: object) -> Finding:
    """Make the finding of a catalogue entry. ``values`` fill the placeholders of its message.

    ``evidence`` are pointers into the node's evidence. Raises KeyError for an unknown code or a missing value.
    """
    entry = CATALOGUE[code]
    return Finding(
        code=code,
        layer=entry.layer,
        status=entry.status,
        message=entry.message.format(**values),
        remedy=entry.remedy.format(**values),
        evidence=evidence,
    )
