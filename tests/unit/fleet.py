# SPDX-License-Identifier: GPL-3.0-or-later
"""A verdict document to show reports of: nodes of the cases under the names of a fleet."""

from __future__ import annotations

import json
import re
import typing as t
from collections.abc import Mapping

from cases import base, cases, evidence

from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._render.document import Document, document

HEALTHY = "healthy-h100"
NODES: Mapping[str, str] = {
    "gpu-01": HEALTHY,
    "gpu-02": "driver/library_newer_than_module",
    "gpu-03": "scheduler/busy",
}
RUN = {
    "id": "5d0cbe45",
    "started": "2026-03-02T08:15:04.120000+00:00",
    "finished": "2026-03-02T08:15:23.640000+00:00",
    "pattern": "gpu_nodes",
    "by": "ops@admin-1",
    "versions": {"gpu.k8s": "0.1.0", "ansible-core": "2.19.14", "kubernetes": "37.0.2"},
    "check_mode": False,
    "ended_early": None,
    "chosen": ["driver", "toolkit", "device_plugin", "scheduler", "smoke_pod"],
}
CLUSTER = {
    "context": "training-1",
    "server": "https://192.0.2.10:6443",
    "version": "v1.37.2",
    "uid": "0f3c9a4e-6a51-4c1b-9a0e-2f6d5c1b7e42",
    "identity": "admin",
    "error": None,
    "nodes_without_host": [],
    "missing_permissions": [],
}


def fleet(nodes: Mapping[str, str] | None = None, **run: t.Any) -> Document:
    """Return the document of these hosts, each with the evidence of its case. ``run`` replaces what the run says."""
    nodes = NODES if nodes is None else nodes
    trees = [_evidence(case, host) for host, case in nodes.items()]
    about = RUN | {"hosts": list(nodes)} | run
    return document(about, CLUSTER, trees, [judge_node(tree) for tree in trees])


def _evidence(case: str, host: str) -> dict[str, t.Any]:
    """The evidence of a case, all of whose nodes are called node1, as that of ``host``."""
    tree = base(case) if case == HEALTHY else evidence(cases()[case])
    renamed: dict[str, t.Any] = json.loads(re.sub(r"\bnode1\b", host, json.dumps(tree)))
    return renamed | {"host": host}
