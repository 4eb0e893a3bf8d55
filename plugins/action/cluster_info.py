# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read what the judge needs from a Kubernetes cluster."""

from __future__ import annotations

import typing as t
from pathlib import Path

from ansible_collections.gpu.k8s.plugins.module_utils._cluster import MISSING, answer
from ansible_collections.gpu.k8s.plugins.module_utils._kube_args import KUBE_ARGS
from ansible_collections.gpu.k8s.plugins.module_utils._kube_lists import LISTS
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import (
    ControllerAction,
    bad_input,
    need_library,
)
from ansible_collections.gpu.k8s.plugins.plugin_utils._journal import kept

Result = dict[str, t.Any]

READ = {"type": "list", "elements": "str", "choices": list(LISTS), "default": []}

_NO_CONTEXT = (
    "gpu_k8s_context is not set. Name the kubeconfig context of the cluster to verify (`kubectl config get-contexts`"
    " lists them); the current context is never used. It must be set for localhost: in group_vars/all.yml or with -e."
    " Without a cluster, look at host layers alone: --tags driver,toolkit"
)


class ActionModule(ControllerAction):
    """On the controller itself: to start a Python for each answer would take longer than the answer."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {
                **KUBE_ARGS,
                "read": READ,
                "namespace": {"default": "default"},
                "review_for": {"type": "dict"},
                "after": {"type": "dict"},
                "run": {"type": "dict"},
                "cluster_uid": {"default": ""},
            }
        )
        need_library(MISSING)
        if not args["context"] and args["run"]:
            return bad_input(Path(args["run"]["report_folder"]), _NO_CONTEXT)
        read = answer(args)
        if read.get("refused") and args["run"]:
            return bad_input(Path(args["run"]["report_folder"]), read["refused"])
        return kept(self, task_vars, {"changed": False, **read})
