# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether it is worth while to read a Node's taints again, since the controllers have not caught up with it yet."""

from __future__ import annotations

import typing as t
from collections.abc import Mapping

from .._evidence.device_plugin import RECENT
from .._evidence.device_plugin_workload import seconds_of
from .._evidence.kubernetes import read_node
from .scheduler_node import lags_behind


def has_stale_taints(evidence: Mapping[str, t.Any]) -> bool:
    """Whether the Node became Ready a moment ago and still has a taint of the time before.

    The taints that keep running Pods away are taken off by a queue, some seconds after the condition has changed.
    """
    kubernetes = evidence.get("kubernetes") or {}
    if not kubernetes.get("node"):
        return False
    node = read_node(kubernetes["node"], evidence["expect"]["resource"])
    ready, now = node.condition("Ready"), seconds_of(kubernetes.get("read_at"))
    since = seconds_of(ready.since) if ready and ready.status == "True" else None
    if since is None or now is None or abs(now - since) >= RECENT:
        return False
    return any(lags_behind(node, taint) for taint in node.taints)
