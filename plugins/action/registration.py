# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Examine the kubelet's devices on a host, again and again while a plugin is about to register with it."""

from __future__ import annotations

import time
import typing as t

from ansible.plugins.action import ActionBase

from ansible_collections.gpu.k8s.plugins.module_utils._evidence.device_plugin import read_kubelet_devices
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.host import read_look
from ansible_collections.gpu.k8s.plugins.module_utils._judge.device_plugin_settling import is_registering

Result = dict[str, t.Any]

_PAUSE = 3
"""Seconds between two looks."""


class ActionModule(ActionBase):
    """The action gpu.k8s.examine, and time. A node on which nothing has just started is looked at once."""

    TRANSFERS_FILES = False
    _supports_check_mode = True
    _supports_async = False
    _requires_connection = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        task = self._task.copy()
        task.args = {name: value for name, value in self._task.args.items() if name != "settle"}
        task.args["layer"] = "device_plugin"
        examine = self._shared_loader_obj.action_loader.get(
            "gpu.k8s.examine",
            task=task,
            connection=self._connection,
            play_context=self._play_context,
            loader=self._loader,
            templar=self._templar,
            shared_loader_obj=self._shared_loader_obj,
        )
        began = time.monotonic()
        ends = began + int(self._task.args.get("settle", 60))
        while True:
            result: Result = examine.run(task_vars=task_vars)
            look = read_look(result.get("look"))
            if look is None or not is_registering(read_kubelet_devices(look)) or time.monotonic() + _PAUSE > ends:
                return result | {"waited": round(time.monotonic() - began, 1)}
            time.sleep(_PAUSE)
