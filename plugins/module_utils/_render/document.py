# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The verdict document: what report.json holds."""

from __future__ import annotations

import typing as t
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from .._chain import NodeVerdict, conclude_run
from .._judge.owner import Owner

SCHEMA = 1


def document(
    run: Mapping[str, t.Any],
    cluster: Mapping[str, t.Any],
    verdicts: Sequence[NodeVerdict],
    owners: Sequence[Mapping[str, Owner]] = (),
) -> dict[str, t.Any]:
    """Return the verdict document of all nodes.

    ``run``: ``id``, ``started``, ``chosen``, ``check_mode``.
    ``cluster``: ``context``, ``server``, ``version``, ``uid``, ``identity``, ``missing_permissions`` and
    ``nodes_without_host``. ``owners``: of each node's layers, in the order of the verdicts.
    """
    counts = Counter(verdict.conclusion for verdict in verdicts)
    return {
        "schema": SCHEMA,
        "run": dict(run),
        "cluster": dict(cluster),
        "conclusion": conclude_run(verdicts),
        "summary": {
            "nodes": len(verdicts),
            "usable": counts["usable"],
            "broken": counts["broken"],
            "not_proven": counts["not proven"],
        },
        "nodes": [_node(verdict, own) for verdict, own in zip(verdicts, owners or [{}] * len(verdicts), strict=True)],
    }


def _node(verdict: NodeVerdict, owners: Mapping[str, Owner]) -> dict[str, t.Any]:
    deciding = verdict.deciding
    return {
        "host": verdict.host,
        "node": verdict.node,
        "conclusion": verdict.conclusion,
        "first_broken_layer": verdict.first_broken_layer,
        "deciding": asdict(deciding) if deciding else None,
        "not_proven": list(verdict.not_proven),
        "owners": {layer: asdict(owner) for layer, owner in owners.items()},
        "checkpoints": [asdict(checkpoint) for checkpoint in verdict.checkpoints],
    }
