# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One look at a host: the transcript of a layer's probe, or why there is none."""

from __future__ import annotations

import typing as t
from collections.abc import Mapping
from dataclasses import dataclass, field

from .._transcript import Record


@dataclass(frozen=True)
class HostLook:
    """``error`` is set when the probe did not run or its transcript is not whole; records may be there all the same.

    ``kind`` is ``unreachable``, ``refused``, ``no_pod``, ``no_transcript``, ``incomplete`` or ``blocked``; or the look
    was not to be taken: ``no_access`` where there is no way to the host, ``waived`` where the user does without it.
    ``cause`` tells apart why there is ``no_pod`` (_debug_pod.py).
    ``expect`` is what the user expects of this host; it travels with the look, since it may differ from host to host.
    """

    records: Mapping[str, Record] = field(default_factory=dict)
    kind: str | None = None
    error: str | None = None
    cause: str | None = None
    expect: Mapping[str, t.Any] = field(default_factory=dict)

    def stdout_of(self, name: str) -> str | None:
        """Return what the command printed, or None when it failed, was abandoned or did not run."""
        record = self.records.get(name)
        return record["stdout"] if record and record["exit_code"] == 0 else None

    @property
    def waived(self) -> str | None:
        """Why the user does without this look; None where it was to be taken."""
        return self.error if self.kind == "waived" else None


def read_look(look: Mapping[str, t.Any] | None) -> HostLook | None:
    """Read a layer's look at the host. None means that the layer was not examined."""
    if look is None:
        return None
    error = look.get("error") or {}
    return HostLook(
        records=look.get("records") or {},
        kind=error.get("kind"),
        error=error.get("reason"),
        cause=error.get("cause"),
        expect=look.get("expect") or {},
    )
