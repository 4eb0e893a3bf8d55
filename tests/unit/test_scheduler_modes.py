# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of the scheduler's failure modes speaks of findings that there are, and of each of the scheduler's own."""

from __future__ import annotations

from ansible_collections.gpu.k8s.plugins.module_utils._catalogue import CATALOGUE
from ansible_collections.gpu.k8s.plugins.module_utils._catalogue.modes_scheduler import MODES

# The Node's own troubles, hints, and answers of the API that are no mode of their own.
NO_MODE = {"SCH003", "SCH004", "SCH008", "SCH009", "SCH010", "SCH011", "SCH014", "SCH018", "SCH020", "SCH030", "SCH032"}
NO_MODE |= {"SCH033", "SCH035"}


def test_each_mode_is_covered_or_out_of_sight() -> None:
    for mode in MODES:
        assert bool(mode.codes) != bool(mode.out_of_sight), mode.number
        assert set(mode.codes) <= set(CATALOGUE), mode.number


def test_modes_are_listed_once_and_in_order() -> None:
    numbers = [int(mode.number.removeprefix("K-")) for mode in MODES]
    assert numbers == sorted(set(numbers))


def test_each_of_the_schedulers_findings_tells_of_a_mode() -> None:
    told = {code for mode in MODES for code in mode.codes}
    assert {code for code in CATALOGUE if code.startswith("SCH")} - NO_MODE <= told
