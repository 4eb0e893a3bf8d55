# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How a smoke Pod that was placed came to its end, when that was not its own end with exit code 0."""

from __future__ import annotations

import re
import typing as t
from collections.abc import Iterator, Mapping

from .._catalogue import found
from .._chain import Finding
from .._evidence.smoke_pod import ContainerEnd, PodEnd, end_of, log_of, words
from .smoke_pod_log import why_it_failed
from .smoke_pod_start import why_not_started

PodEvidence = Mapping[str, t.Any]

IMAGE = {
    "ErrImagePull",
    "ImagePullBackOff",
    "ErrImageNeverPull",
    "InvalidImageName",
    "ImageInspectError",
    "RegistryUnavailable",
}
_START = {"CreateContainerError", "RunContainerError", "StartError", "ContainerCannotRun"}
_START_EVENTS = {"FailedCreatePodSandBox", "FailedMount", "Failed"}
_BY_THE_NODE = {"Evicted", "NodeShutdown", "Terminated", "Shutdown"}
# The kubelet's own refusals, at admission. Source: pkg/kubelet/lifecycle and pkg/kubelet/cm/devicemanager.
_ADMISSION = re.compile(r"UnexpectedAdmissionError|OutOf|TopologyAffinityError|NodeAffinity|NodeName|NodePorts|Pod\w+")
_NO_DEVICE = re.compile(r"devices?\b|rpc error|gpu", re.IGNORECASE)
_KILLED = (137, 143)

# Ends that say nothing about the next Pod.
_AGAIN = {"SMK018", "SMK019", "SMK020", "SMK024", "DPL060"}


def deserves_another_try(evidence: PodEvidence) -> bool:
    """Whether the Pod was stopped by something that passes: another Pod may well come to an end of its own."""
    if evidence.get("pod") is None:
        return False
    end = end_of(evidence)
    if end.node is None:
        return bool(evidence.get("deleted"))
    finding = next(ended_badly(evidence, "smoke", "", ""), None)
    if finding is None:
        return False
    exit_code = end.container.exit_code
    lost = finding.code == "SMK022" and exit_code is not None
    return finding.code in _AGAIN or lost or (finding.code == "SMK011" and exit_code in _KILLED)


def ended_badly(evidence: PodEvidence, which: str, resource: str, image: str) -> Iterator[Finding]:
    """The Pod's container ended by itself, once, with exit code 0 and reason Completed, and left its log."""
    end, pointer = end_of(evidence), f"{which}_pod.pod"
    stopped = _stopped(evidence, which, end, resource)
    if stopped:
        yield stopped
    elif end.container.exit_code is None:
        yield _not_ended(evidence, which, end, image)
    else:
        yield from _exit(evidence, which, end, image, pointer)


def _stopped(evidence: PodEvidence, which: str, end: PodEnd, resource: str) -> Finding | None:
    """What the Pod itself says of its end, above its containers."""
    pointer, reason = f"{which}_pod.pod", end.pod_reason
    if end.disruption:
        code = {"TerminationByKubelet": "SMK019", "DeletionByPodGC": "SMK022"}
        by = next((c for word, c in code.items() if end.disruption.startswith(word)), "SMK020")
        return found(by, pointer, which=which, reason=end.disruption)
    if reason in _BY_THE_NODE:
        return found("SMK019", pointer, which=which, reason=end.why)
    if reason.startswith("Preempt"):
        return found("SMK020", pointer, which=which, reason=end.why)
    if reason == "NodeLost" or end.phase == "Unknown":
        return found("SMK022", pointer, which=which, reason=end.why or "its phase is not known")
    if reason == f"OutOf{resource}" or (reason == "UnexpectedAdmissionError" and _NO_DEVICE.search(end.pod_message)):
        return found("DPL060", pointer, which=which, reason=end.why)
    if end.phase == "Failed" and _ADMISSION.match(reason):
        return found("SMK024", pointer, which=which, reason=end.why)
    if (evidence.get("deleted") or end.deleting) and end.container.exit_code in (None, *_KILLED):
        return found("SMK018", pointer, which=which)
    if reason:
        return found("SMK011", pointer, which=which, reason=end.why)
    return None


def _not_ended(evidence: PodEvidence, which: str, end: PodEnd, image: str) -> Finding:
    """Why the Pod was placed and its container did not end."""
    pointer, container = f"{which}_pod.pod", end.container
    waiting = words(container.waiting_reason, container.waiting_message)
    if container.waiting_reason in IMAGE:
        return found("SMK006", pointer, which=which, reason=waiting)
    if container.waiting_reason == "CreateContainerConfigError":
        return found("SMK039", pointer, which=which, reason=waiting)
    if container.waiting_reason in _START:
        return why_not_started(which, pointer, waiting, end, image)
    if end.failed_before:
        name, before = end.failed_before
        reason = f"init container {name}, which is not ours, ended with exit code {before.exit_code}"
        return found("SMK011", pointer, which=which, reason=reason)
    node = evidence.get("node_ready") or {}
    if node.get("status") not in (None, "True"):
        reason = f"its Node is not Ready ({words(str(node.get('reason')), str(node.get('message') or ''))})"
        return found("SMK022", pointer, which=which, reason=reason)
    events = [event for event in evidence.get("events") or () if event.get("reason")]
    for event in reversed(events):
        said = words(str(event["reason"]), str(event.get("message") or ""))
        if event["reason"] == "FailedPrepareDynamicResources":
            return found("DPL061", f"{which}_pod.events", which=which, reason=said)
        if event["reason"] in _START_EVENTS:
            return why_not_started(which, f"{which}_pod.events", said, end, image)
    if events and events[-1]["reason"] == "Pulling":
        reason = f"it was still being pulled after {float(evidence.get('seconds') or 0):.0f} s"
        return found("SMK006", f"{which}_pod.events", which=which, reason=reason)
    if end.phase == "Failed":
        return found("SMK011", pointer, which=which, reason="it failed without a reason")
    if not end.touched:
        reason = "the node's kubelet has not said a word about it"
        return found("SMK022", pointer, which=which, reason=reason)
    return found("SMK011", pointer, which=which, reason=f"it was still {end.phase} when the time was up")


def _exit(evidence: PodEvidence, which: str, end: PodEnd, image: str, pointer: str) -> Iterator[Finding]:
    container, log = end.container, log_of(evidence)
    code, restarts = container.exit_code, container.restarts
    if _was_lost(container):
        reason = f"its container's end was lost: exit code {code}, reason {container.reason}"
        yield found("SMK022", pointer, which=which, reason=reason)
    elif container.reason == "OOMKilled":
        yield found("SMK021", pointer, which=which, exit_code=code)
    elif restarts or container.earlier_exit_code is not None:
        yield found("SMK011", pointer, which=which, reason=f"its container was restarted {restarts} times")
    elif container.reason in _START:
        yield why_not_started(which, pointer, words(container.reason, container.message), end, image)
    elif code in _KILLED and not log.whole:
        yield found("SMK011", pointer, which=which, reason=f"it was killed (exit code {code}), perhaps for its memory")
    elif code != 0:
        yield why_it_failed(evidence, which, end, image)
    elif container.reason != "Completed" or not _phase_fits(end):
        reason = f"phase {end.phase}, reason {container.reason or 'none'}"
        yield found("SMK011", pointer, which=which, reason=reason)


def _was_lost(container: ContainerEnd) -> bool:
    """The kubelet or the runtime lost sight of the container. nvidia-smi's own 255 comes with reason Error."""
    return container.reason == "ContainerStatusUnknown" or (
        container.exit_code == 255 and container.reason == "Unknown"
    )


def _phase_fits(end: PodEnd) -> bool:
    """Beside containers of somebody else the Pod's phase says little about ours."""
    return end.phase == "Succeeded" or bool(end.others) or end.cuda is not None
