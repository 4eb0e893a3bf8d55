# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find the run that came to no end, and where its Pods would be."""

from __future__ import annotations

import typing as t
from collections.abc import Iterator
from pathlib import Path

from ansible.errors import AnsibleActionFail

from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction
from ansible_collections.gpu.k8s.plugins.plugin_utils._journal import read_journal

Result = dict[str, t.Any]


class ActionModule(ControllerAction):
    """The first task of winding up."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec({"report_folder": {"type": "path", "required": True}})
        folder = Path(args["report_folder"]).expanduser().absolute()
        try:
            run, cluster, hostvars = read_journal(folder)
        except (OSError, ValueError) as error:
            raise AnsibleActionFail(
                f"There is no unfinished run in {folder} ({error}). Set gpu_k8s_report_folder to that of the run."
            ) from error
        return {
            "changed": False,
            "id": run["id"],
            "kubeconfig": cluster["kubeconfig"],
            "context": cluster["context"],
            "created": list(_created(run["expect"], hostvars["localhost"])),
        }


def _created(expect: Result, local: Result) -> Iterator[Result]:
    """What the templates of the roles smoke_pod and debug_pod made, with the label of the run."""
    pods = {"api_version": "v1", "kind": "Pod"}
    if (local.get("debug_pod_targets") or {}).get("pods"):
        yield {**pods, "namespace": expect["debug_namespace"]}
    if (local.get("smoke_pod_targets") or {}).get("pods"):
        there = {"namespace": expect["smoke_namespace"]}
        yield {**pods, **there}
        if expect["smoke_ask"] == "dra":
            yield {"api_version": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", **there}
