# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the user wants, what is known of the cluster, and what a refusal is."""

from __future__ import annotations

import typing as t
from collections.abc import Mapping
from dataclasses import dataclass, field

Object = Mapping[str, t.Any]
Component = t.Literal["driver", "toolkit", "device_plugin"]

COMPONENTS: tuple[Component, ...] = ("driver", "toolkit", "device_plugin")
"""What can be installed, lowest first. They are called as the layers that they make work."""

MARK = "gpu.k8s/installed-by"
"""The label of a Namespace that this collection made; its value is the run."""


@dataclass(frozen=True)
class Wish:
    """The user's variables ``gpu_k8s_install_*``. ``way`` is ``components``, ``operator``, or empty when not set.

    ``by_debug_pod``: the hosts that are to be reached by a debug Pod.
    """

    way: str = ""
    components: tuple[str, ...] = ()
    disposable: bool = False
    cluster_uid: str = ""
    driver_module: str = "auto"
    driver_packages: tuple[str, ...] = ()
    by_debug_pod: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClusterSeen:
    """What is known of the cluster. ``lists`` are those of _kube_lists.py by name, ``{items, error}`` each.

    ``nodes_without_host``: the GPU Nodes that no host of the run stands for; None when the Nodes were not read.
    """

    context: str = ""
    server: str = ""
    uid: str | None = None
    error: str | None = None
    taken: str = ""
    lists: Mapping[str, Object] = field(default_factory=dict)
    nodes_without_host: tuple[str, ...] | None = ()

    def listed(self, name: str) -> list[Object] | None:
        """Return a list; None when it was not read."""
        items: list[Object] | None = (self.lists.get(name) or {}).get("items")
        return items

    @property
    def our_namespaces(self) -> frozenset[str]:
        """The Namespaces that this collection made, by their mark."""
        named = self.listed("namespaces") or ()
        return frozenset(n["metadata"]["name"] for n in named if MARK in (n["metadata"].get("labels") or {}))

    @property
    def operators(self) -> list[str]:
        """The GPU Operators of the cluster, as ``namespace/name`` of their Deployments."""
        listed = [d["metadata"] for d in self.listed("deployments") or ()]
        return [f"{d.get('namespace')}/{d['name']}" for d in listed if d["name"] == "gpu-operator"]

    @property
    def operator_is_ours(self) -> bool:
        """Whether there is an operator, and each is in a Namespace that this collection made."""
        namespaces = {name.partition("/")[0] for name in self.operators}
        return bool(namespaces) and namespaces <= self.our_namespaces


@dataclass(frozen=True)
class Refusal:
    """Why nothing is installed: what it is about, what was seen, and what would have to be true."""

    what: str
    saw: str
    must_be: str

    def __str__(self) -> str:
        return f"{self.what}: {self.saw}. What would have to be true: {self.must_be}."
