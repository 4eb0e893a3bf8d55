# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoint 2: the node's own runtime hands a GPU to a minimal container, apart from Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator

from .._catalogue import found
from .._chain import Finding, Judgement
from .._evidence.host import HostLook
from .._evidence.toolkit import ContainerRun, ToolkitFacts, read_toolkit

_GPU = "toolkit.gpu_container"
_CONTROL = "toolkit.control_container"


def judge_toolkit(look: HostLook, image: str, handler: str) -> Judgement:
    """Judge one host's runtime by what the experiment's containers saw."""
    facts = read_toolkit(look)
    findings = [*_examined(look), *_runtime_answers(look, facts), *_can_inject(facts, handler)]
    if not findings:
        findings = [*_could_be_tried(facts, image), *_gpu_arrives(facts), *_control_sees_none(facts)]
    if not findings:
        findings = [*_complete(facts)]
    return Judgement(2, tuple(findings), None if findings else _seen(facts, handler))


def _examined(look: HostLook) -> Iterator[Finding]:
    if look.error is not None:
        code = "TKT010" if look.kind == "incomplete" else "TKT001"
        yield found(code, reason=look.error, missing=look.error)


def _runtime_answers(look: HostLook, facts: ToolkitFacts) -> Iterator[Finding]:
    if look.error is None and facts.handlers is None:
        record = look.records.get("loaded_handlers")
        lines = (record["stderr"] + record["stdout"]).strip().splitlines() if record else []
        yield found("TKT006", "toolkit.loaded_handlers", reason=lines[0] if lines else "crictl did not run")


def _can_inject(facts: ToolkitFacts, handler: str) -> Iterator[Finding]:
    """The running daemon has the wanted handler, or there is a CDI specification."""
    if facts.handlers is not None and handler not in facts.handlers and facts.cdi_specs == ():
        names = ", ".join(facts.handlers) or "none"
        yield found("TKT002", "toolkit.loaded_handlers", "toolkit.cdi_specs", handlers=names, wanted=handler)


def _could_be_tried(facts: ToolkitFacts, image: str) -> Iterator[Finding]:
    if not facts.gpus:
        yield found("TKT007", "toolkit.gpu_list")
    if facts.image_there is False:
        yield found("TKT004", "toolkit.image", image=image)


def _gpu_arrives(facts: ToolkitFacts) -> Iterator[Finding]:
    """The container ends with 0 and lists exactly the GPU that was asked for, by UUID."""
    run = facts.gpu_container
    if run is None or not facts.gpus:
        return
    asked = facts.gpus[0].uuid
    code = run.record["exit_code"]
    if code is None:
        yield found("TKT009", _GPU, seconds=run.record["seconds"])
    elif not run.whole:
        if code != 0:
            yield found("TKT008", _GPU, asked=asked, says=run.output)
        else:
            yield found("TKT010", _GPU, missing="the output of the container did not arrive whole")
    elif code != 0 or [gpu.uuid for gpu in run.gpus] != [asked] or len(run.devices) != 1:
        yield found("TKT003", _GPU, asked=asked, seen=_sight(run))


def _control_sees_none(facts: ToolkitFacts) -> Iterator[Finding]:
    run = facts.control_container
    if run is None or facts.gpu_container is None:
        return
    if run.record["exit_code"] is None:
        yield found("TKT009", _CONTROL, seconds=run.record["seconds"])
    elif run.gpus or run.devices:
        yield found("TKT005", _CONTROL, seen=_sight(run))
    elif not run.whole:
        yield found("TKT010", _CONTROL, missing=f"the control container did not run: {run.output}")


def _complete(facts: ToolkitFacts) -> Iterator[Finding]:
    missing = [
        words
        for words, there in (
            ("the list of images could not be read", facts.image_there is not None),
            ("no container was started", facts.gpu_container is not None),
            ("no control container was started", facts.control_container is not None),
        )
        if not there
    ]
    if missing:
        yield found("TKT010", _GPU, missing="; ".join(missing))


def _seen(facts: ToolkitFacts, handler: str) -> str | None:
    if not facts.gpu_container or not facts.gpu_container.gpus:
        return None
    way = f"handler {handler}" if handler in (facts.handlers or {}) else "CDI"
    return f"a container got exactly {facts.gpu_container.gpus[0].uuid} ({way}); the control got none"


def _sight(run: ContainerRun) -> str:
    seen = [gpu.uuid for gpu in run.gpus] + list(run.devices)
    return ", ".join(seen) if seen else f"no GPU (exit code {run.record['exit_code']}: {run.output})"
