# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a device plugin says of itself, typed: the ends of its containers' logs, or of its service's journal.

The sentences are those of NVIDIA's plugin in the wordings of several releases. One that is not known says nothing.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .host import HostLook

_CRI_LINE = re.compile(r"^(?P<time>\d{4}-\S+) std(?:out|err) [FP] (?P<text>.*)$")
_UNIT_LINE = re.compile(r"^(?P<time>\d+\.\d+) \S+ (?P<unit>[^:\[]+)[^:]*: (?P<text>.*)$")
_ATTEMPT = re.compile(r"Starting Plugins|Loading configuration")

_SAYINGS = {
    "registered": r"Registered device plugin for '(?P<what>[^']+)'",
    "no_devices": r"No devices found",
    "no_library": r"(?P<what>[^\]]*(?:ERROR_LIBRARY_NOT_FOUND|could not load NVML library|libnvidia-ml\.so\.1: cannot"
    r" open|set the docker default runtime|configure the NVIDIA Container Toolkit).*)",
    "driver_error": r"(?P<what>Driver/library version mismatch|\w*LIB_RM_VERSION_MISMATCH|\w*DRIVER_NOT_LOADED"
    r"|GPU is lost|\w*GPU_IS_LOST|(?:initialize NVML|nvml init failed): (?!\w*LIBRARY_NOT_FOUND|could not load).*)",
    "xid": r"XidCriticalError: Xid=(?P<what>\d+ on Device=[\w-]+)",
    "unwatched": r"(?P<what>Error waiting for event: [^;]*); Marking all devices as unhealthy",
    "denied": r"(?P<what>\S*(?:\.sock|/mps\S*): .*permission denied)",
    "unregistered": r"(?P<what>Could not register device plugin.*|Failed to start plugin.*"
    r"|\S*kubelet\.sock: connect: .*)",
    "no_mps": r"(?P<what>error waiting for MPS daemon.*|using MPS requires .*|MPS is not supported.*)",
    "uneven_mig": r"(?P<what>invalid MIG configuration.*|[Mm]ore than one MIG device type.*|.*same migEnabled value)",
    "no_config": r"(?P<what>specified config \S+ does not exist|no config was set, no default was provided.*)",
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in _SAYINGS.items()}


@dataclass(frozen=True)
class Line:
    """``at``: seconds since the epoch by the node's clock; None where the line has no time."""

    at: float | None
    text: str


@dataclass(frozen=True)
class PluginLog:
    """``source``: the Pod as ``namespace/name``, or ``service``. ``lines`` are those of the last attempt to start."""

    source: str
    container: str
    lines: tuple[Line, ...]

    @property
    def began(self) -> float | None:
        """When the last attempt to start began; None where the log does not reach back so far."""
        return self.lines[0].at if self.lines and _ATTEMPT.search(self.lines[0].text) else None

    def says(self, saying: str) -> Iterator[tuple[float | None, str]]:
        """When and of what it says this, oldest first. The names are those of the patterns above."""
        for line in self.lines:
            said = _PATTERNS[saying].search(line.text)
            if said:
                yield line.at, (said.groupdict().get("what") or said[0]).strip()

    def last(self, saying: str) -> str | None:
        """Of what it said this last; None when it did not."""
        said = [what for _at, what in self.says(saying)]
        return said[-1] if said else None


def read_logs(look: HostLook) -> tuple[PluginLog, ...]:
    """Read the logs of all containers and services that hand out GPUs on this node."""
    logs = [*_of_containers(look.stdout_of("plugin_logs") or ""), *_of_units(look.stdout_of("plugin_unit_logs") or "")]
    return tuple(PluginLog(source, container, _last_attempt(lines)) for source, container, lines in logs if lines)


def _of_containers(text: str) -> Iterator[tuple[str, str, list[Line]]]:
    for part in text.split("@log ")[1:]:
        head, _newline, body = part.partition("\n")
        folder, _space, container = head.partition(" ")
        namespace, _underline, rest = folder.partition("_")
        yield f"{namespace}/{rest.rpartition('_')[0]}", container, [_line(line) for line in body.splitlines()]


def _line(line: str) -> Line:
    written = _CRI_LINE.match(line)
    if written:
        return Line(_seconds(written["time"]), written["text"])
    try:  # Docker's own format
        entry = json.loads(line)
        return Line(_seconds(entry["time"]), entry["log"].rstrip())
    except (ValueError, KeyError, TypeError, AttributeError):
        return Line(None, line)


def _of_units(text: str) -> Iterator[tuple[str, str, list[Line]]]:
    lines = [said for line in text.splitlines() if (said := _UNIT_LINE.match(line))]
    if lines:
        yield "service", lines[-1]["unit"], [Line(float(line["time"]), line["text"]) for line in lines]


def _last_attempt(lines: list[Line]) -> tuple[Line, ...]:
    """The plugin starts anew within one process: after a kubelet's restart, a change of settings, a failure."""
    starts = [number for number, line in enumerate(lines) if _ATTEMPT.search(line.text)]
    return tuple(lines[starts[-1] :] if starts else lines)


def _seconds(text: str) -> float | None:
    try:
        return datetime.datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None
