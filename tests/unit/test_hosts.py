# SPDX-License-Identifier: GPL-3.0-or-later
"""Host names in little room: nothing is lost in a range, and no two names look alike when they are cut."""

from __future__ import annotations

import pytest

from ansible_collections.gpu.k8s.plugins.module_utils._render.hosts import cut, folded


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], []),
        (["node1", "node3"], ["node1", "node3"]),
        ([f"gpu-{number:02}" for number in range(1, 41)], ["gpu-[01-40]"]),
        (["node3", "node1", "node2", "login"], ["node[1-3]", "login"]),
        (["n8", "n9", "n10", "n11", "n99", "n100"], ["n[8-11,99,100]"]),
        (["n1", "n2", "n3", "n01", "n02", "n03"], ["n[1,01,2,02,3,03]"]),
        ([f"r{rack}-n{n}.dc1" for rack in (1, 2) for n in range(4)], ["r1-n[0-3].dc1", "r2-n[0-3].dc1"]),
        ([f"10.0.{net}.{host}" for net in (1, 2) for host in (7, 8, 9)], ["10.0.1.[7-9]", "10.0.2.[7-9]"]),
    ],
)
def test_names_that_differ_in_a_number_are_a_range(names: list[str], said: list[str]) -> None:
    assert folded(names) == said


def test_a_range_of_many_pieces_can_be_broken_between_lines() -> None:
    items = folded([f"n{number}" for number in range(0, 600, 3)])
    assert len(items) > 1
    assert max(map(len, items)) < 70
    assert sum(item.count(",") + 1 for item in items) == 200


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["short", "gpu-07.dc1.example.com"], ["short", "gpu-07.dc1.ex…"]),
        (["the-training-fleet-1", "the-training-fleet-2"], ["the-train…et-1", "the-train…et-2"]),
        (["gpu-node-abcdef-01.example.com", "gpu-node-abcdef-02.example.com"], ["gpu-node…f-01…", "gpu-node…f-02…"]),
        ([f"{'x' * 9}{a}{'y' * 9}{b}{'z' * 9}" for a in "ab" for b in "cd"], None),
    ],
)
def test_a_name_is_cut_where_it_differs_from_no_other(names: list[str], labels: list[str] | None) -> None:
    assert cut(names, 14) == labels
