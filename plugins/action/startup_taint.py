# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Take the startup taint from the Nodes that are usable, put it on those that are broken, and write down why."""

from __future__ import annotations

import typing as t
from collections.abc import Mapping

from ansible.utils.display import Display

from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.registered import evidence_of_all
from ansible_collections.gpu.k8s.plugins.module_utils._kube import MISSING, ApiError, Cluster
from ansible_collections.gpu.k8s.plugins.module_utils._kube_args import KUBE_ARGS
from ansible_collections.gpu.k8s.plugins.module_utils._startup_taint import Outcome, Wish, in_words, outcome, wish_for
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction, need_library
from ansible_collections.gpu.k8s.plugins.plugin_utils._journal import kept
from ansible_collections.gpu.k8s.plugins.plugin_utils._node_writer import NodeWriter

Result = dict[str, t.Any]

display = Display()


class ActionModule(ControllerAction):
    """Comes after the smoke Pods. What the API refuses is an answer: the judge reads it."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec({**KUBE_ARGS, "run": {"type": "dict", "required": True}})
        need_library(MISSING)
        run, check_mode = args["run"], bool(self._task.check_mode)
        about = {"time": utc_now(), "run": run["id"], "collection": run["versions"]["gpu.k8s"]}
        all_evidence = evidence_of_all(run, (task_vars or {})["hostvars"], check_mode)
        wishes = {evidence["host"]: wish_for(evidence, about) for evidence in all_evidence}
        to_write = {} if check_mode else {host: wish for host, wish in wishes.items() if wish.wanted != "leave"}
        written = _write(args, to_write) if to_write else {}
        outcomes = {host: written.get(host) or outcome(wish) for host, wish in wishes.items()}
        display.display(in_words(outcomes, check_mode))
        changed = any(not one["error"] for one in written.values())
        return kept(self, task_vars, {"changed": changed, "taken": utc_now(), "outcomes": outcomes})


def _write(args: Result, wishes: Mapping[str, Wish]) -> dict[str, Outcome]:
    try:
        cluster = Cluster(args["kubeconfig"], args["context"], args["request_timeout"])
    except ApiError as error:
        return {host: outcome(wish, error=str(error)) for host, wish in wishes.items()}
    return NodeWriter(cluster).write(wishes)
