# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lists of the cluster in a node's evidence, and what smoke Pods ask of it."""

from __future__ import annotations

import typing as t
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Object = Mapping[str, t.Any]


def listed(kubernetes: Object, name: str) -> Sequence[Object] | None:
    """Return a list of _kube_lists.py; None when it could not be read or was not asked for."""
    answer = (kubernetes.get("objects") or {}).get(name) or {}
    items: Sequence[Object] | None = answer.get("items")
    return items


def named(objects: Sequence[Object], name: str) -> Object | None:
    """Return the object of that name."""
    return next((o for o in objects if (o.get("metadata") or {}).get("name") == name), None)


@dataclass(frozen=True)
class Asked:
    """What a smoke Pod asks for. ``by_claim``: through a ResourceClaim (DRA) and not by the resource's name.

    ``startup``: this run decides about the startup taint, so that its Pods tolerate it.
    """

    resource: str
    amount: int
    by_claim: bool
    device_class: str
    namespace: str
    runtime_class: str
    priority_class: str
    tolerate: tuple[str, ...]
    startup: bool

    def class_name(self, classes: Sequence[Object] | None) -> str:
        """Return the name of the RuntimeClass: ``auto`` is nvidia where there is one, else none."""
        if self.runtime_class != "auto":
            return self.runtime_class
        return "nvidia" if classes and named(classes, "nvidia") else ""


def read_asked(expect: Object) -> Asked:
    """Read what the run expects. Older evidence says less."""
    return Asked(
        resource=expect["resource"],
        amount=expect["smoke_gpus"],
        by_claim=expect.get("smoke_ask") == "dra",
        device_class=str(expect.get("smoke_device_class") or ""),
        namespace=str(expect.get("smoke_namespace") or "default"),
        runtime_class=str(expect.get("runtime_class") or ""),
        priority_class=str(expect.get("smoke_priority_class") or ""),
        tolerate=tuple(map(str, expect.get("tolerate") or ())),
        startup=(expect.get("startup_taint") or "ignore") != "ignore",
    )
