# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the device plugin's probe saw in the kubelet's folder, typed."""

from __future__ import annotations

import json
import typing as t

from .host import HostLook


def registered_devices(look: HostLook, resource: str) -> tuple[str, ...] | None:
    """Return the device ids that the kubelet's checkpoint holds for the resource; None when it could not be read.

    The ids of shared GPUs end in ``::<replica>``; that ending is removed.
    """
    text = look.stdout_of("kubelet_checkpoint")
    if text is None:
        return None
    try:
        registered: dict[str, t.Any] = json.loads(text)["Data"]["RegisteredDevices"] or {}
        return tuple(dict.fromkeys(str(device).partition("::")[0] for device in registered.get(resource) or ()))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
