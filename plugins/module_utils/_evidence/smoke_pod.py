# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What became of a smoke Pod, typed.

The evidence is ``{nonce, asked, pod, log, log_error, events, create_error, seconds}``; ``pod`` is the API object,
``log`` its text, ``events`` a list of ``{reason, message, count}``.
"""

from __future__ import annotations

import re
import typing as t
from collections.abc import Mapping
from dataclasses import dataclass

from .toolkit import devices_listed

Fields = Mapping[str, t.Any]

_ROW = re.compile(r"^(?P<index>\d+), (?P<uuid>(?:GPU|MIG)-[0-9a-fA-F/-]+), (?P<rest>.*)$", re.MULTILINE)


@dataclass(frozen=True)
class SmokeLog:
    """The log of a smoke or control Pod. ``whole``: both lines with its own nonce are there."""

    whole: bool
    uuids: tuple[str, ...]
    devices: tuple[str, ...]
    said: tuple[str, ...]
    visible_devices: str


def read_log(log: str, nonce: str) -> SmokeLog:
    """Read a Pod's log. ``said`` is what is neither a nonce line nor a row of the expected kind."""
    lines = log.splitlines()
    begin, end = f"gpu-k8s begin {nonce}", f"gpu-k8s end {nonce}"
    whole = begin in lines and any(line.startswith(end) for line in lines[lines.index(begin) :])
    visible = re.search(r"^NVIDIA_VISIBLE_DEVICES=(.*)$", log, re.MULTILINE)
    said = tuple(
        line.strip()
        for line in lines
        if line.strip()
        and not line.startswith(("gpu-k8s ", "device /dev/nvidia", "NVIDIA_VISIBLE_DEVICES="))
        and not _ROW.match(line)
    )
    return SmokeLog(
        whole=whole,
        uuids=tuple(m["uuid"] for m in _ROW.finditer(log)),
        devices=devices_listed(log),
        said=said,
        visible_devices=visible[1].strip() if visible else "",
    )


@dataclass(frozen=True)
class PodEnd:
    """How far a Pod came. ``exit_code`` is None unless its container ended by itself.

    ``allocated`` are the devices that the kubelet gave it; empty where the kubelet does not say (before 1.34).
    """

    phase: str
    node: str | None
    scheduled: str | None
    scheduled_reason: str
    scheduled_message: str
    waiting_reason: str
    waiting_message: str
    exit_code: int | None
    ended_reason: str
    restarts: int
    pod_reason: str
    allocated: tuple[str, ...]


def read_end(pod: Mapping[str, t.Any]) -> PodEnd:
    """Read the Pod object's status."""
    status = pod.get("status") or {}
    scheduled: Fields = next((c for c in status.get("conditions") or () if c.get("type") == "PodScheduled"), {})
    container: Fields = next(iter(status.get("containerStatuses") or ()), {})
    state = container.get("state") or {}
    waiting, ended = state.get("waiting") or {}, state.get("terminated") or {}
    return PodEnd(
        phase=str(status.get("phase", "Unknown")),
        node=(pod.get("spec") or {}).get("nodeName"),
        scheduled=scheduled.get("status"),
        scheduled_reason=str(scheduled.get("reason") or ""),
        scheduled_message=str(scheduled.get("message") or ""),
        waiting_reason=str(waiting.get("reason") or ""),
        waiting_message=str(waiting.get("message") or ""),
        exit_code=ended.get("exitCode"),
        ended_reason=str(ended.get("reason") or ""),
        restarts=int(container.get("restartCount") or 0),
        pod_reason=": ".join(str(status[key]) for key in ("reason", "message") if status.get(key)),
        allocated=tuple(
            str(device["resourceID"]).partition("::")[0]
            for resource in container.get("allocatedResourcesStatus") or ()
            for device in resource.get("resources") or ()
        ),
    )
