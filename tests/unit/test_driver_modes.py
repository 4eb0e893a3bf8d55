# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of the driver's failure modes speaks of findings that there are."""

from __future__ import annotations

from ansible_collections.gpu.k8s.plugins.module_utils._catalogue import CATALOGUE
from ansible_collections.gpu.k8s.plugins.module_utils._catalogue.modes_driver import MODES


def test_every_mode_is_told_by_a_finding_or_says_why_not() -> None:
    for mode in MODES:
        assert bool(mode.codes) != bool(mode.out_of_sight), mode.number
        assert set(mode.codes) <= set(CATALOGUE), mode.number


def test_numbers_are_given_once() -> None:
    assert len({mode.number for mode in MODES}) == len(MODES)
