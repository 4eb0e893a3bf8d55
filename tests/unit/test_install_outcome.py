# SPDX-License-Identifier: GPL-3.0-or-later
"""What an installation came to: nothing counts as done that was not said to be."""

from __future__ import annotations

import typing as t

from ansible_collections.gpu.k8s.plugins.module_utils._install.outcome import in_lines, in_markdown, outcome

RUN = {"id": "5d0cbe45", "check_mode": False}


def step(component: str, does: str) -> dict[str, str]:
    return {"component": component, "does": does, "because": "it | is so"}


def ended(component: str, status: str, **more: str) -> dict[str, str]:
    return {"component": component, "step": "", "status": status, "says": "", **more}


PLAN = {
    "hosts": {
        "node1": [step("driver", "keep"), step("toolkit", "install")],
        "node2": [step("driver", "install"), step("toolkit", "later")],
    },
    "cluster": [step("device_plugin", "install")],
}
DONE = {"node1": [ended("toolkit", "done")], "node2": [ended("driver", "done")]}


def statuses(told: dict[str, t.Any]) -> dict[str, list[str]]:
    return {host: [one["status"] for one in steps] for host, steps in told["hosts"].items()}


def test_everything_is_done() -> None:
    told = outcome(RUN, PLAN, DONE, [ended("device_plugin", "done")])
    assert statuses(told) == {"node1": ["kept", "done"], "node2": ["done", "later"]}
    assert told["failed_steps"] == []
    assert told["next"] == ["Run the same command again when what is said to come later can be looked at."]


def test_a_step_that_failed_says_why() -> None:
    failed = ended("toolkit", "failed", step="Install the package", says="no such package")
    told = outcome(RUN, PLAN, {**DONE, "node1": [failed]}, [])
    assert told["failed_steps"] == [
        "node1: toolkit failed (Install the package: no such package)",
        "the cluster: device plugin not reached",
    ]
    assert "gpu.k8s.uninstall" in in_lines(told)
    assert in_lines(told).startswith("Not everything was installed:\n- node1: driver kept\n")


def test_silence_is_not_done() -> None:
    told = outcome(RUN, PLAN, {}, [])
    assert statuses(told) == {"node1": ["kept", "not reached"], "node2": ["not reached", "later"]}
    assert len(told["failed_steps"]) == 3


def test_check_mode_changes_nothing_and_fails_nothing() -> None:
    told = outcome({**RUN, "check_mode": True}, PLAN, DONE, [])
    assert statuses(told) == {"node1": ["kept", "would be done"], "node2": ["would be done", "later"]}
    assert told["failed_steps"] == []
    assert in_lines(told).startswith("Nothing was changed (check mode):")
    failed = {"node1": [ended("toolkit", "failed", says="no package")]}
    assert outcome({**RUN, "check_mode": True}, PLAN, failed, [])["failed_steps"]


def test_the_page_shows_text_as_text() -> None:
    page = in_markdown(outcome(RUN, PLAN, {"node1": [ended("toolkit", "failed", says="<b>| x")]}, []))
    assert "\\<b\\>\\| x" in page
    assert "it \\| is so" in page
