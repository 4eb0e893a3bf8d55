# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of the device plugin's failure modes speaks of findings that there are, and of each of its own."""

from __future__ import annotations

from ansible_collections.gpu.k8s.plugins.module_utils._catalogue import CATALOGUE
from ansible_collections.gpu.k8s.plugins.module_utils._catalogue.device_plugin import ENTRIES
from ansible_collections.gpu.k8s.plugins.module_utils._catalogue.modes_device_plugin import MODES

# Offers of a DRA driver that don't fit, and a stopped service: seen, and in no report that the table follows.
NO_MODE = {"DPL013", "DPL036", "DPL037", "DPL038", "DPL039", "DPL040"}


def test_each_mode_is_covered_or_out_of_sight() -> None:
    for mode in MODES:
        assert bool(mode.codes) != bool(mode.out_of_sight), mode.number
        assert set(mode.codes) <= set(CATALOGUE), mode.number


def test_modes_are_listed_once_and_in_order() -> None:
    numbers = [int(mode.number.removeprefix("K-")) for mode in MODES]
    assert numbers == sorted(set(numbers))


def test_each_finding_of_the_layer_tells_of_a_mode() -> None:
    told = {code for mode in MODES for code in mode.codes}
    assert {entry.code for entry in ENTRIES} - NO_MODE <= told
