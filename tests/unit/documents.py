# SPDX-License-Identifier: GPL-3.0-or-later
"""Verdict documents for the tests of reports, made of cases and bases as a run makes them."""

from __future__ import annotations

import functools
import json
import typing as t

from cases import BASES, Tree, base, cases, evidence
from fleet import CLUSTER, RUN

from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._render.document import document


def told(nodes: t.Sequence[Tree], run: Tree | None = None, cluster: Tree | None = None) -> Tree:
    """Return the document of these nodes' evidence. ``run`` and ``cluster`` are what differs there."""
    hosts = {"hosts": [node["host"] for node in nodes]}
    verdicts = [judge_node(node) for node in nodes]
    made = document(RUN | hosts | (run or {}), CLUSTER | (cluster or {}), nodes, verdicts)
    return t.cast(Tree, json.loads(json.dumps(made)))  # as it is written and read


def of_case(name: str, host: str) -> Tree:
    """Return the evidence of a case, or of a base, under another host name."""
    return (base(name) if name in BASES else evidence(cases()[name])) | {"host": host}


@functools.cache
def of_bases() -> Tree:
    return told([of_case(name, f"gpu-{number}") for number, name in enumerate(BASES)])


@functools.cache
def every_document() -> Tree:
    """Return one document of all cases and bases: whatever can be told is told in it."""
    return told([of_case(name, name.replace("/", "-")) for name in (*BASES, *cases())])
