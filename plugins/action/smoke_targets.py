# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decide for which hosts a smoke Pod is worth trying, and what it must tolerate there."""

from __future__ import annotations

import secrets
import typing as t

from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.driver import read_driver
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.host import read_look
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.registered import cluster_read, evidence_of_all
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._smoke import left_over, reason_not_to_try, tolerations
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction

Result = dict[str, t.Any]


class ActionModule(ControllerAction):
    """Comes after the lower layers."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {
                "run": {"type": "dict", "required": True},
                "runtime_class": {"default": "auto"},
            }
        )
        hostvars = (task_vars or {})["hostvars"]
        cluster = cluster_read(hostvars["localhost"], args["run"]["started"]) or {"lists": {}}
        targets: list[Result] = []
        not_tried: dict[str, str] = {}
        for evidence in evidence_of_all(args["run"], hostvars, check_mode=False):
            reason = reason_not_to_try(evidence, judge_node(evidence))
            if reason:
                not_tried[evidence["host"]] = reason
            else:
                targets.append(_target(evidence, args["run"]["id"], len(targets)))
        return {
            "changed": False,
            "taken": utc_now(),
            "targets": targets,
            "not_tried": not_tried,
            "runtime_class": _runtime_class(args["runtime_class"], cluster["lists"]),
            "left_over": left_over((cluster["lists"].get("smoke_pods") or {}).get("items") or ()),
        }


def _target(evidence: Result, run_id: str, number: int) -> Result:
    node = evidence["kubernetes"]["node"]
    look = read_look(evidence.get("driver"))
    gpus = read_driver(look).gpus if look else None
    return {
        "host": evidence["host"],
        "node": node["metadata"]["name"],
        "hostname": node["metadata"]["labels"]["kubernetes.io/hostname"],
        "tolerations": tolerations(node["spec"].get("taints") or ()),
        "asked": evidence["expect"]["smoke_gpus"],
        "host_uuids": None if gpus is None else [gpu.uuid for gpu in gpus],
        "smoke": {"name": f"gpu-k8s-smoke-{run_id}-{number}", "nonce": secrets.token_hex(8)},
        "control": {"name": f"gpu-k8s-control-{run_id}-{number}", "nonce": secrets.token_hex(8)},
    }


def _runtime_class(wanted: str, lists: Result) -> str:
    """``auto`` is the RuntimeClass nvidia where there is one; with CDI in the runtime none is needed."""
    if wanted != "auto":
        return wanted
    classes = (lists.get("runtime_classes") or {}).get("items") or ()
    return "nvidia" if any(c["metadata"]["name"] == "nvidia" for c in classes) else ""
