# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Follow debug Pods until each runs, or can't, and say how each host is entered."""

from __future__ import annotations

import time
import typing as t
from pathlib import Path

from ansible.utils.display import Display

from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._debug_pod import (
    Obstacle,
    has_come_to_something,
    not_created,
    not_opened,
)
from ansible_collections.gpu.k8s.plugins.module_utils._follow import Follower
from ansible_collections.gpu.k8s.plugins.module_utils._kube import MISSING, ApiError, Cluster
from ansible_collections.gpu.k8s.plugins.module_utils._kube_args import KUBE_ARGS
from ansible_collections.gpu.k8s.plugins.module_utils._smoke_evidence import creation_errors
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
                "not_made": {"type": "dict", "default": {}},
                "created": {"type": "dict", "default": {}},
                "timeout": {"type": "float", "default": 60.0},
                "grace": {"type": "float", "default": 10.0},
            }
        )
        need_library(MISSING)
        obstacles = _obstacles(args)
        by_host = {host: {"pod": None, "error": error} for host, error in args["not_made"].items()}
        for pod in args["pods"]:
            obstacle = obstacles[pod["name"]]
            by_host[pod["host"]] = {"pod": pod["name"], "error": obstacle.as_error() if obstacle else None}
        opened = {
            "changed": False,
            "taken": utc_now(),
            "run_id": args["run_id"],
            "kubeconfig": str(Path(args["kubeconfig"]).expanduser().absolute()),
            "context": args["context"],
            "namespace": args["namespace"],
            "hosts": by_host,
        }
        return kept(self, task_vars, opened)


def _obstacles(args: Result) -> dict[str, Obstacle | None]:
    """Return for each Pod why it can't be used, None if it can."""
    names = [pod["name"] for pod in args["pods"]]
    obstacles: dict[str, Obstacle | None] = {
        name: not_created(text, args["namespace"]) for name, text in creation_errors(args["created"], names).items()
    }
    nodes = {pod["name"]: pod["hostname"] for pod in args["pods"] if pod["name"] not in obstacles}
    if not nodes:
        return obstacles
    began = time.monotonic()
    try:
        cluster = Cluster(args["kubeconfig"], args["context"], args["request_timeout"])
        follower = Follower(
            cluster,
            args["namespace"],
            f"gpu.k8s/run={args['run_id']},app.kubernetes.io/component=debug",
            tell=display.display,
            done=has_come_to_something,
            what="debug Pods",
        )
        seen = follower.follow(nodes, args["timeout"], args["grace"])
    except ApiError as error:
        return obstacles | dict.fromkeys(nodes, Obstacle("not_started", f"it could not be followed: {error}"))
    waited = time.monotonic() - began
    for name, hostname in nodes.items():
        pod = None if name in follower.gone else seen.get(name)
        if pod is None and follower.error:
            obstacles[name] = Obstacle("not_started", f"it could not be followed: {follower.error}")
        else:
            obstacles[name] = not_opened(pod, follower.nodes.get(hostname), waited)
    opened = sum(1 for obstacle in obstacles.values() if obstacle is None)
    display.display(f"debug Pods: {opened} of {len(names)} run after {waited:.1f} s")
    return obstacles
