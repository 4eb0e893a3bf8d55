# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about the driver layer (checkpoint 1)."""

from __future__ import annotations

from .driver_gpus import ENTRIES as GPUS
from .driver_software import ENTRIES as SOFTWARE

ENTRIES = tuple(sorted((*SOFTWARE, *GPUS), key=lambda entry: entry.code))
