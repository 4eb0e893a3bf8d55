# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lines of the evidence that a pointer leads to, short enough to be shown."""

from __future__ import annotations

import json
import re
import typing as t
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PROOFS: Mapping[int, tuple[str, ...]] = {
    1: ("driver.nvidia_smi_list",),
    2: ("toolkit.gpu_container", "toolkit.control_container"),
    3: ("kubernetes.node.status.allocatable", "device_plugin.plugin_connections"),
    4: ("kubernetes.node.spec", "kubernetes.node.status.allocatable"),
    5: ("smoke_pod.pod.spec.nodeName", "smoke_pod.pod.status.conditions"),
    6: ("smoke_pod.pod.status.containerStatuses", "smoke_pod.log"),
}
"""What a checkpoint's proof rests on, as pointers: a layer and its probe's record, or a path of fields."""

_LINES = 40
_WIDTH = 300
_TELLING = re.compile(r"[\w.:/-]*\d[\w.:/-]*")


@dataclass(frozen=True)
class Excerpt:
    """``command`` and ``exit_code`` are set where a command on the host printed the lines.

    ``decides`` are the indices of the lines that hold what the finding speaks of. ``cut_off`` says that there is more.
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
    if isinstance(look, Mapping) and "records" in look:
        record = look["records"].get(name)
        if record is not None:
            parts = [record.get(name) or "" for name in ("stdout", "stderr")]
            text = "\n".join(part.rstrip("\n") for part in parts if part.strip())
            cut = bool(record.get("cut_off") or record.get("timed_out"))
            return _shown(text, said, record.get("command"), record.get("exit_code"), cut)
        return _shown(look["error"]["reason"], said) if look.get("error") else None
    value = _walk(evidence, pointer.split("."))
    if value is None:
        return None
    return _shown(value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False), said)


def _walk(value: t.Any, path: Sequence[str]) -> t.Any:
    """Follow the fields; a name may itself hold dots (``nvidia.com/gpu``). What is not there leads to nothing."""
    if not path:
        return value
    if isinstance(value, Mapping):
        for end in range(len(path), 0, -1):
            if ".".join(path[:end]) in value:
                return _walk(value[".".join(path[:end])], path[end:])
    return None


def _shown(text: str, said: str, command: str | None = None, code: int | None = None, cut: bool = False) -> Excerpt:
    lines = text.rstrip("\n").split("\n")
    telling = {word.strip(".:-/") for word in _TELLING.findall(said)}
    telling = {word for word in telling if len(word) > 1}
    decides = [n for n, line in enumerate(lines) if telling & {w.strip(".:-/") for w in _TELLING.findall(line)}]
    kept = _around(decides, len(lines))
    places = {line: place for place, line in enumerate(kept)}
    return Excerpt(
        command=command,
        exit_code=code,
        lines=tuple(lines[n][:_WIDTH] for n in kept),
        decides=tuple(places[n] for n in decides if n in places),
        cut_off=cut or len(kept) < len(lines) or any(len(line) > _WIDTH for line in lines),
    )


def _around(decides: Sequence[int], count: int) -> list[int]:
    """The lines to keep: those that decide with their neighbours, then the last ones, since logs end with the cause."""
    if count <= _LINES:
        return list(range(count))
    near = dict.fromkeys(n + d for n in decides for d in (0, -1, 1) if 0 <= n + d < count)
    wanted = [*near, *(n for n in range(count - 1, -1, -1) if n not in near)]
    return sorted(wanted[:_LINES])
