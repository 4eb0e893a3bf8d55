# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of failure modes speak of findings that there are, and each finding tells of a mode."""

from __future__ import annotations

import itertools

from ansible_collections.gpu.k8s.plugins.module_utils._catalogue import CATALOGUE
from ansible_collections.gpu.k8s.plugins.module_utils._catalogue.modes import MODES

# The run's own matters and the user's expectations; all of the driver's, whose codes are finer than its modes.
NO_MODE_AT_ALL = ("PRE", "EXP", "DRV")
# What could not be seen or tried, hints, and faults that no report speaks of.
NO_MODE = {
    *("TKT001", "TKT004", "TKT006", "TKT007", "TKT009", "TKT010", "TKT030", "TKT031", "TKT042"),
    *("DPL013", "DPL036", "DPL037", "DPL038", "DPL039", "DPL040"),
    *("SCH003", "SCH004", "SCH008", "SCH009", "SCH010", "SCH011", "SCH014", "SCH018", "SCH020", "SCH030", "SCH032"),
    *("SCH033", "SCH035"),
    *("DPL043", "SCH039", "SCH040", "SCH041", "SCH042", "SCH043", "SCH044"),  # the collection's own taint
    *("SMK004", "SMK015", "SMK018", "SMK029", "SMK035", "SMK036", "SMK040", "SMK041"),
}


def test_each_mode_is_covered_or_out_of_sight() -> None:
    for mode in MODES:
        assert bool(mode.codes) != bool(mode.out_of_sight), mode.number
        assert set(mode.codes) <= set(CATALOGUE), mode.number


def test_modes_are_listed_once() -> None:
    numbers = [mode.number for mode in MODES]
    assert len(set(numbers)) == len(numbers)


def test_within_a_layer_modes_are_in_order() -> None:
    for letter, modes in itertools.groupby(MODES, key=lambda mode: mode.number[0]):
        numbers = [int(mode.number[2:]) for mode in modes]
        falls = sum(later < earlier for earlier, later in itertools.pairwise(numbers))
        assert falls < {"H": 2, "K": 3}[letter]  # each layer begins anew


def test_each_finding_tells_of_a_mode() -> None:
    told = {code for mode in MODES for code in mode.codes}
    assert {code for code in CATALOGUE if not code.startswith(NO_MODE_AT_ALL)} - told == NO_MODE
