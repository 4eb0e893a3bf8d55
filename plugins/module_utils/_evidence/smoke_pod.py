# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What became of a smoke Pod, typed.

The evidence is ``{nonce, asked, pod, log, log_error, log_cut_off, events, create_error, seconds}``; ``pod`` is the API
object as it was last seen, ``log`` its text, ``events`` a list of ``{reason, message, count}``. There may be more:

    dry_run_error   why the API would not take the Pod, so that it was never created
    deleted         somebody deleted the Pod before it had ended
    node_ready      {status, reason, message} of the Node when the Pod was given up
    cuda            {log, log_error, log_cut_off} of the container with the CUDA image
    attempts        the same for the Pods before this one, which came to no end of their own
"""

from __future__ import annotations

import re
import typing as t
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .device_plugin import physical
from .toolkit import devices_listed

Fields = Mapping[str, t.Any]

OWN_CONTAINERS = ("smoke", "control", "cuda")
"""The containers of our Pods. Others are put in by somebody else."""

_ROW = re.compile(r"^(?P<index>\d+), (?P<uuid>(?:GPU|MIG)-[0-9a-fA-F/-]+), (?P<rest>.*)$")
_LISTED = re.compile(r"^GPU \d+: .*\(UUID: (?P<uuid>GPU-[0-9a-fA-F-]+)\)\s*$")
_MIG = re.compile(r"^\s*MIG .*\(UUID: (?P<uuid>MIG-[^)\s]+)\)\s*$")
_OWN_LINE = ("gpu-k8s ", "device /dev/nvidia", "NVIDIA_VISIBLE_DEVICES=", "libcuda ", "uvm ")


@dataclass(frozen=True)
class SmokeLog:
    """The log of a smoke or control Pod. ``whole``: both lines with its own nonce are there.

    ``said`` is what is neither a line of ours nor a GPU. ``has_libcuda`` and ``has_uvm`` are None when it is not told.
    """

    whole: bool
    uuids: tuple[str, ...]
    migs: tuple[str, ...]
    devices: tuple[str, ...]
    said: tuple[str, ...]
    visible_devices: str
    has_libcuda: bool | None
    has_uvm: bool | None

    @property
    def handed(self) -> tuple[str, ...]:
        """What was handed out: the MIG devices where there are any (their GPU is listed as well), else the GPUs."""
        return self.migs or self.uuids


def framed(log: str, nonce: str) -> list[str] | None:
    """Return the lines between those with the nonce: what an image or a shell prints before proves nothing.

    None when one of the two is missing.
    """
    lines = log.splitlines()
    begin, end = f"gpu-k8s begin {nonce}", f"gpu-k8s end {nonce}"
    first = next((number for number, line in enumerate(lines) if line.strip() == begin), None)
    if first is None:
        return None
    last = next((number for number in range(first, len(lines)) if lines[number].startswith(end)), None)
    return None if last is None else lines[first + 1 : last]


def read_log(log: str, nonce: str | None) -> SmokeLog:
    """Read a Pod's log. Without a nonce (somebody else's Pod) the whole log is looked at, and is never ``whole``."""
    inside = framed(log, nonce) if nonce else None
    lines = log.splitlines() if inside is None else inside
    visible = next((line for line in lines if line.startswith("NVIDIA_VISIBLE_DEVICES=")), "")
    return SmokeLog(
        whole=inside is not None,
        uuids=tuple(dict.fromkeys(m["uuid"] for line in lines if (m := _ROW.match(line) or _LISTED.match(line)))),
        migs=tuple(dict.fromkeys(m["uuid"] for line in lines if (m := _MIG.match(line)))),
        devices=devices_listed("\n".join(lines)),
        said=tuple(
            line.strip()
            for line in lines
            if line.strip()
            and not line.startswith(_OWN_LINE)
            and not (_ROW.match(line) or _LISTED.match(line) or _MIG.match(line))
        ),
        visible_devices=visible.partition("=")[2].strip(),
        has_libcuda=_told(lines, "libcuda"),
        has_uvm=_told(lines, "uvm"),
    )


def _told(lines: list[str], what: str) -> bool | None:
    answers = {"there": True, "missing": False}
    return next((answers.get(line.split()[1]) for line in lines if re.fullmatch(rf"{what} \w+", line)), None)


@dataclass(frozen=True)
class ContainerEnd:
    """How a container ended. ``exit_code`` is None unless it has ended."""

    exit_code: int | None = None
    reason: str = ""
    message: str = ""
    waiting_reason: str = ""
    waiting_message: str = ""
    restarts: int = 0
    earlier_exit_code: int | None = None
    running: bool = False
    started: str = ""
    finished: str = ""
    allocated: tuple[str, ...] = ()


@dataclass(frozen=True)
class PodEnd:
    """How far a Pod came, and how the container ended that is looked at.

    ``touched``: its kubelet has said something about it. ``others`` are the containers that somebody else put in.
    ``allocated`` are the devices that the kubelet gave it; empty where the kubelet does not say (before 1.34).
    ``limits`` are those of its containers; None when they were not kept.
    """

    phase: str
    node: str | None
    scheduled: str | None
    scheduled_reason: str
    scheduled_message: str
    pod_reason: str
    pod_message: str
    disruption: str
    touched: bool
    gated: bool
    deleting: bool
    runtime_class: str | None
    user: int | None
    limits: Mapping[str, str] | None
    claims: bool
    container: ContainerEnd
    cuda: ContainerEnd | None
    others: tuple[str, ...] = ()
    failed_before: tuple[str, ContainerEnd] | None = field(default=None)

    @property
    def why(self) -> str:
        """The Pod's own reason, which stands above its container's."""
        return words(self.pod_reason, self.pod_message)

    def asks_for(self, resource: str, by_claim: bool) -> bool:
        """Whether the live Pod still asks for the GPU: a webhook may have taken that away. Not known counts as yes."""
        return self.limits is None or (self.claims if by_claim else resource in self.limits)


def read_end(pod: Fields, container: str | None = None) -> PodEnd:
    """Read the Pod object. ``container`` names the one to judge; without it, ours or else the first."""
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    conditions: dict[str, Fields] = {str(c.get("type")): c for c in status.get("conditions") or ()}
    scheduled = conditions.get("PodScheduled") or {}
    disruption = conditions.get("DisruptionTarget") or {}
    statuses = [*_statuses(status, "initContainerStatuses"), *_statuses(status, "containerStatuses")]
    names = [str(one.get("name")) for one in statuses]
    wanted = container or next((name for name in ("smoke", "control") if name in names), None)
    if wanted is None and names:
        wanted = str((_statuses(status, "containerStatuses") or statuses)[0].get("name"))
    ends = {name: _container_end(one) for name, one in zip(names, statuses, strict=True)}
    security = spec.get("securityContext") or {}
    return PodEnd(
        phase=str(status.get("phase", "Unknown")),
        node=spec.get("nodeName"),
        scheduled=scheduled.get("status"),
        scheduled_reason=str(scheduled.get("reason") or ""),
        scheduled_message=str(scheduled.get("message") or ""),
        pod_reason=str(status.get("reason") or ""),
        pod_message=str(status.get("message") or ""),
        disruption=_disruption(disruption),
        touched=bool(status.get("startTime") or statuses or status.get("phase") in ("Running", "Succeeded", "Failed")),
        deleting=bool((pod.get("metadata") or {}).get("deletionTimestamp")),
        gated=bool(spec.get("schedulingGates")),
        runtime_class=spec.get("runtimeClassName"),
        user=security.get("runAsUser"),
        limits=_limits(spec),
        claims=bool(spec.get("resourceClaims")),
        container=ends.get(wanted or "", ContainerEnd()),
        cuda=ends.get("cuda", ContainerEnd()) if _has_container(spec, "cuda") or "cuda" in ends else None,
        others=tuple(name for name in names if name not in (*OWN_CONTAINERS, wanted)),
        failed_before=next(_failed_before(status, wanted), None),
    )


def end_of(evidence: Fields) -> PodEnd:
    """Read how the Pod of a piece of evidence ended. ``container`` may name the one that counts."""
    return read_end(evidence["pod"], evidence.get("container"))


def log_of(evidence: Fields) -> SmokeLog:
    """Read the log of a piece of evidence."""
    return read_log(evidence.get("log") or "", evidence.get("nonce"))


def _disruption(condition: Fields) -> str:
    if condition.get("status") != "True":
        return ""
    return words(str(condition.get("reason") or "DisruptionTarget"), str(condition.get("message") or ""))


def _statuses(status: Fields, kind: str) -> list[Fields]:
    return list(status.get(kind) or ())


def _containers(spec: Fields) -> list[Fields]:
    return [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]


def _has_container(spec: Fields, name: str) -> bool:
    return any(container.get("name") == name for container in _containers(spec))


def _limits(spec: Fields) -> Mapping[str, str] | None:
    if not spec.get("containers"):
        return None
    limits: dict[str, str] = {}
    for container in _containers(spec):
        limits |= {k: str(v) for k, v in ((container.get("resources") or {}).get("limits") or {}).items()}
    return limits


def _failed_before(status: Fields, wanted: str | None) -> Iterator[tuple[str, ContainerEnd]]:
    """An init container that is not the one to judge, and ended badly."""
    for one in _statuses(status, "initContainerStatuses"):
        end = _container_end(one)
        if one.get("name") != wanted and end.exit_code:
            yield str(one.get("name")), end


def _container_end(one: Fields) -> ContainerEnd:
    state, earlier = one.get("state") or {}, (one.get("lastState") or {}).get("terminated") or {}
    waiting, ended = state.get("waiting") or {}, state.get("terminated") or {}
    return ContainerEnd(
        exit_code=ended.get("exitCode"),
        reason=str(ended.get("reason") or ""),
        message=str(ended.get("message") or ""),
        waiting_reason=str(waiting.get("reason") or ""),
        waiting_message=str(waiting.get("message") or ""),
        restarts=int(one.get("restartCount") or 0),
        earlier_exit_code=earlier.get("exitCode"),
        running=state.get("running") is not None,
        started=str(ended.get("startedAt") or ""),
        finished=str(ended.get("finishedAt") or ""),
        allocated=tuple(
            physical(str(device.get("resourceID")))
            for resource in one.get("allocatedResourcesStatus") or ()
            for device in resource.get("resources") or ()
        ),
    )


def words(reason: str, message: str) -> str:
    """Put a reason and its message together, as Kubernetes shows them."""
    return ": ".join(part for part in (reason, message) if part)
