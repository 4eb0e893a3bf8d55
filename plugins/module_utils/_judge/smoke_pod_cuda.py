# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoint 6, where an image that computes was asked for: CUDA works on the GPU that the smoke Pod was given."""

from __future__ import annotations

import re
import typing as t
from collections.abc import Iterator, Mapping, Sequence

from .._catalogue import found
from .._chain import Finding
from .._evidence.smoke_pod import ContainerEnd, PodEnd, end_of, log_of, words
from .smoke_pod_log import failure_in
from .smoke_pod_start import what_it_asked_for

PodEvidence = Mapping[str, t.Any]

_INSUFFICIENT = re.compile(r"CUDA driver version is insufficient")
_IMAGE = re.compile(r"no kernel image is available|exec format error|unsatisfied condition|requirement error")
_NO_COMMAND = 126  # the shell's 126 and 127, the runtime's 128, and the signals above them


def cuda_works(evidence: PodEvidence, pointer: str, image: str, passes: Sequence[str]) -> Iterator[Finding]:
    """Exit code 0, reason Completed, one of the words of success in the log, and no word of an error."""
    end = end_of(evidence)
    container = end.cuda or ContainerEnd()
    cuda = evidence.get("cuda") or {}
    text = cuda.get("log") or ""
    where = (f"{pointer}.pod", f"{pointer}.cuda")
    inconclusive = _inconclusive(container, text)
    if _INSUFFICIENT.search(text):
        yield _insufficient(evidence, end, image, where)
    elif inconclusive:
        yield found("SMK031", *where, image=image, why=inconclusive)
    elif container.exit_code != 0 or failure_in(text):
        says = failure_in(text) or _last_line(text)
        yield found("SMK030", *where, image=image, exit_code=container.exit_code, says=says)
    elif cuda.get("log_error"):
        yield found("SMK031", *where, image=image, why=f"its log could not be read: {cuda['log_error']}")
    elif not any(word in text for word in passes):
        wanted = " or ".join(repr(word) for word in passes)
        yield found("SMK031", *where, image=image, why=f"it ended with 0, and its log does not say {wanted}")


def _inconclusive(container: ContainerEnd, text: str) -> str:
    """Why the end of the container says nothing about CUDA; empty when it does."""
    code, reason = container.exit_code, container.reason
    if code is None:
        waits = container.waiting_reason or ("running" if container.running else "not started")
        return f"it did not come to its end ({words(waits, container.waiting_message)})"
    image = _IMAGE.search(f"{text}\n{container.message}")
    if image:
        return f"the image does not fit: {image[0]}"
    if code == 0:
        return "" if reason == "Completed" and not container.restarts else f"exit code 0 with reason {reason or 'none'}"
    if code >= _NO_COMMAND or reason != "Error":
        return f"its command did not end by itself: exit code {code}, {words(reason, container.message)}"
    return ""


def _insufficient(evidence: PodEvidence, end: PodEnd, image: str, where: tuple[str, str]) -> Finding:
    """CUDA says the same when there is no driver library at all, and when the driver is older than the image."""
    if log_of(evidence).has_libcuda is False:
        return found("TKT003", *where, asked=what_it_asked_for("smoke", end), seen="no CUDA library (libcuda.so.1)")
    why = "the driver is older than the image's CUDA, or the image hides the driver's library"
    return found("SMK031", *where, image=image, why=why)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "nothing"
