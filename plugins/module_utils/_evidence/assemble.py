# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Put together the evidence of each node out of what the layers left behind."""

from __future__ import annotations

import typing as t
from collections.abc import Mapping, Sequence

from . import SCHEMA
from .driver import read_driver
from .host import read_look
from .kubernetes import find_node

Lookup = Mapping[str, t.Any]

_BY_NODE = ("nodes", "pods", "smoke_pods")


def assemble(
    host: str,
    names: Sequence[str],
    run: Lookup,
    looks: Lookup,
    cluster: Lookup | None,
    pods: Lookup | None = None,
) -> dict[str, t.Any]:
    """Return the evidence of one host, as the package's docstring lays it out.

    ``names``: what the Node may be called: the user's word for it, the inventory name, its address.
    ``run``: ``chosen``, ``check_mode`` and ``expect``. ``looks``: the host's looks by layer.
    ``cluster``: the answer of cluster_info, None when it was not asked.
    ``pods``: what became of this host's Pods: ``{smoke_pod, control_pod}``.
    """
    return {
        "schema": SCHEMA,
        "host": host,
        "node_name": names[0],
        "chosen": list(run["chosen"]),
        "check_mode": run["check_mode"],
        "expect": dict(run["expect"]),
        **{layer: looks.get(layer) for layer in ("driver", "toolkit", "device_plugin")},
        "kubernetes": None if cluster is None else _of_the_cluster(names, looks, cluster),
        "smoke_pod": (pods or {}).get("smoke_pod"),
        "smoke_pods_more": (pods or {}).get("smoke_pods_more") or [],
        "control_pod": (pods or {}).get("control_pod"),
    }


def _of_the_cluster(names: Sequence[str], looks: Lookup, cluster: Lookup) -> dict[str, t.Any]:
    lists = cluster.get("lists") or {}
    nodes, pods = lists.get("nodes") or {}, lists.get("pods") or {}
    look = read_look(looks.get("driver"))
    machine_id = read_driver(look).machine_id if look else None
    node = find_node(nodes.get("items") or (), names, machine_id)
    return {
        "error": cluster.get("error"),
        "error_kind": cluster.get("error_kind"),
        "identity": cluster.get("identity"),
        "access": cluster.get("access"),
        "read_at": cluster.get("read_at"),
        "node": node,
        "node_error": nodes.get("error"),
        "pods": None if node is None or pods.get("items") is None else _on(node, pods["items"]),
        "pods_error": pods.get("error"),
        "objects": {name: _about(node, name, listed) for name, listed in lists.items() if name not in _BY_NODE},
    }


def _about(node: Lookup | None, name: str, listed: Lookup) -> Lookup:
    """What all nodes share is in each node's evidence, so that it can be judged alone; slices are a node's own."""
    if name != "resource_slices" or listed.get("items") is None:
        return listed
    own = [item for item in listed["items"] if node and item["spec"].get("nodeName") == node["metadata"]["name"]]
    return {**listed, "items": own}


def _on(node: Lookup, pods: Sequence[Lookup]) -> list[Lookup]:
    name = node["metadata"]["name"]
    return [pod for pod in pods if (pod.get("spec") or {}).get("nodeName") == name]


def tell_who_shares_a_node(evidence: Sequence[dict[str, t.Any]]) -> None:
    """Write into each evidence which hosts of the run stand for its Node. There should be one."""
    hosts: dict[str, list[str]] = {}
    for one in evidence:
        name = node_name_of(one)
        if name is not None:
            hosts.setdefault(name, []).append(one["host"])
    for one in evidence:
        name = node_name_of(one)
        if name is not None:
            one["kubernetes"]["hosts"] = hosts[name]


def node_name_of(evidence: Lookup) -> str | None:
    """Return the name of the Node that the host was found to be, if any."""
    node = (evidence.get("kubernetes") or {}).get("node")
    return node["metadata"]["name"] if node else None
