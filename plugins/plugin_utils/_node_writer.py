# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write to Nodes what a verification wishes for them, many at a time. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from ansible_collections.gpu.k8s.plugins.module_utils._kube import ApiError, Cluster
from ansible_collections.gpu.k8s.plugins.module_utils._startup_taint import (
    Outcome,
    Wish,
    has_taint,
    is_done,
    outcome,
    patch_for,
    why_another,
)

_WRITERS = 8
"""Nodes that are written at once."""

_ATTEMPTS = 5
"""How often a Node that others write to is read anew."""

_CHANGED_MEANWHILE = (409, 422)
"""A conflict, and a test of the patch that failed. Admission refuses with 422 as well: it does so each time."""


class NodeWriter:
    """Knows whether the API is away: then the other Nodes need not wait for that to be found out again."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._away: str | None = None

    def write(self, wishes: Mapping[str, Wish]) -> dict[str, Outcome]:
        """Return what became of each host's wish. None of them is to be left alone."""
        with ThreadPoolExecutor(_WRITERS) as writers:
            return dict(zip(wishes, writers.map(self._write_one, wishes.values()), strict=True))

    def _write_one(self, wish: Wish) -> Outcome:
        refused = lost = ""
        had_it: bool | None = None
        has_it = False
        for _attempt in range(_ATTEMPTS):
            if self._away:
                return outcome(wish, error=lost or refused or self._away)
            try:
                node = self._cluster.get(self._cluster.core.read_node, wish.node)
            except ApiError as problem:
                self._away = str(problem) if problem.status is None else self._away
                return outcome(wish, error=lost or refused or str(problem))
            another = why_another(node, wish)
            if another:
                return outcome(wish, error=another)
            has_it = has_taint(node)
            had_it = has_it if had_it is None else had_it
            if is_done(node, wish):
                return outcome(wish, has_it, changed=has_it != had_it)
            if lost:  # it may still be carried out
                return outcome(wish, error=lost)
            try:
                written = self._cluster.get(self._cluster.core.patch_node, wish.node, body=patch_for(node, wish))
            except ApiError as problem:
                if problem.status is None:
                    lost = str(problem)
                    continue
                refused = str(problem)
                if problem.status not in _CHANGED_MEANWHILE:
                    break
            else:
                return outcome(wish, has_taint(written), changed=has_taint(written) != had_it)
        return outcome(wish, has_it, error=refused)
