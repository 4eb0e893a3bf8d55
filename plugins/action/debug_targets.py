# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decide for which hosts of a run a debug Pod is made, and on which Node."""

from __future__ import annotations

import shutil
import typing as t

from ansible_collections.gpu.k8s.plugins.module_utils._access import denied, in_words, namespaces_of, wants_of
from ansible_collections.gpu.k8s.plugins.module_utils._chain import LAYERS
from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._debug_pod import Obstacle, Target, targets
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.registered import cluster_read, names_of
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction
from ansible_collections.gpu.k8s.plugins.plugin_utils._journal import kept

Result = dict[str, t.Any]


class ActionModule(ControllerAction):
    """Comes after the Nodes were read, and before any Pod is made."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec({"run": {"type": "dict", "required": True}})
        run, hostvars = args["run"], (task_vars or {})["hostvars"]
        cluster = cluster_read(hostvars["localhost"], run["started"]) or {}
        names = {host: names_of(host, hostvars[host]) for host in run["debug_hosts"]}
        pods: list[Target] = []
        obstacle = _of_all(run, cluster)
        if obstacle:
            without = dict.fromkeys(names, obstacle)
        else:
            pods, without = targets(names, cluster["lists"]["nodes"]["items"], run["id"])
        not_made = {host: one.as_error() for host, one in without.items()}
        return kept(self, task_vars, {"changed": False, "taken": utc_now(), "pods": pods, "not_made": not_made})


def _of_all(run: Result, cluster: Result) -> Obstacle | None:
    """What keeps every debug Pod of this run from being made."""
    expect = run["expect"]
    nodes = (cluster.get("lists") or {}).get("nodes") or {}
    missing = [p for p in denied(cluster.get("access"), wants_of(expect), LAYERS) if p.when == "debug_pod"]
    if run["check_mode"]:
        return Obstacle("not_made", "nothing is created in check mode")
    if not shutil.which("kubectl"):
        return Obstacle("no_kubectl", "kubectl is not on the PATH of the Ansible controller")
    if nodes.get("items") is None:
        return Obstacle("not_made", f"the Nodes could not be read: {nodes.get('error') or 'the cluster was not asked'}")
    if missing:
        return Obstacle("not_made", f"this identity may not {in_words(missing, namespaces_of(expect))}")
    return None
