# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write down what an installation came to, and how to go on or back."""

from __future__ import annotations

import typing as t
from pathlib import Path

from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._install.outcome import in_lines, in_markdown, outcome
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction
from ansible_collections.gpu.k8s.plugins.plugin_utils._report_folder import INSTALLATION, write, write_json

Result = dict[str, t.Any]


class ActionModule(ControllerAction):
    """Comes after the last step, whether the steps succeeded or not."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {"run": {"type": "dict", "required": True}, "plan": {"type": "dict", "required": True}}
        )
        run, hostvars = args["run"], (task_vars or {})["hostvars"]
        by_host = {host: hostvars[host].get("install_done") or [] for host in run["hosts"]}
        in_cluster = hostvars["localhost"].get("install_cluster_done") or []
        told = {**outcome(run, args["plan"], by_host, in_cluster), "taken": utc_now()}
        data, page = (Path(run["report_folder"]) / name for name in INSTALLATION)
        write_json(data, told)
        write(page, in_markdown(told))
        return {
            "changed": False,
            "failed_steps": told["failed_steps"],
            "text": f"{in_lines(told)}\nreport: {page}",
        }
