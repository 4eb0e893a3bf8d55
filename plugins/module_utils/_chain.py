# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The words of the project: layers, checkpoints, statuses, findings and conclusions.

Private to the collection. No I/O and no Ansible here or in anything this imports.
"""

from __future__ import annotations

import typing as t
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Layer = t.Literal["preflight", "driver", "toolkit", "device_plugin", "scheduler", "smoke_pod"]
Status = t.Literal["pass", "fail", "busy", "blocked", "skip", "waived", "unknown"]
FindingStatus = t.Literal["fail", "busy", "unknown", "warning"]
Conclusion = t.Literal["usable", "waived", "broken", "not proven"]

LAYERS: tuple[Layer, ...] = ("driver", "toolkit", "device_plugin", "scheduler", "smoke_pod")
"""The layers with a checkpoint of their own, lowest first."""


@dataclass(frozen=True)
class Checkpoint:
    """One of the six facts that must all be proven before a node is usable."""

    number: int
    layer: Layer
    title: str


CHECKPOINTS: tuple[Checkpoint, ...] = (
    Checkpoint(1, "driver", "the driver recognises every GPU on the bus"),
    Checkpoint(2, "toolkit", "the container runtime hands a GPU to a container"),
    Checkpoint(3, "device_plugin", "the kubelet advertises the GPUs"),
    Checkpoint(4, "scheduler", "the Node's GPUs can be allocated, and one is free"),
    Checkpoint(5, "smoke_pod", "the scheduler placed a GPU Pod on the Node"),
    Checkpoint(6, "smoke_pod", "the Pod's exit code and log both prove the GPU"),
)


@dataclass(frozen=True)
class Finding:
    """Something that keeps a checkpoint from passing, or (a warning) may do so later.

    ``layer`` is the layer to blame. It may be a lower one than the layer that noticed it.
    ``evidence`` holds pointers into the node's evidence, such as ``driver.nvidia_smi_list``.
    """

    code: str
    layer: Layer
    status: FindingStatus
    message: str
    remedy: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """What the evidence says of one checkpoint, before the layers are set against each other.

    ``seen`` is the positive proof in words. Without it a checkpoint never passes.
    ``skipped`` and ``waived`` say why it was not looked at: this run was not asked to, or the user does without it.
    """

    checkpoint: int
    findings: tuple[Finding, ...] = ()
    seen: str | None = None
    skipped: str | None = None
    waived: str | None = None


@dataclass(frozen=True)
class CheckpointVerdict:
    """A checkpoint's status with what led to it."""

    number: int
    layer: Layer
    title: str
    status: Status
    seen: str | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class NodeVerdict:
    """The conclusion about one node. ``first_broken_layer`` is set only when it is broken."""

    host: str
    node: str | None
    conclusion: Conclusion
    first_broken_layer: Layer | None
    not_proven: tuple[int, ...]
    checkpoints: tuple[CheckpointVerdict, ...]

    @property
    def deciding(self) -> Finding | None:
        """The finding to show first: of the first broken layer, else of the first open checkpoint."""
        for checkpoint in self.checkpoints:
            for finding in checkpoint.findings:
                if decides(finding.status, finding.layer, self.conclusion, self.first_broken_layer):
                    return finding
        return None


def decides(status: str, layer: str, conclusion: str, first_broken_layer: str | None) -> bool:
    """Whether a node's conclusion hangs on a finding of this status that blames this layer."""
    wanted = ("fail",) if conclusion == "broken" else ("unknown", "busy")
    return status in wanted and first_broken_layer in (None, layer)


def one_word(conclusion: str) -> str:
    """The conclusion as machines read it: ``not proven`` is ``not_proven``."""
    return conclusion.replace(" ", "_")


def status_of(judgement: Judgement) -> Status:
    """Return the status of a checkpoint as its own layer sees it."""
    statuses = {finding.status for finding in judgement.findings}
    for status in ("fail", "unknown", "busy"):
        if status in statuses:
            return t.cast(Status, status)
    if judgement.skipped is not None:
        return "skip"
    if judgement.waived is not None:
        return "waived"
    return "pass" if judgement.seen else "unknown"


def conclude(host: str, node: str | None, judgements: Iterable[Judgement]) -> NodeVerdict:
    """Set the layers against each other and conclude.

    A failed finding counts where its layer is, so that a Pod that notices a broken toolkit
    blames the toolkit. What lies above the first broken layer is ``blocked``.
    Each of the six checkpoints that has no judgement is unknown.
    """
    given = {judgement.checkpoint: judgement for judgement in judgements}
    by_number = {c.number: given.get(c.number, Judgement(c.number)) for c in CHECKPOINTS}
    blamed = [f for j in by_number.values() for f in j.findings if f.status == "fail" and f.layer in LAYERS]
    broken = min((LAYERS.index(f.layer) for f in blamed), default=None)

    checkpoints = []
    for checkpoint in CHECKPOINTS:
        judgement = by_number[checkpoint.number]
        findings = judgement.findings
        status = status_of(judgement)
        if broken is not None:
            position = LAYERS.index(checkpoint.layer)
            if position > broken:
                status = "blocked"
            elif position == broken:
                here = [f for f in blamed if f.layer == checkpoint.layer]
                if checkpoint.number == _blamed_checkpoint(checkpoint.layer, here, by_number):
                    findings = tuple(dict.fromkeys((*findings, *here)))
                    status = "fail"
                elif status not in ("pass", "skip", "waived"):
                    status = "blocked"
        checkpoints.append(
            CheckpointVerdict(checkpoint.number, checkpoint.layer, checkpoint.title, status, judgement.seen, findings)
        )

    open_checkpoints = tuple(c.number for c in checkpoints if c.status != "pass")
    return NodeVerdict(
        host=host,
        node=node,
        conclusion=_conclusion([c.status for c in checkpoints], broken is not None),
        first_broken_layer=None if broken is None else LAYERS[broken],
        not_proven=open_checkpoints,
        checkpoints=tuple(checkpoints),
    )


def _conclusion(statuses: Sequence[Status], broken: bool) -> Conclusion:
    if broken:
        return "broken"
    if all(status == "pass" for status in statuses):
        return "usable"
    return "waived" if all(status in ("pass", "waived") for status in statuses) else "not proven"


def _blamed_checkpoint(layer: Layer, blamed: Sequence[Finding], by_number: dict[int, Judgement]) -> int:
    """Which of the layer's checkpoints carries the blame: the one that noticed it, else its last."""
    own = [c.number for c in CHECKPOINTS if c.layer == layer]
    for number in own:
        if any(finding in by_number[number].findings for finding in blamed):
            return number
    return own[-1]


def conclude_run(verdicts: Sequence[NodeVerdict]) -> Conclusion:
    """Return one conclusion for all nodes: usable only when there is a node and all of them are usable."""
    conclusions = {verdict.conclusion for verdict in verdicts}
    worst_first: tuple[Conclusion, ...] = ("broken", "not proven", "waived", "usable")
    return next((conclusion for conclusion in worst_first if conclusion in conclusions), "not proven")
