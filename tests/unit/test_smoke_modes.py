# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of the smoke Pod's failure modes speaks of findings that there are, and of each of its own."""

from __future__ import annotations

from ansible_collections.gpu.k8s.plugins.module_utils._catalogue import CATALOGUE
from ansible_collections.gpu.k8s.plugins.module_utils._catalogue.modes_smoke_pod import MODES

# The API's and the scheduler's part, which their own table has; and ends that no report speaks of.
NO_MODE = {
    "SMK001",
    "SMK002",
    "SMK004",
    "SMK005",
    "SMK015",
    "SMK018",
    "SMK020",
    "SMK024",
    "SMK029",
    "SMK035",
    "SMK036",
    "SMK040",
}


def test_each_mode_is_covered_or_out_of_sight() -> None:
    for mode in MODES:
        assert bool(mode.codes) != bool(mode.out_of_sight), mode.number
        assert set(mode.codes) <= set(CATALOGUE), mode.number


def test_modes_are_listed_once_and_in_order() -> None:
    numbers = [int(mode.number.removeprefix("K-")) for mode in MODES]
    assert numbers == sorted(set(numbers))


def test_each_of_the_smoke_pods_findings_tells_of_a_mode() -> None:
    told = {code for mode in MODES for code in mode.codes}
    assert {code for code in CATALOGUE if code.startswith("SMK")} - NO_MODE <= told
