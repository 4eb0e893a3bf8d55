# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoints 5 and 6: the scheduler placed a GPU Pod on the Node; its exit code and its log both prove the GPU."""

from __future__ import annotations

import typing as t
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .._catalogue import found
from .._chain import Finding, Judgement
from .._evidence.kubernetes import NodeFacts
from .._evidence.kubernetes_objects import Asked
from .._evidence.smoke_pod import end_of, log_of
from .._smoke_plan import newer_than_the_driver
from .scheduler_pending import explain_pending
from .scheduler_refusal import known_refusal, refusal
from .smoke_pod_cuda import cuda_works
from .smoke_pod_end import ended_badly
from .smoke_pod_gpus import every_gpu_was_tried
from .smoke_pod_log import log_is_there, log_proves, sight

PodEvidence = Mapping[str, t.Any]


@dataclass(frozen=True)
class Trial:
    """What a smoke Pod is judged by.

    ``node`` is the Node's name (None: any will do). ``host_uuids`` are the GPUs that the host's driver lists; None: not
    known, and then the Pod's are not compared with them. ``facts`` and ``kubernetes`` are the Node and that part of
    the evidence, as far as they are known.
    """

    asked: Asked
    node: str | None = None
    host_uuids: Sequence[str] | None = None
    facts: NodeFacts | None = None
    kubernetes: Mapping[str, t.Any] | None = None
    image: str = "of the Pod"
    driver: str | None = None
    cuda_image: str = ""
    cuda_passes: Sequence[str] = ()
    every_gpu: bool = False
    taken: int | None = None
    shared: bool = False
    advertised: int = 0


def judge_smoke_pod(
    smokes: Sequence[PodEvidence], control: PodEvidence | None, trial: Trial, with_control: bool = True
) -> tuple[Judgement, Judgement]:
    """Judge the smoke Pods of one Node and their control: checkpoint 5 (placed) and checkpoint 6 (proven).

    Without a control nothing shows that GPUs come by allocation alone; a caller may do without it all the same.
    """
    placed = _unique(finding for smoke in smokes for finding in _placed(smoke, "smoke", trial))
    how_many = f"{len(smokes)} Pods were " if len(smokes) > 1 else ""
    five = Judgement(5, placed, None if placed else f"{how_many}placed on {_where(smokes)} by the scheduler")
    if placed:
        return five, Judgement(6, placed)
    findings = [finding for number, smoke in enumerate(smokes) for finding in _proven(smoke, number, trial)]
    if trial.every_gpu and not _serious(findings):
        findings += every_gpu_was_tried(smokes, trial.host_uuids, trial.taken, trial.shared, trial.advertised)
    if not _serious(findings):
        findings += [*(_control_sees_none(control, trial) if with_control else ())]
        findings += [*_only_at_the_second_try(smokes, control), *_old_driver(trial)]
    shown = ", ".join(dict.fromkeys(uuid for smoke in smokes for uuid in log_of(smoke).handed))
    proof = f"the log shows {shown}" if shown else _matched(smokes)
    seen = f"exit code 0, and {proof}; " + ("the control saw none" if with_control else "no control was looked at")
    return five, Judgement(6, _unique(findings), seen if proof and not _serious(findings) else None)


def _matched(smokes: Sequence[PodEvidence]) -> str:
    """Somebody else's program that computes lists no GPU; what it prints instead was found in its log."""
    return "the log matches pass_pattern" if all(smoke.get("pass_pattern") for smoke in smokes) else ""


def _unique(findings: t.Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(dict.fromkeys(findings))


def _serious(findings: Sequence[Finding]) -> bool:
    return any(finding.status != "warning" for finding in findings)


def _where(smokes: Sequence[PodEvidence]) -> str:
    return ", ".join(dict.fromkeys(str(end_of(smoke).node) for smoke in smokes))


def _placed(evidence: PodEvidence, which: str, trial: Trial) -> Iterator[Finding]:
    pointer = f"{which}_pod.pod"
    if evidence.get("dry_run_error"):
        yield refusal(str(evidence["dry_run_error"]))
        return
    if evidence.get("pod") is None:
        reason = str(evidence.get("create_error") or "")
        namespace = evidence.get("namespace", "of the Pods")
        if reason:
            yield known_refusal(reason, f"{which}_pod.create_error") or found(
                "SMK001", f"{which}_pod.create_error", which=which, reason=reason, namespace=namespace
            )
        else:
            yield found("SMK011", pointer, which=which, reason="it vanished, or was never seen")
        return
    end = end_of(evidence)
    if end.node is None and evidence.get("deleted"):
        yield found("SMK018", pointer, which=which)
    elif end.node is None and (end.scheduled_reason or end.scheduled_message or end.gated):
        yield explain_pending(trial.facts, trial.kubernetes, trial.asked, which, evidence["pod"])
    elif end.node is None:
        yield found("SMK002", pointer, which=which, seconds=float(evidence.get("seconds") or 0))
    elif end.scheduled != "True":
        yield found("SMK015", pointer, missing="the Pod has a Node and no word of the scheduler (PodScheduled)")
    elif trial.node is not None and end.node != trial.node:
        yield found("SMK016", pointer, which=which, placed=end.node, node=trial.node)
    elif which == "smoke" and not end.asks_for(trial.asked.resource, trial.asked.by_claim):
        yield found("SMK038", pointer, wanted=_wanted(trial.asked))


def _wanted(asked: Asked) -> str:
    return "a claim" if asked.by_claim else asked.resource


def _proven(smoke: PodEvidence, number: int, trial: Trial) -> Iterator[Finding]:
    """The Pod ended well, and its log proves the GPU; where asked for, CUDA works on it as well."""
    badly = list(ended_badly(smoke, "smoke", trial.asked.resource, trial.image)) or list(log_is_there(smoke, "smoke"))
    if badly:
        yield from badly
        return
    pointer = "smoke_pods_more" if number else "smoke_pod"
    yield from log_proves(smoke, pointer, trial.asked.resource, trial.host_uuids)
    if trial.cuda_image:
        yield from cuda_works(smoke, pointer, trial.cuda_image, trial.cuda_passes)


def _control_sees_none(control: PodEvidence | None, trial: Trial) -> Iterator[Finding]:
    """The control Pod ran on the same Node and saw no GPU."""
    if control is None:
        yield found("SMK015", "control_pod", missing="there was no control Pod")
        return
    placed = list(_placed(control, "control", trial))
    if placed or control.get("pod") is None:
        yield from placed
        return
    log = log_of(control)
    if log.uuids or log.devices:
        if log.visible_devices in ("", "void", "none"):
            yield found("SMK013", "control_pod.log", seen=sight(log))
        else:
            yield found("SMK014", "control_pod.log", seen=sight(log), value=log.visible_devices)
        return
    badly = list(ended_badly(control, "control", trial.asked.resource, trial.image))
    yield from badly or log_is_there(control, "control")


def _only_at_the_second_try(smokes: Sequence[PodEvidence], control: PodEvidence | None) -> Iterator[Finding]:
    for which, evidence in (*(("smoke", smoke) for smoke in smokes), ("control", control or {})):
        for attempt in evidence.get("attempts") or ():
            for first in _how_it_ended(attempt, which):
                yield found("SMK037", f"{which}_pod.attempts", which=which, first=first)


def _how_it_ended(attempt: PodEvidence, which: str) -> Iterator[str]:
    if attempt.get("pod") is None or end_of(attempt).node is None:
        yield "it was deleted before it was placed" if attempt.get("deleted") else "it was never seen"
        return
    for finding in ended_badly(attempt, which, "", ""):
        yield f"{finding.code}, {finding.message}"


def _old_driver(trial: Trial) -> Iterator[Finding]:
    for image in dict.fromkeys((trial.image, trial.cuda_image)):
        too_new = newer_than_the_driver(image, trial.driver)
        if too_new:
            cuda, branch, oldest = too_new
            yield found("SMK029", "expect.image", image=image, cuda=cuda, branch=branch, oldest=oldest)
