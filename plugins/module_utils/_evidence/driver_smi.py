# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What nvidia-smi says, typed: the lists of GPUs and the cells of its queries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .._transcript import Record
from .host import HostLook

QUERIES = ("nvidia_smi_query", "nvidia_smi_health", "nvidia_smi_recovery", "nvidia_smi_fabric")
"""The records that hold queries. The first one every driver knows; the others need a driver that knows their fields."""

_GPU_LINE = re.compile(r"^GPU \d+: (?P<name>.*) \(UUID: (?P<uuid>(?:GPU-)?[0-9a-fA-F-]{8,})\)\s*$")
_MIG_LINE = re.compile(r"^\s+MIG .*\(UUID: MIG-")
_FIELDS = re.compile(r"--query-gpu=(\S+)")
_ABSENT = re.compile(
    r"\[?(N/A|Not Supported|Function Not Found|Insufficient Permissions|.*deprecated)\]?", re.IGNORECASE
)
_ERROR = re.compile(r"ERR!|Unknown Error|GPU is lost|requires reset", re.IGNORECASE)


@dataclass(frozen=True)
class Gpu:
    """A GPU that nvidia-smi lists, and how many MIG devices it is cut into."""

    uuid: str
    name: str
    mig_devices: int = 0


Cells = Mapping[str, str]
"""The cells of one GPU by field. A field that this GPU or driver does not have is left out."""


def gpus_listed(text: str) -> tuple[Gpu, ...]:
    """Return the GPUs in the output of ``nvidia-smi -L``."""
    gpus: list[Gpu] = []
    for line in text.splitlines():
        gpu = _GPU_LINE.match(line)
        if gpu:
            gpus.append(Gpu(gpu["uuid"], gpu["name"]))
        elif gpus and _MIG_LINE.match(line):
            gpus[-1] = Gpu(gpus[-1].uuid, gpus[-1].name, gpus[-1].mig_devices + 1)
    return tuple(gpus)


def read_list(look: HostLook) -> tuple[Gpu, ...] | None:
    """No GPU is believed only where nvidia-smi says so; a list in unknown words is unreadable."""
    record = look.records.get("nvidia_smi_list")
    if record is None or record["exit_code"] not in (0, 6):  # 6: no devices were found
        return None
    gpus = gpus_listed(record["stdout"])
    return gpus if gpus or re.search(r"no (devices|gpus?)", record["stdout"], re.IGNORECASE) else None


def rows(record: Record) -> Iterator[list[str]]:
    """The cells of a query, line by line."""
    for line in record["stdout"].splitlines():
        if line.strip():
            yield [cell.strip() for cell in line.split(",")]


def read_cells(look: HostLook) -> Mapping[str, Cells]:
    """Put the answers of all queries together, by the GPU's UUID. The command itself names the fields."""
    cells: dict[str, dict[str, str]] = {}
    for name in QUERIES:
        record = look.records.get(name)
        asked = _FIELDS.search(record["command"]) if record and record["exit_code"] == 0 else None
        if record is None or asked is None:
            continue
        fields = asked[1].split(",")
        for row in rows(record):
            about = dict(zip(fields, row, strict=False))
            if len(row) == len(fields) and about.get("uuid"):
                known = {field: cell for field, cell in about.items() if cell and not _ABSENT.fullmatch(cell)}
                cells.setdefault(about["uuid"], {}).update(known)
    return cells


def error_rows(look: HostLook) -> Iterator[tuple[str, str]]:
    """The lines that hold an error word, of the first query that has any: it ends with 0 all the same."""
    for name in QUERIES:
        record = look.records.get(name)
        if record and record["exit_code"] == 0:
            told = [", ".join(row) for row in rows(record) if any(_ERROR.search(cell) for cell in row)]
            if told:
                yield from ((name, line) for line in told)
                return
