# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about the device plugin's registration (checkpoint 3)."""

from __future__ import annotations

from .device_plugin_absent import ENTRIES as ABSENT
from .device_plugin_claims import ENTRIES as CLAIMS
from .device_plugin_counts import ENTRIES as COUNTS
from .device_plugin_health import ENTRIES as HEALTH
from .device_plugin_registration import ENTRIES as REGISTRATION

ENTRIES = tuple(sorted((*COUNTS, *ABSENT, *REGISTRATION, *HEALTH, *CLAIMS), key=lambda entry: entry.code))
