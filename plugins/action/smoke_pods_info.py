# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Follow smoke Pods to their end, show what they wait for, and read what they left."""

from __future__ import annotations

import time
import typing as t
from collections.abc import Mapping

from ansible.utils.display import Display

from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._follow import Follower, read_remains
from ansible_collections.gpu.k8s.plugins.module_utils._judge.smoke_pod_end import deserves_another_try
from ansible_collections.gpu.k8s.plugins.module_utils._kube import MISSING, ApiError, Cluster
from ansible_collections.gpu.k8s.plugins.module_utils._kube_args import KUBE_ARGS
from ansible_collections.gpu.k8s.plugins.module_utils._smoke_evidence import creation_errors, evidence_by_host
from ansible_collections.gpu.k8s.plugins.module_utils._smoke_plan import once_more, with_its_equals
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction, need_library
from ansible_collections.gpu.k8s.plugins.plugin_utils._journal import kept

Result = dict[str, t.Any]

display = Display()


class ActionModule(ControllerAction):
    """Comes after the Pods were created. On the controller, so that it can be seen what it waits for."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {
                **KUBE_ARGS,
                "namespace": {"type": "str", "required": True},
                "run_id": {"type": "str", "required": True},
                "pods": {"type": "list", "elements": "dict", "required": True},
                "refused": {"type": "str", "default": ""},
                "created": {"type": "dict", "default": {}},
                "earlier": {"type": "list", "elements": "dict", "default": []},
                "timeout": {"type": "float", "default": 120.0},
                "grace": {"type": "float", "default": 20.0},
                "log_bytes": {"type": "int", "default": 65536},
            }
        )
        need_library(MISSING)
        names = [pod["name"] for pod in args["pods"]]
        errors = {} if args["refused"] else creation_errors(args["created"], names)
        began = time.monotonic()
        remains = {} if args["refused"] else _follow(args, errors)
        waited = round(time.monotonic() - began, 1)
        of_all = {"namespace": args["namespace"], "seconds": waited, "dry_run_error": args["refused"] or None}
        seen = {name: {**of_all, "create_error": errors.get(name), **remains.get(name, {})} for name in names}
        again = [] if args["earlier"] else [pod for pod in args["pods"] if deserves_another_try(seen[pod["name"]])]
        followed = {
            "changed": False,
            "taken": utc_now(),
            "evidence": evidence_by_host(args["pods"], seen, args["earlier"]),
            "again": [once_more(pod) for pod in with_its_equals(again, args["pods"])],
            "waited": waited,
        }
        return kept(self, task_vars, followed)


def _follow(args: Result, errors: Mapping[str, str]) -> Result:
    """Return what is left of each Pod that was created. What the API refuses is said of those that were not seen."""
    hostnames = {pod["name"]: pod["hostname"] for pod in args["pods"] if pod["name"] not in errors}
    began = time.monotonic()
    remains: Result = {}
    unseen: str | None = None
    try:
        cluster = Cluster(args["kubeconfig"], args["context"], args["request_timeout"])
        follower = Follower(cluster, args["namespace"], f"gpu.k8s/run={args['run_id']}", tell=display.display)
        pods = follower.follow(hostnames, args["timeout"], args["grace"])
        unseen = follower.error
        remains = read_remains(cluster, pods, args["log_bytes"])
        for name, left in remains.items():
            left["deleted"] = name in follower.gone
            left["node_ready"] = follower.nodes.get(hostnames[name])
    except ApiError as error:
        unseen = str(error)
    display.display(_last_line(remains, hostnames, time.monotonic() - began))
    return {name: remains.get(name, {"create_error": unseen}) for name in hostnames}


def _last_line(remains: Result, hostnames: Mapping[str, str], seconds: float) -> str:
    return f"smoke Pods: {len(remains)} of {len(hostnames)} seen to their end or given up after {seconds:.1f} s"
