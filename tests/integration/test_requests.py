# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run asks of the API server, counted by the server itself: as much for 300 Nodes as for three."""

from __future__ import annotations

import json
import typing as t
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conftest import Playbook, Run

FOLLOWING = {("list", "pods"), ("watch", "pods"), ("get", "pods/log"), ("list", "events")}


def counted(run: Run) -> Counter[tuple[str, str]]:
    """Count the requests of the modules by verb and resource."""
    assert run.exit_status == 0, run.output
    requests: Counter[tuple[str, str]] = Counter()
    for event in run.own_requests():
        about = event.get("objectRef") or {}
        resource = "/".join(filter(None, (about.get("resource"), about.get("subresource"))))
        requests[event["verb"], resource or event["requestURI"]] += 1
    return requests


@contextmanager
def plain_nodes(kubectl: t.Callable[..., str], tmp_path: Path) -> Iterator[None]:
    """Three hundred Nodes that are nothing but objects."""
    nodes = [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"plain{n:03}", "labels": {"lab/plain": "true"}}}
        for n in range(300)
    ]
    file = tmp_path / "nodes.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": nodes}))
    try:
        kubectl("create", "--filename", str(file))
        yield
    finally:
        kubectl("delete", "nodes", "--selector", "lab/plain", "--wait=false")


def test_requests_do_not_grow_with_nodes(
    healthy: Run, play: Playbook, kubectl: t.Callable[..., str], tmp_path: Path
) -> None:
    """Following the Pods asks as often as its watch ends, which is a matter of time; all else is equal."""
    with_three = counted(healthy)
    with plain_nodes(kubectl, tmp_path):
        with_many = counted(play())
    print(f"with 3 Nodes: {with_three.total()} requests, with 303: {with_many.total()}")
    print(dict(with_three))
    assert with_three["list", "nodes"] > 0
    assert with_three["create", "pods"] >= 6
    assert {key: n for key, n in with_many.items() if key not in FOLLOWING} == {
        key: n for key, n in with_three.items() if key not in FOLLOWING
    }
    assert abs(with_many.total() - with_three.total()) <= 6
