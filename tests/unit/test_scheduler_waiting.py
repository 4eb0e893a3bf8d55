# SPDX-License-Identifier: GPL-3.0-or-later
"""A Node that became Ready a moment ago may still have the taints of the time before."""

from __future__ import annotations

import typing as t

import pytest
from cases import base, cases, evidence

from ansible_collections.gpu.k8s.plugins.module_utils._judge.scheduler_waiting import has_stale_taints

OVER = evidence(cases()["scheduler/taint_of_a_trouble_that_is_over"])


def ready(since: str, status: str = "True", read_at: str | None = "2026-11-30T10:00:00+00:00") -> dict[str, t.Any]:
    """The Node with a taint of a trouble that its conditions don't tell of, and when it became Ready."""
    kubernetes = OVER["kubernetes"]
    conditions = [
        one | {"lastTransitionTime": since, "status": status} if one["type"] == "Ready" else one
        for one in kubernetes["node"]["status"]["conditions"]
    ]
    node = kubernetes["node"] | {"status": kubernetes["node"]["status"] | {"conditions": conditions}}
    return OVER | {"kubernetes": kubernetes | {"node": node, "read_at": read_at}}


def test_a_node_that_has_just_become_ready_is_worth_another_look() -> None:
    assert has_stale_taints(ready("2026-11-30T09:59:30Z"))


@pytest.mark.parametrize(
    "given",
    [
        ready("2026-11-30T09:50:00Z"),
        ready("2026-11-30T09:59:30Z", status="False"),
        ready("2026-11-30T09:59:30Z", read_at=None),
        ready("a moment ago"),
        base("healthy-h100"),
        base("healthy-h100") | {"kubernetes": None},
    ],
    ids=["long ago", "not Ready", "no clock", "no time", "no such taint", "no cluster"],
)
def test_others_are_not_waited_for(given: dict[str, t.Any]) -> None:
    assert not has_stale_taints(given)
