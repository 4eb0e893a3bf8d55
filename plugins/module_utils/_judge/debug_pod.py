# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What it means that a host could not be looked at by a debug Pod: what is to be done differs by the cause."""

from __future__ import annotations

from collections.abc import Mapping

NO_POD: Mapping[str | None, str] = {
    "refused": "PRE013",
    "no_namespace": "PRE014",
    "image": "PRE015",
    "not_started": "PRE016",
    "no_kubectl": "PRE017",
    "not_entered": "PRE018",
    "no_shell": "PRE019",
    "not_made": "PRE020",
}
"""The code of each cause (_debug_pod.py) of a look's error of the kind ``no_pod``."""
