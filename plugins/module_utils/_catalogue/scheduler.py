# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about allocation and scheduling (checkpoint 4)."""

from __future__ import annotations

from .scheduler_admission import ENTRIES as ADMISSION
from .scheduler_node import ENTRIES as NODE
from .scheduler_pending import ENTRIES as PENDING
from .scheduler_startup_taint import ENTRIES as STARTUP_TAINT

ENTRIES = tuple(sorted((*NODE, *ADMISSION, *PENDING, *STARTUP_TAINT), key=lambda entry: entry.code))
