# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoints 5 and 6: the scheduler placed a GPU Pod on the Node; its exit code and its log both prove the GPU."""

from __future__ import annotations

import re
import typing as t
from collections.abc import Iterator, Mapping, Sequence

from .._catalogue import found
from .._chain import Finding, Judgement
from .._evidence.smoke_pod import PodEnd, SmokeLog, read_end, read_log

PodEvidence = Mapping[str, t.Any]

_IMAGE = {
    "ErrImagePull",
    "ImagePullBackOff",
    "ErrImageNeverPull",
    "InvalidImageName",
    "ImageInspectError",
    "RegistryUnavailable",
}
_START = {"CreateContainerError", "CreateContainerConfigError", "RunContainerError", "StartError", "ContainerCannotRun"}
_START_EVENTS = {"FailedCreatePodSandBox", "FailedMount", "Failed", "UnexpectedAdmissionError"}
_REFUSED_BY_KUBELET = re.compile(r"UnexpectedAdmissionError|OutOf|TopologyAffinityError|NodeAffinity")
# Words of nvidia-smi that mean a GPU error although it may end with 0.
_TOKENS = re.compile(
    r"ERR!|Unknown Error|GPU is lost|requires reset|Failed to initialize NVML|No devices were found|"
    r"couldn't communicate with the NVIDIA driver|Unable to determine the device handle",
    re.IGNORECASE,
)


def judge_smoke_pod(
    smoke: PodEvidence,
    control: PodEvidence | None,
    node: str | None,
    resource: str,
    host_uuids: Sequence[str] | None,
) -> tuple[Judgement, Judgement]:
    """Judge a smoke Pod and its control: checkpoint 5 (placed) and checkpoint 6 (proven).

    ``node`` is the Node that it was made for (None: any). ``host_uuids`` are the GPUs that the host's driver lists;
    None: not known, and then the Pod's GPUs are not compared with them.
    """
    placed = [*_placed(smoke, "smoke", node, resource)]
    five = Judgement(5, tuple(placed), None if placed else f"placed on {read_end(smoke['pod']).node} by the scheduler")
    if placed:
        return five, Judgement(6, five.findings)
    proven = [*_ended_well(smoke, "smoke"), *_log_proves(smoke, resource, host_uuids)]
    if not proven:
        proven += [*_control_sees_none(control, node, resource)]
    shown = read_log(smoke.get("log") or "", smoke["nonce"]).uuids
    seen = f"exit code 0, and the log shows {', '.join(shown)}; the control saw none"
    return five, Judgement(6, tuple(proven), seen if shown and all(f.status == "warning" for f in proven) else None)


def _placed(evidence: PodEvidence, which: str, node: str | None, resource: str) -> Iterator[Finding]:
    pointer = f"{which}_pod.pod"
    if evidence.get("pod") is None:
        reason = evidence.get("create_error")
        if reason:
            yield found(
                "SMK001", pointer, which=which, reason=reason, namespace=evidence.get("namespace", "of the Pods")
            )
        else:
            yield found("SMK011", pointer, which=which, reason="it vanished, or was never seen")
        return
    end = read_end(evidence["pod"])
    if end.node is None:
        if end.scheduled_reason == "Unschedulable" and f"Insufficient {resource}" in end.scheduled_message:
            yield found("SMK005", pointer, resource=resource, reason=end.scheduled_message)
        elif end.scheduled_reason == "Unschedulable":
            yield found("SMK004", pointer, which=which, reason=end.scheduled_message)
        else:
            yield found("SMK002", pointer, which=which, seconds=float(evidence.get("seconds") or 0))
    elif end.scheduled != "True":
        yield found("SMK015", pointer, missing="the Pod has a Node and no word of the scheduler (PodScheduled)")
    elif node is not None and end.node != node:
        yield found("SMK016", pointer, which=which, placed=end.node, node=node)


def _ended_well(evidence: PodEvidence, which: str) -> Iterator[Finding]:
    """The Pod's container ended by itself, once, with exit code 0 and reason Completed."""
    end, log = read_end(evidence["pod"]), read_log(evidence.get("log") or "", evidence["nonce"])
    pointer = f"{which}_pod.pod"
    if end.exit_code is None or end.pod_reason or end.phase not in ("Succeeded", "Failed"):
        yield _not_ended(evidence, which, end)
    elif end.restarts:
        yield found("SMK011", pointer, which=which, reason=f"its container was restarted {end.restarts} times")
    elif end.exit_code != 0:
        if log.whole:
            says = log.said[-1] if log.said else "(nothing more in its log)"
            yield found("SMK007", pointer, f"{which}_pod.log", exit_code=end.exit_code, says=says)
        elif end.ended_reason in _START:
            yield found("SMK003", pointer, which=which, reason=end.ended_reason)
        else:
            reason = f"exit code {end.exit_code} ({end.ended_reason or 'no reason'}) before its command had finished"
            yield found("SMK011", pointer, which=which, reason=reason)
    elif end.ended_reason != "Completed" or end.phase != "Succeeded":
        reason = f"phase {end.phase}, reason {end.ended_reason or 'none'}"
        yield found("SMK011", pointer, which=which, reason=reason)
    elif not log.whole:
        yield found("SMK010", f"{which}_pod.log", which=which, exit_code=0, defect=_defect(evidence))


def _not_ended(evidence: PodEvidence, which: str, end: PodEnd) -> Finding:
    """Why the Pod was placed and its container did not end by itself."""
    pointer = f"{which}_pod.pod"
    if end.waiting_reason in _IMAGE:
        return found("SMK006", pointer, which=which, reason=_words(end.waiting_reason, end.waiting_message))
    if end.waiting_reason in _START:
        return found("SMK003", pointer, which=which, reason=_words(end.waiting_reason, end.waiting_message))
    if end.phase == "Failed":
        code = "SMK003" if _REFUSED_BY_KUBELET.match(end.pod_reason) else "SMK011"
        return found(code, pointer, which=which, reason=end.pod_reason or "it failed without a reason")
    for event in reversed(list(evidence.get("events") or ())):
        if event.get("reason") in _START_EVENTS:
            reason = _words(str(event["reason"]), str(event.get("message") or ""))
            return found("SMK003", f"{which}_pod.events", which=which, reason=reason)
    return found("SMK011", pointer, which=which, reason=f"it was still {end.phase} when the time was up")


def _log_proves(smoke: PodEvidence, resource: str, host_uuids: Sequence[str] | None) -> Iterator[Finding]:
    """As many GPUs as asked for, known to the host, and no word of an error."""
    log = read_log(smoke.get("log") or "", smoke["nonce"])
    if read_end(smoke["pod"]).exit_code != 0 or not log.whole:
        return
    token = next((line for line in (smoke.get("log") or "").splitlines() if _TOKENS.search(line)), None)
    if token:
        yield found("SMK012", "smoke_pod.log", says=token.strip())
        return
    asked = int(smoke.get("asked", 1))
    if len(set(log.uuids)) != asked or (resource == "nvidia.com/gpu" and len(log.devices) > asked):
        yield found("SMK008", "smoke_pod.log", asked=asked, seen=_sight(log))
    allocated = {device for device in read_end(smoke["pod"]).allocated if device.startswith("GPU-")}
    if allocated and allocated != set(log.uuids):
        yield found(
            "SMK017", "smoke_pod.pod", "smoke_pod.log", allocated=", ".join(sorted(allocated)), seen=_sight(log)
        )
    if host_uuids is not None:
        strangers = [uuid for uuid in log.uuids if uuid.startswith("GPU-") and uuid not in host_uuids]
        if strangers:
            yield found("SMK009", "smoke_pod.log", "driver.nvidia_smi_list", strangers=", ".join(strangers))


def _control_sees_none(control: PodEvidence | None, node: str | None, resource: str) -> Iterator[Finding]:
    """The control Pod ran on the same Node and saw no GPU."""
    if control is None:
        yield found("SMK015", "control_pod", missing="there was no control Pod")
        return
    yield from _placed(control, "control", node, resource)
    if control.get("pod") is None or read_end(control["pod"]).node is None:
        return
    log = read_log(control.get("log") or "", control["nonce"])
    if log.uuids or log.devices:
        if log.visible_devices in ("", "void", "none"):
            yield found("SMK013", "control_pod.log", seen=_sight(log))
        else:
            yield found("SMK014", "control_pod.log", seen=_sight(log), value=log.visible_devices)
        return
    yield from _ended_well(control, "control")


def _defect(evidence: PodEvidence) -> str:
    if evidence.get("log_error"):
        return f"could not be read: {evidence['log_error']}"
    return "is empty" if not evidence.get("log") else "lacks the lines that frame it"


def _sight(log: SmokeLog) -> str:
    return ", ".join((*log.uuids, *log.devices)) or "none"


def _words(reason: str, message: str) -> str:
    return f"{reason}: {message}" if message else reason
