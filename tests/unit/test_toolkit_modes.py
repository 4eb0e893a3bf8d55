# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of the toolkit's failure modes speaks of findings that there are, and of each of the toolkit's own."""

from __future__ import annotations

from ansible_collections.gpu.k8s.plugins.module_utils._catalogue import CATALOGUE
from ansible_collections.gpu.k8s.plugins.module_utils._catalogue.modes_toolkit import MODES

# What could not be seen or tried, and a runtime that is merely stopped.
NO_MODE = {"TKT001", "TKT004", "TKT006", "TKT007", "TKT009", "TKT010", "TKT030", "TKT031", "TKT042"}


def test_each_mode_is_covered_or_out_of_sight() -> None:
    for mode in MODES:
        assert bool(mode.codes) != bool(mode.out_of_sight), mode.number
        assert set(mode.codes) <= set(CATALOGUE), mode.number


def test_modes_are_listed_once_and_in_order() -> None:
    numbers = [int(mode.number.removeprefix("H-")) for mode in MODES]
    assert numbers == sorted(set(numbers))


def test_each_of_the_toolkits_findings_tells_of_a_mode() -> None:
    told = {code for mode in MODES for code in mode.codes}
    assert {code for code in CATALOGUE if code.startswith("TKT")} - NO_MODE <= told
