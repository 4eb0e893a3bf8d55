# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of installing begin with: a disposable cluster, and hosts of tests/evidence/install."""

from __future__ import annotations

import typing as t

import cases
import yaml

from ansible_collections.gpu.k8s.plugins.module_utils._install.wish import ClusterSeen, Wish

Tree = dict[str, t.Any]

_CLUSTER: Tree = yaml.safe_load((cases.FOLDER / "install/clusters/disposable.yml").read_text())
UID: str = _CLUSTER["uid"]

HOSTS: dict[str, Tree] = {
    p.stem: yaml.safe_load(p.read_text()) for p in sorted(cases.FOLDER.glob("install/hosts/*.yml"))
}


def cluster(**differs: t.Any) -> ClusterSeen:
    """Return the disposable cluster; lists that are given replace its own by name."""
    fields = ("taken", "context", "server", "uid")
    given = {name: _CLUSTER[name] for name in fields} | differs
    return ClusterSeen(**{**given, "lists": {**_CLUSTER["lists"], **differs.get("lists", {})}})


def wish(**differs: t.Any) -> Wish:
    """Return a wish for all components to which nothing is lacking."""
    given: Tree = {"way": "components", "components": ("driver", "toolkit", "device_plugin")}
    return Wish(**{**given, "disposable": True, "cluster_uid": UID, **differs})


def host(name: str, *, called: str = "node1", **records: Tree) -> Tree:
    """Return the evidence of a host of tests/evidence/install/hosts; ``records`` of its driver replace its own."""
    evidence = cases.evidence(HOSTS[name])
    for record, differs in records.items():
        evidence["driver"]["records"][record] |= differs
    evidence["host"] = called
    return evidence
