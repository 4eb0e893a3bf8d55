# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The classes that smoke Pods name: RuntimeClass and PriorityClass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .._catalogue import found
from .._chain import Finding
from .._evidence.kubernetes import NodeFacts
from .._evidence.kubernetes_objects import Asked, Object, named

_RUNTIME = "kubernetes.objects.runtime_classes"
_PRIORITY = "kubernetes.objects.priority_classes"


def runtime_class_serves(node: NodeFacts, asked: Asked, classes: Sequence[Object] | None) -> Iterator[Finding]:
    """The RuntimeClass is there, this Node's runtime has its handler, and it lets Pods come to this Node."""
    name = asked.class_name(classes)
    if not name or classes is None:
        return
    runtime_class = named(classes, name)
    if runtime_class is None:
        yield found("SCH015", _RUNTIME, what=f"There is no RuntimeClass {name}.")
        return
    handler = str(runtime_class.get("handler") or "")
    if node.runtime_handlers is not None and handler and handler not in node.runtime_handlers:
        has = ", ".join(h for h in node.runtime_handlers if h) or "none"
        pointer = "kubernetes.node.status.runtimeHandlers"
        yield found("SCH016", pointer, _RUNTIME, name=name, handler=handler, node=node.name, has=has)
    selector = (runtime_class.get("scheduling") or {}).get("nodeSelector") or {}
    lacking = [f"{key}={value}" for key, value in selector.items() if node.labels.get(key) != value]
    if lacking:
        yield found("SCH017", _RUNTIME, name=name, node=node.name, lacking=", ".join(lacking))


def priority_class_serves(asked: Asked, classes: Sequence[Object] | None) -> Iterator[Finding]:
    """The PriorityClass is there, and does not let a smoke Pod push out other Pods."""
    if not asked.priority_class or classes is None:
        return
    priority_class = named(classes, asked.priority_class)
    if priority_class is None:
        yield found("SCH018", _PRIORITY, what=f"There is no PriorityClass {asked.priority_class}.")
    elif int(priority_class.get("value") or 0) > 0 and priority_class.get("preemptionPolicy") != "Never":
        yield found("SCH019", _PRIORITY, name=asked.priority_class, value=priority_class["value"])
