# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decide what is installed where, or why nothing is."""

from __future__ import annotations

import typing as t
from pathlib import Path

from ansible_collections.gpu.k8s.plugins.module_utils._evidence.gpu_nodes import nodes_without_host
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.registered import cluster_read, evidence_of_all
from ansible_collections.gpu.k8s.plugins.module_utils._install.plan import plan
from ansible_collections.gpu.k8s.plugins.module_utils._install.wish import COMPONENTS, ClusterSeen, Wish
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction, bad_input
from ansible_collections.gpu.k8s.plugins.plugin_utils._journal import close_journal
from ansible_collections.gpu.k8s.plugins.plugin_utils._report_folder import put_away_installation

Result = dict[str, t.Any]

_BY_THE_ROLE = ("install_marks", "install_host")
"""What the role has found on each host beside the evidence of verifying."""


class ActionModule(ControllerAction):
    """Comes after the looks at the hosts, and before anything is changed."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {
                "run": {"type": "dict", "required": True},
                "context": {"default": ""},
                "way": {"choices": ["", "components", "operator"], "default": ""},
                "components": {"type": "list", "elements": "str", "choices": list(COMPONENTS), "default": []},
                "disposable": {"type": "bool", "default": False},
                "cluster_uid": {"default": ""},
                "driver_module": {"choices": ["auto", "open", "proprietary"], "default": "auto"},
                "driver_packages": {"type": "list", "elements": "str", "default": []},
            }
        )
        run, hostvars = args["run"], (task_vars or {})["hostvars"]
        folder = Path(run["report_folder"])
        put_away_installation(folder)
        evidence = evidence_of_all(run, hostvars, check_mode=False)
        registered = {host: {name: hostvars[host].get(name) for name in _BY_THE_ROLE} for host in run["hosts"]}
        planned = plan(_wish(args), _cluster(args, hostvars, evidence), evidence, registered)
        if planned.refusals:
            refused = bad_input(folder, planned.text)
        else:
            close_journal(folder)  # the verification that comes after the installation is a run of its own
            refused = {"changed": False}
        return {**refused, **planned.as_result(), "refused": planned.text if planned.refusals else ""}


def _wish(args: Result) -> Wish:
    return Wish(
        way=args["way"],
        components=tuple(args["components"]),
        disposable=args["disposable"],
        cluster_uid=args["cluster_uid"],
        driver_module=args["driver_module"],
        driver_packages=tuple(args["driver_packages"]),
        by_debug_pod=tuple(args["run"]["debug_hosts"]),
    )


def _cluster(args: Result, hostvars: t.Any, evidence: list[Result]) -> ClusterSeen:
    read = cluster_read(hostvars["localhost"], args["run"]["started"]) or {"error": "it was not asked"}
    alone = nodes_without_host(read, evidence)
    return ClusterSeen(
        context=args["context"],
        server=str(read.get("server") or ""),
        uid=read.get("uid"),
        error=read.get("error"),
        taken=args["run"]["started"],
        lists=read.get("lists") or {},
        nodes_without_host=None if alone is None else tuple(alone),
    )
