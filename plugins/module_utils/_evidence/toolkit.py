# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the toolkit's probe saw, typed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .._transcript import Record
from .driver import Gpu, gpus_listed
from .host import HostLook

_DEVICE_LINE = re.compile(r"^device (/dev/nvidia\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class ContainerRun:
    """A container of the experiment. ``whole``: both of its nonce lines arrived."""

    record: Record
    whole: bool
    gpus: tuple[Gpu, ...]
    devices: tuple[str, ...]

    @property
    def output(self) -> str:
        """The last line that says something, from either stream."""
        lines = (self.record["stderr"] + "\n" + self.record["stdout"]).split("\n")
        said = [line.strip() for line in lines if line.strip() and not re.match(r"(begin|end|device) ", line)]
        return said[-1] if said else "nothing"


@dataclass(frozen=True)
class ToolkitFacts:
    """The toolkit layer of one host. None: it could not be read."""

    handlers: Mapping[str, str] | None
    cdi_specs: tuple[str, ...] | None
    gpus: tuple[Gpu, ...] | None
    image_there: bool | None
    gpu_container: ContainerRun | None
    control_container: ContainerRun | None


def read_toolkit(look: HostLook) -> ToolkitFacts:
    """Read the records of the toolkit's probe."""
    handlers = look.stdout_of("loaded_handlers")
    specs = look.stdout_of("cdi_specs")
    listed = look.stdout_of("gpu_list")
    images = look.stdout_of("image")
    return ToolkitFacts(
        handlers=None if handlers is None else _handlers(handlers),
        cdi_specs=None if specs is None else tuple(line.split()[-1] for line in specs.splitlines() if line.strip()),
        gpus=None if listed is None else gpus_listed(listed),
        image_there=None if images is None else bool(images.strip()),
        gpu_container=_container(look.records.get("gpu_container")),
        control_container=_container(look.records.get("control_container")),
    )


def _handlers(listing: str) -> dict[str, str]:
    rows = [line.split(maxsplit=1) for line in listing.splitlines() if line.strip()]
    return {row[0]: row[1] if len(row) > 1 else "" for row in rows}


def _container(record: Record | None) -> ContainerRun | None:
    if record is None:
        return None
    out = record["stdout"]
    begin = re.search(r"^begin (\S+)$", out, re.MULTILINE)
    return ContainerRun(
        record=record,
        whole=bool(begin and re.search(rf"^end {re.escape(begin[1])}$", out, re.MULTILINE)),
        gpus=gpus_listed(out),
        devices=tuple(_DEVICE_LINE.findall(out)),
    )
