# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lines of the evidence that a pointer leads to, short enough to be shown."""

from __future__ import annotations

import json
import typing as t
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .telling import telling

_LINES = 40
_WIDTH = 400
_BEFORE = 80  # what is shown of a long line before the words that tell


def proofs(evidence: Mapping[str, t.Any]) -> dict[int, tuple[str, ...]]:
    """Return by checkpoint what its proof rests on: pointers to a layer and its probe's record, or to a path of fields.

    A machine without a PCI bus shows its GPU by its platform and modules, and a Node whose GPUs come by claims in its
    ResourceSlices. What is not there leads to nothing.
    """
    bus = _walk(evidence, ["driver", "records", "pci_devices", "stdout"])
    machine = ("driver.pci_devices",) if bus else ("driver.platform", "driver.loaded_modules")
    kubernetes, expect = evidence.get("kubernetes") or {}, evidence.get("expect") or {}
    advertised = "kubernetes.node.status.allocatable"
    allocatable = _walk(kubernetes, ["node", "status", "allocatable", expect.get("resource", "nvidia.com/gpu")])
    by_claim = expect.get("smoke_ask") == "dra" or allocatable in (None, "0")
    offered = ("kubernetes.objects.resource_slices",) if by_claim else (advertised,)
    # without a look at the host the API alone speaks
    connections = _walk(evidence, ["device_plugin", "records", "plugin_connections"])
    connected = ("device_plugin.plugin_connections",) if connections else ()
    return {
        1: ("driver.nvidia_smi_list", *machine, "driver.module_version"),
        2: ("toolkit.gpu_container", "toolkit.control_container"),
        3: (*offered, *connected),
        4: (*offered, "kubernetes.node.spec", "kubernetes.node.status.conditions.Ready"),
        5: ("smoke_pod.pod.spec.nodeName", "smoke_pod.pod.status.conditions.PodScheduled"),
        6: ("smoke_pod.pod.status.containerStatuses", "smoke_pod.log", "smoke_pod.cuda.log", "control_pod.log"),
    }


@dataclass(frozen=True)
class Excerpt:
    """``command`` and ``exit_code`` are set where a command on the host printed the lines.

    Fields of an object are lines as well, each with its path. ``decides`` are the indices of the few lines that hold
    what the finding speaks of. ``cut_off`` says that there is more.
    """

    command: str | None
    exit_code: int | None
    lines: tuple[str, ...]
    decides: tuple[int, ...]
    cut_off: bool


def excerpt(evidence: Mapping[str, t.Any], pointer: str, said: str = "") -> Excerpt | None:
    """Return what ``pointer`` leads to, or None if it leads to nothing. ``said`` is the message that rests on it."""
    layer, _dot, name = pointer.partition(".")
    look = evidence.get(layer)
    record: Mapping[str, t.Any] = {}
    if isinstance(look, Mapping) and "records" in look:
        record = look["records"].get(name) or {}
        value = _printed(record) if record else (look.get("error") or {}).get("reason")
    else:
        value = _walk(evidence, pointer.split("."))
    if value is None:
        return None
    lines = [*_fields(value)]
    decides = telling(lines, said, _names(evidence))
    kept = _kept([*decides], len(lines))
    return Excerpt(
        command=record.get("command"),
        exit_code=record.get("exit_code"),
        lines=tuple(_narrow(lines[n], decides.get(n, 0)) for n in kept),
        decides=tuple(place for place, n in enumerate(kept) if n in decides),
        cut_off=bool(record.get("cut_off") or record.get("timed_out"))
        or len(kept) < len(lines)
        or any(len(lines[n]) > _WIDTH for n in kept),
    )


def _printed(record: Mapping[str, t.Any]) -> str:
    parts = [record.get(stream) or "" for stream in ("stdout", "stderr")]
    return "\n".join(part.rstrip("\n") for part in parts if part.strip())


def _names(evidence: Mapping[str, t.Any]) -> list[str]:
    """What this host and its Node are called: it is in many places, and tells nothing."""
    node = (evidence.get("kubernetes") or {}).get("node") or {}
    return [evidence.get("host") or "", (node.get("metadata") or {}).get("name") or ""]


def _walk(value: t.Any, path: Sequence[str]) -> t.Any:
    """Follow the fields. A name may itself hold dots (``nvidia.com/gpu``); in a list it is an item's type or name.

    What is not there leads to nothing.
    """
    if not path:
        return value
    if isinstance(value, list):
        items = (
            item for item in value if isinstance(item, Mapping) and path[0] in (item.get("type"), item.get("name"))
        )
        return _walk(next(items, None), path[1:])
    if isinstance(value, Mapping):
        for end in range(len(path), 0, -1):
            if ".".join(path[:end]) in value:
                return _walk(value[".".join(path[:end])], path[end:])
    return None


def _fields(value: t.Any, path: str = "") -> Iterator[str]:
    """A line for each field with its whole path, so that it can be read without those around it."""
    if isinstance(value, Mapping) and value:
        for name, part in value.items():
            yield from _fields(part, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and value:
        for number, part in enumerate(value):
            yield from _fields(part, f"{path}[{number}]")
    else:
        text = value.rstrip("\n") if isinstance(value, str) else json.dumps(value)
        yield from (f"{path}: {line}" if path else line for line in text.split("\n"))


def _kept(decides: Sequence[int], count: int) -> list[int]:
    """Those that decide with their neighbours, then the last: logs end with the cause, objects with their status."""
    if count <= _LINES:
        return list(range(count))
    near = dict.fromkeys(n + d for d in (0, -1, 1) for n in decides if 0 <= n + d < count)
    return sorted([*near, *(n for n in range(count - 1, -1, -1) if n not in near)][:_LINES])


def _narrow(line: str, place: int) -> str:
    """A long line is shown from its beginning, or from where it tells."""
    if len(line) <= _WIDTH or place <= _WIDTH // 2:
        return line[:_WIDTH]
    begin = min(place - _BEFORE, len(line) - _WIDTH)
    return f"[...] {line[begin : begin + _WIDTH]}"
