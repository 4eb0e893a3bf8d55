# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The shape of a catalogue entry. Private to the collection."""

from __future__ import annotations

from dataclasses import dataclass

from .._chain import FindingStatus, Layer


@dataclass(frozen=True)
class Entry:
    """What is said about one kind of finding.

    ``message`` and ``remedy`` are format strings; the rule gives the values.
    ``mistaken_for`` says what a hurried reader would blame instead.
    ``sources`` name where the facts come from: a document, or ``lab`` when it was seen there.
    """

    code: str
    layer: Layer
    status: FindingStatus
    title: str
    message: str
    meaning: str
    remedy: str
    mistaken_for: str
    sources: tuple[str, ...]
