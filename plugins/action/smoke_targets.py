# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decide for which hosts a smoke Pod is worth trying, and what it must tolerate there."""

from __future__ import annotations

import typing as t

from ansible.utils.display import Display

from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.driver import read_driver
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.host import read_look
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.registered import cluster_read, evidence_of_all
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._smoke import left_over, reason_not_to_try, tolerations
from ansible_collections.gpu.k8s.plugins.module_utils._smoke_plan import (
    asked_of_one,
    how_many,
    newer_than_the_driver,
    pods_to_make,
)
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction
from ansible_collections.gpu.k8s.plugins.plugin_utils._journal import kept

Result = dict[str, t.Any]

display = Display()


class ActionModule(ControllerAction):
    """Comes after the lower layers."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {
                "run": {"type": "dict", "required": True},
                "runtime_class": {"default": "auto"},
                "claim_templates": {"type": "list", "elements": "dict", "default": []},
            }
        )
        hostvars = (task_vars or {})["hostvars"]
        cluster = cluster_read(hostvars["localhost"], args["run"]["started"]) or {"lists": {}}
        pods: list[Result] = []
        not_tried: dict[str, str] = {}
        for evidence in evidence_of_all(args["run"], hostvars, check_mode=False):
            reason = reason_not_to_try(evidence, judge_node(evidence))
            if reason:
                not_tried[evidence["host"]] = reason
            else:
                pods += pods_to_make(_target(evidence), args["run"]["id"], len(pods), how_many(evidence))
                _warn_of_the_image(evidence)
        targets = {
            "changed": False,
            "taken": utc_now(),
            "pods": pods,
            "not_tried": not_tried,
            "runtime_class": _runtime_class(args["runtime_class"], cluster["lists"]),
            "left_over": left_over((cluster["lists"].get("smoke_pods") or {}).get("items") or ()),
            "left_over_claims": left_over(args["claim_templates"]),
        }
        return kept(self, task_vars, targets)


def _target(evidence: Result) -> Result:
    node = evidence["kubernetes"]["node"]
    look = read_look(evidence.get("driver"))
    gpus = read_driver(look).gpus if look else None
    return {
        "host": evidence["host"],
        "node": node["metadata"]["name"],
        "hostname": node["metadata"]["labels"]["kubernetes.io/hostname"],
        "tolerations": tolerations(node, evidence["expect"]),
        "asked": asked_of_one(evidence["expect"]),
        "host_uuids": None if gpus is None else [gpu.uuid for gpu in gpus],
    }


def _warn_of_the_image(evidence: Result) -> None:
    """Before anything is created: an image that this driver is too old for may fail for that alone."""
    look = read_look(evidence.get("driver"))
    driver = read_driver(look).module_version if look else None
    for image in (evidence["expect"].get("image"), evidence["expect"].get("smoke_cuda_image")):
        too_new = newer_than_the_driver(image or "", driver)
        if too_new:
            display.warning(f"{evidence['host']}: {image} is of CUDA {too_new[0]}, the driver is {driver}.")


def _runtime_class(wanted: str, lists: Result) -> str:
    """``auto`` is the RuntimeClass nvidia where there is one; with CDI in the runtime none is needed."""
    if wanted != "auto":
        return wanted
    classes = (lists.get("runtime_classes") or {}).get("items") or ()
    return "nvidia" if any(c["metadata"]["name"] == "nvidia" for c in classes) else ""
