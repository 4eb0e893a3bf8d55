# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoint 6, where every GPU is tried: all of the host's GPUs were seen, each by a Pod of its own."""

from __future__ import annotations

import typing as t
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from .._catalogue import found
from .._chain import Finding
from .._evidence.smoke_pod import end_of, log_of

PodEvidence = Mapping[str, t.Any]


def every_gpu_was_tried(
    pods: Sequence[PodEvidence],
    host_uuids: Sequence[str] | None,
    taken: int | None,
    shared: bool,
    advertised: int,
) -> Iterator[Finding]:
    """``taken``: how many devices other Pods hold; None: not known. ``shared``: devices are not whole GPUs.

    Where the host's GPUs are not known, those that its Node advertises are counted.
    """
    logs = [log_of(pod) for pod in pods]
    seen = {uuid for log in logs for uuid in log.handed}
    twice = sorted(
        uuid for uuid in seen if _at_once([p for p, log in zip(pods, logs, strict=True) if uuid in log.handed])
    )
    if twice and not shared:
        yield found("SMK034", "smoke_pod", "smoke_pods_more", twice=", ".join(twice))
    if any(log.migs for log in logs):
        return
    if host_uuids is None:
        unseen = 0 if shared else advertised - (taken or 0) - len(seen)
        if unseen > 0:
            told = f"{unseen} of those that the Node advertises"
            yield found("SMK035", "smoke_pods_more", missing=told, tried=len(seen), total=advertised)
        return
    missing = [uuid for uuid in host_uuids if uuid not in seen]
    if not missing:
        return
    code = "SMK036" if taken is not None and 0 < len(missing) <= taken else "SMK035"
    yield found(code, "smoke_pods_more", missing=", ".join(missing), tried=len(seen), total=len(host_uuids))


def _at_once(pods: Sequence[PodEvidence]) -> bool:
    """Whether two of the Pods ran at the same time; one after the other they may well have the same GPU."""
    times = sorted((end.started, end.finished) for pod in pods if (end := end_of(pod).container).started)
    return any(later[0] < earlier[1] for earlier, later in pairwise(times))
