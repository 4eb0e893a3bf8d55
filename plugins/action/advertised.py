# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read what the Nodes say of themselves, again and again while that is about to change by itself."""

from __future__ import annotations

import time
import typing as t
from collections import ChainMap
from collections.abc import Callable, Mapping

from ansible_collections.gpu.k8s.plugins.action.cluster_info import READ
from ansible_collections.gpu.k8s.plugins.module_utils._cluster import MISSING, answer
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.registered import evidence_of_all
from ansible_collections.gpu.k8s.plugins.module_utils._judge.device_plugin_waiting import is_about_to_advertise
from ansible_collections.gpu.k8s.plugins.module_utils._judge.scheduler_waiting import has_stale_taints
from ansible_collections.gpu.k8s.plugins.module_utils._kube_args import KUBE_ARGS
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction, need_library
from ansible_collections.gpu.k8s.plugins.plugin_utils._journal import kept

Result = dict[str, t.Any]

_PAUSE = 5
"""Seconds between two readings. A kubelet writes its Node's status every 10."""

_ABOUT_TO_CHANGE: Mapping[str, Callable[[Result], bool]] = {
    "devices": is_about_to_advertise,
    "taints": has_stale_taints,
}


class ActionModule(ControllerAction):
    """The module gpu.k8s.cluster_info, and time. Each reading asks for the same few lists, however many Nodes."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {
                **KUBE_ARGS,
                "run": {"type": "dict", "required": True},
                "after": {"type": "dict"},
                "read": READ,
                "namespace": {"default": ""},
                "wait_for": {"choices": list(_ABOUT_TO_CHANGE), "default": "devices"},
                "settle": {"type": "int", "default": 60},
            }
        )
        need_library(MISSING)
        asked = {name: args[name] for name in (*KUBE_ARGS, "read", "namespace", "after")}
        asked |= {"review_for": None, "cluster_uid": ""}
        began = time.monotonic()
        while True:
            result = answer(asked)
            late = time.monotonic() + _PAUSE > began + args["settle"]
            if late or not self._waiting(args, (task_vars or {})["hostvars"], result):
                waited = round(time.monotonic() - began, 1)
                return kept(self, task_vars, {"changed": False, **result, "waited": waited})
            time.sleep(_PAUSE)

    def _waiting(self, args: Result, hostvars: Mapping[str, Mapping[str, t.Any]], read: Result) -> bool:
        """Whether any host's Node is about to say something else than what was just read."""
        run, about_to_change = args["run"], _ABOUT_TO_CHANGE[args["wait_for"]]
        known: dict[str, Mapping[str, t.Any]] = {host: hostvars[host] for host in run["hosts"]}
        known["localhost"] = ChainMap({self._task.register: read}, t.cast(Result, hostvars["localhost"]))
        return any(about_to_change(evidence) for evidence in evidence_of_all(run, known, check_mode=False))
