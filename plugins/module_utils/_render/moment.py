# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The times of a run, as reports write them. What is no time is None: a report is not lost for it."""

from __future__ import annotations

import datetime
import typing as t
from collections.abc import Mapping


def moment(text: str | None) -> datetime.datetime | None:
    """Return the time that an ISO 8601 text names, in UTC."""
    try:
        read = datetime.datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return (read if read.tzinfo else read.replace(tzinfo=datetime.UTC)).astimezone(datetime.UTC)


def minute(text: str | None) -> str:
    """Return it for a person to read, such as ``2026-11-30 17:10 UTC``."""
    read = moment(text)
    return f"{read:%Y-%m-%d %H:%M} UTC" if read else "at a time that is not known"


def seconds_of(run: Mapping[str, t.Any]) -> float | None:
    """Return how long a run took, or None where that is not known."""
    started, finished = moment(run.get("started")), moment(run.get("finished"))
    return (finished - started).total_seconds() if started and finished else None
