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
from .debug_pod import NO_POD
from .toolkit_later import works_now_and_will_not_always
from .toolkit_runtime import hands_out_gpus, runtime_answers
from .toolkit_start import why_not_started, why_not_usable

_GPU = "toolkit.gpu_container"
_CONTROL = "toolkit.control_container"


def judge_toolkit(look: HostLook, image: str, handler: str) -> Judgement:
    """Judge one host's runtime by what the experiment's containers saw."""
    if look.waived:
        return Judgement(2, waived=look.waived)
    facts = read_toolkit(look)
    findings = [*_examined(look), *runtime_answers(look, facts), *hands_out_gpus(facts, handler)]
    if not findings:
        findings = [*_could_be_tried(facts, image), *_gpu_arrives(facts, image), *_control_sees_none(facts)]
    if not findings:
        findings = [*_complete(facts)]
    seen = None if findings else _seen(facts, handler)
    warnings = () if any(f.status == "fail" for f in findings) else works_now_and_will_not_always(facts, handler)
    return Judgement(2, (*findings, *warnings), seen)


def _examined(look: HostLook) -> Iterator[Finding]:
    if look.error is not None:
        known = {"incomplete": "TKT010", "no_access": "PRE012", "no_pod": NO_POD.get(look.cause, "PRE020")}
        code = known.get(look.kind or "", "TKT001")
        yield found(code, reason=look.error, missing=look.error)


def _could_be_tried(facts: ToolkitFacts, image: str) -> Iterator[Finding]:
    if not facts.gpus:
        yield found("TKT007", "toolkit.gpu_list")
    if facts.image_there is False:
        yield found("TKT004", "toolkit.image", "toolkit.image_pull", image=image)


def _gpu_arrives(facts: ToolkitFacts, image: str) -> Iterator[Finding]:
    """The container ends with 0 and lists exactly the GPU that was asked for, by UUID."""
    run = facts.gpu_container
    if run is None or not facts.gpus:
        return
    code = run.record["exit_code"]
    if code is None:
        yield found("TKT009", _GPU, seconds=run.record["seconds"])
    elif not run.begun and code != 0:
        yield why_not_started(facts, run, _asked(facts, run), image)
    elif not run.whole:
        yield found("TKT010", _GPU, missing="the output of the container did not arrive whole")
    elif code != 0 or not _sees_what_it_asked_for(facts, run):
        yield why_not_usable(facts, run) or found("TKT003", _GPU, asked=_asked(facts, run), seen=_sight(run))
    elif run.has_uvm is False and facts.host and "/dev/nvidia-uvm" in facts.host.files:
        yield found("TKT028", _GPU, "toolkit.host", asked=_asked(facts, run))


def _asked(facts: ToolkitFacts, run: ContainerRun) -> str:
    """The UUID of the GPU or MIG device that was asked for; ``all`` where none can be singled out."""
    gpus = facts.gpus or ()
    if run.asked is None:
        return gpus[0].uuid
    if run.asked.isdigit():
        return gpus[int(run.asked)].uuid if int(run.asked) < len(gpus) else run.asked
    return run.asked


def _sees_what_it_asked_for(facts: ToolkitFacts, run: ContainerRun) -> bool:
    asked, seen = _asked(facts, run), [gpu.uuid for gpu in run.gpus]
    if asked == "all":
        return sorted(seen) == sorted(gpu.uuid for gpu in facts.gpus or ())
    if asked.startswith("MIG-"):
        return list(run.migs) == [asked] and _one_node(facts, run)
    return seen == [asked] and _one_node(facts, run)


def _one_node(facts: ToolkitFacts, run: ContainerRun) -> bool:
    """WSL and Tegra have GPUs without a /dev/nvidia0; there is nothing to count there."""
    return len(run.devices) == 1 or (facts.host is not None and not facts.host.gpu_nodes)


def _control_sees_none(facts: ToolkitFacts) -> Iterator[Finding]:
    run = facts.control_container
    if run is None or facts.gpu_container is None:
        return
    if run.record["exit_code"] is None:
        yield found("TKT009", _CONTROL, seconds=run.record["seconds"])
    elif run.gpus or run.devices:
        yield found("TKT005", _CONTROL, seen=_sight(run))
    elif not run.whole and facts.gpu_container.begun:
        yield found("TKT010", _CONTROL, missing=f"the control container did not run: {run.output}")


def _complete(facts: ToolkitFacts) -> Iterator[Finding]:
    missing = [
        words
        for words, there in (
            ("the list of images could not be read", facts.image_there is not None),
            ("no container was started" + _for_want_of(facts), facts.gpu_container is not None),
            ("no control container was started", facts.control_container is not None),
        )
        if not there
    ]
    if missing:
        yield found("TKT010", _GPU, missing="; ".join(missing))


def _for_want_of(facts: ToolkitFacts) -> str:
    tools = facts.runtime.missing_tools
    return f" ({', '.join(tools)} is not on the node)" if tools else ""


def _seen(facts: ToolkitFacts, handler: str) -> str | None:
    run = facts.gpu_container
    if not run or not run.gpus:
        return None
    in_use = facts.runtime.handler_in_use(handler)
    way = "CDI" if run.cdi_kind or in_use is None else f"handler {in_use}"
    asked = _asked(facts, run)
    what = f"all {len(run.gpus)} GPUs" if asked == "all" else f"exactly {asked}"
    return f"a container got {what} ({way}); the control got none"


def _sight(run: ContainerRun) -> str:
    seen = [gpu.uuid for gpu in run.gpus] + list(run.migs) + list(run.devices)
    return ", ".join(seen) if seen else f"no GPU (exit code {run.record['exit_code']}: {run.output})"
