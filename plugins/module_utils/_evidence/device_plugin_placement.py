# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Why a DaemonSet makes no Pod for a Node, by the rules of the DaemonSet controller.

Source: Kubernetes documentation, "DaemonSet", "Assigning Pods to Nodes".
"""

from __future__ import annotations

import typing as t
from collections.abc import Iterator, Mapping, Sequence

from .kubernetes import NodeFacts
from .kubernetes_taints import Taint, tolerates

Object = Mapping[str, t.Any]

# What the controller adds to the Pods of every DaemonSet.
_ADDED: tuple[Object, ...] = (
    {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"},
    {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"},
    {"key": "node.kubernetes.io/disk-pressure", "operator": "Exists", "effect": "NoSchedule"},
    {"key": "node.kubernetes.io/memory-pressure", "operator": "Exists", "effect": "NoSchedule"},
    {"key": "node.kubernetes.io/pid-pressure", "operator": "Exists", "effect": "NoSchedule"},
    {"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"},
)


def taints_in_the_way(daemon_set: Object, node: NodeFacts) -> list[Taint]:
    """Return the Node's taints that the DaemonSet's Pods do not tolerate."""
    tolerations = (*(daemon_set["spec"].get("tolerations") or ()), *_ADDED)
    return [taint for taint in node.taints if taint.repels and not any(tolerates(one, taint) for one in tolerations)]


def labels_in_the_way(daemon_set: Object, node: NodeFacts) -> list[str]:
    """Return what the DaemonSet's Pods ask of a Node's labels and this Node does not have."""
    spec = daemon_set["spec"]
    missing = [
        f"{key}={value}" for key, value in (spec.get("nodeSelector") or {}).items() if node.labels.get(key) != value
    ]
    affinity = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    ) or {}
    unmet = [list(_unmet(term, node)) for term in affinity.get("nodeSelectorTerms") or ()]
    if unmet and all(unmet):  # one term that is met suffices
        missing.append(" or ".join(dict.fromkeys(" and ".join(term) for term in unmet)))
    return missing


def labels_asked_for(daemon_set: Object) -> set[str]:
    """The keys of the labels that the DaemonSet's node selector and affinity speak of."""
    spec = daemon_set["spec"]
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    ) or {}
    expressions = [e for term in required.get("nodeSelectorTerms") or () for e in term.get("matchExpressions") or ()]
    return {*(spec.get("nodeSelector") or {}), *(str(expression.get("key")) for expression in expressions)}


def _unmet(term: Object, node: NodeFacts) -> Iterator[str]:
    for expression in term.get("matchExpressions") or ():
        if not _met(expression, node.labels.get(expression.get("key"))):
            yield _words(expression)
    for expression in term.get("matchFields") or ():  # metadata.name is the only field that there is
        if not _met(expression, node.name):
            yield _words(expression)


def _met(expression: Object, value: str | None) -> bool:
    operator = expression.get("operator")
    values: Sequence[str] = expression.get("values") or ()
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value not in values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    try:
        number, bound = int(value or ""), int(values[0])
    except (ValueError, IndexError):
        return False
    return number > bound if operator == "Gt" else number < bound


def _words(expression: Object) -> str:
    key, operator = expression.get("key"), str(expression.get("operator"))
    values: Sequence[str] = expression.get("values") or ()
    if operator == "In" and len(values) == 1:
        return f"{key}={values[0]}"
    return f"{key} {operator}" + (f" ({', '.join(map(str, values))})" if values else "")
