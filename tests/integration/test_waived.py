# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes without any way to their hosts: what is proven all the same, what is not, and what the user can do without."""

from __future__ import annotations

from conftest import NODES, Playbook

NOWHERE = {"gpu_k8s_host_access": "none", "ansible_host": "192.0.2.1"}
"""Nobody answers at that address: a run that tried it would take its time, and say so."""


def test_a_fleet_without_its_host_layers_is_waived_and_may_pass_the_gate(play: Playbook) -> None:
    run = play(**NOWHERE, gpu_k8s_waive=["driver", "toolkit"], gpu_k8s_gate="chosen")
    assert run.exit_status == 0, run.output
    assert run.word == "waived"
    assert {tuple(run.marks(node)) for node in NODES} == {("waived", "waived", *["pass"] * 4)}
    assert "192.0.2.1" not in run.output
    assert f"0 of {len(NODES)} nodes usable, 0 broken, 0 not proven, {len(NODES)} waived" in run.output


def test_a_driver_that_nobody_looked_at_is_blamed_by_the_pod(play: Playbook) -> None:
    """And of the nodes that are whole it is said that there is no way to their hosts, and which ways there are."""
    broken = {"lab_fault": "module_not_loaded", "lab_node": "node2"}
    try:
        play(playbook="playbooks/lab_break.yml", **broken)
        run = play(**NOWHERE)
    finally:
        play(playbook="playbooks/lab_mend.yml")
    assert run.exit_status == 2, run.output
    assert run.conclusions == {"node1": "not proven", "node2": "broken", "node3": "not proven"}
    assert run.marks("node1") == run.marks("node3") == ["unknown", "unknown", *["pass"] * 4]
    assert run.codes("node1") == {"PRE012"}
    assert run.marks("node2")[0] == "fail"
    assert "DRV005" in run.codes("node2")
    assert "gpu_k8s_waive: [driver," in run.output
