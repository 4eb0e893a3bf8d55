# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of the driver are compared as people write them."""

from __future__ import annotations

import pytest

from ansible_collections.gpu.k8s.plugins.module_utils._judge.driver_expected import version_bounds, version_fits


@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        ("550.163.01", "550"),
        ("550.163.01", "550.163.01"),
        ("550.163.01", "==550.163"),
        ("550.163.01", ">=550,<580"),
        ("550.163.01", ">= 550.163.1 , <= 550"),
        ("580.95.05", "!=575,>570"),
        ("576.88", "<580"),
    ],
)
def test_fits(version: str, wanted: str) -> None:
    assert version_fits(version, wanted)


@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        ("550.163.01", "535"),
        ("550.163.01", "550.54"),
        ("550.163.01", ">550"),
        ("580.95.05", ">=550,<580"),
        ("550.54.15", ">=550.163"),
        ("550.163.01", "!=550"),
    ],
)
def test_does_not_fit(version: str, wanted: str) -> None:
    assert not version_fits(version, wanted)


@pytest.mark.parametrize("wanted", ["", "latest", "550.x", ">=", "~=550", "550,,580"])
def test_refused(wanted: str) -> None:
    with pytest.raises(ValueError, match="no driver version"):
        version_bounds(wanted)
