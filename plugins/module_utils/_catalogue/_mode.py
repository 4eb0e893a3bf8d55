# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A way in which real nodes fail, and what of this collection sees it. Private to the collection."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mode:
    """Either ``codes``, the findings that tell of it, or ``out_of_sight``, the reason why nothing here can."""

    number: str
    title: str
    codes: tuple[str, ...] = ()
    out_of_sight: str = ""
