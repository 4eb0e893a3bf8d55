# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""CDI specifications: what they promise, and whether it is there."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class CdiSpec:
    """One specification. ``missing`` are files that it names and the host does not have."""

    path: str
    version: str | None
    kind: str | None
    devices: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def missing_nodes(self) -> tuple[str, ...]:
        return tuple(file for file in self.missing if file.startswith("/dev/"))


def read_specs(text: str | None) -> tuple[CdiSpec, ...] | None:
    """Read the lines that describe_cdi_specs of the probe prints."""
    if text is None:
        return None
    return tuple(_spec(part) for part in re.split(r"^spec ", text, flags=re.MULTILINE)[1:])


def _spec(part: str) -> CdiSpec:
    path, *lines = part.splitlines()
    rows = [line.split(maxsplit=2) for line in lines if line.strip()]
    there = [row[2] for row in rows if row[1:2] == ["there"] and len(row) > 2]
    missing = [row[2] for row in rows if row[1:2] == ["missing"] and len(row) > 2]
    return CdiSpec(
        path=path,
        version=next((row[1] for row in rows if row[0] == "version"), None),
        kind=next((row[1] for row in rows if row[0] == "kind"), None),
        devices=tuple(row[1] for row in rows if row[0] == "device"),
        # a device node's path is that in the container; the host's may be below the driver's root
        missing=tuple(file for file in missing if not any(host.endswith(file) for host in there)),
    )
