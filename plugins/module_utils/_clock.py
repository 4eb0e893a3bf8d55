# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""When something was taken. Private to the collection."""

from __future__ import annotations

import datetime


def utc_now() -> str:
    """Return the time in UTC as ISO 8601 with microseconds; such texts sort by time."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")
