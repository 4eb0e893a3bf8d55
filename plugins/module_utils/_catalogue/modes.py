# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How nodes fail, all layers together, and which findings tell of it. Private to the collection."""

from __future__ import annotations

from .modes_device_plugin import MODES as DEVICE_PLUGIN
from .modes_driver import MODES as DRIVER
from .modes_scheduler import MODES as SCHEDULER
from .modes_smoke_pod import MODES as SMOKE_POD
from .modes_toolkit import MODES as TOOLKIT

MODES = (*DRIVER, *TOOLKIT, *DEVICE_PLUGIN, *SCHEDULER, *SMOKE_POD)
