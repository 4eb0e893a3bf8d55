# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Taints and tolerations: what keeps Pods away from a Node, and which of it a smoke Pod may overlook."""

from __future__ import annotations

import re
import typing as t
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Object = Mapping[str, t.Any]

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")

STARTUP_TAINT = "gpu.k8s/unverified"
"""The key of the taint that a Node joins with and that a verification takes away."""

# Taints that say that something is wrong with the Node. A Pod that tolerates them proves nothing.
_TROUBLE = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
# Of Nodes that are on their way out: cluster-autoscaler's, Karpenter's, the cloud's, the administrator's.
_LEAVING = (
    "ToBeDeletedByClusterAutoscaler",
    "karpenter.sh/disrupted",
    "karpenter.sh/disruption",
    "node.cloudprovider.kubernetes.io/shutdown",
    "node.kubernetes.io/out-of-service",
)
# Of Nodes that are not ready for Pods yet; what sets them takes them away. Many add-ons use "agent-not-ready".
_ARRIVING = re.compile(
    r"^(node\.cloudprovider\.kubernetes\.io/uninitialized|karpenter\.sh/unregistered|.*/agent-not-ready|"
    r"ignore-taint\.cluster-autoscaler\.kubernetes\.io/.*|startup-taint\.cluster-autoscaler\.kubernetes\.io/.*)$"
)
_TOLERATION = re.compile(
    r"^(?P<key>(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)"
    r"(?:=(?P<value>[-A-Za-z0-9_.]*))?(?::(?P<effect>[A-Za-z]+))?$"
)


@dataclass(frozen=True)
class Taint:
    """A taint as the API has it. Written as kubectl writes it."""

    key: str
    value: str
    effect: str

    def __str__(self) -> str:
        return f"{self.key}{'=' + self.value if self.value else ''}:{self.effect}"

    @property
    def repels(self) -> bool:
        """Whether it keeps Pods away, and not only when there is a better Node."""
        return self.effect != "PreferNoSchedule"

    @property
    def of_startup(self) -> bool:
        return self.key == STARTUP_TAINT

    @property
    def leaving(self) -> bool:
        return self.key.startswith(_LEAVING)

    @property
    def arriving(self) -> bool:
        return _ARRIVING.match(self.key) is not None

    @property
    def of_trouble(self) -> bool:
        return self.key.startswith(_TROUBLE) or self.leaving or self.arriving


def read_taints(node: Object) -> list[Taint]:
    """Read the taints of a Node object."""
    return [
        Taint(str(taint.get("key") or ""), str(taint.get("value") or ""), str(taint.get("effect") or ""))
        for taint in (node.get("spec") or {}).get("taints") or ()
    ]


def parse_toleration(text: str) -> dict[str, str]:
    """Return the toleration that ``key``, ``key=value``, ``key:Effect`` or ``key=value:Effect`` stands for.

    Raises ValueError with the reason.
    """
    match = _TOLERATION.match(text)
    if not match:
        raise ValueError("it is not written as key, key=value, key:Effect or key=value:Effect")
    key, value, effect = match["key"], match["value"], match["effect"]
    if effect and effect not in EFFECTS:
        raise ValueError(f"{effect} is no effect of a taint ({', '.join(EFFECTS)})")
    if key == STARTUP_TAINT:
        raise ValueError("it is this collection's own; set gpu_k8s_startup_taint, and the smoke Pods tolerate it")
    if Taint(key, "", "").of_trouble:
        raise ValueError("it says that something is wrong with the Node; a Pod that tolerates it proves nothing")
    toleration = {"key": key, "operator": "Exists"} if value is None else {"key": key, "operator": "Equal"}
    if value is not None:
        toleration["value"] = value
    return toleration | ({"effect": effect} if effect else {})


def check_tolerate(tolerate: Iterable[str]) -> list[str]:
    """Return what is wrong with the user's list, in words."""
    wrong = []
    for text in tolerate:
        try:
            parse_toleration(str(text))
        except ValueError as error:
            wrong.append(f"{text}: {error}")
    return wrong


def tolerates(toleration: Object, taint: Taint) -> bool:
    """Whether a toleration matches a taint. Source: Kubernetes documentation, "Taints and Tolerations"."""
    if toleration.get("effect") and toleration["effect"] != taint.effect:
        return False
    if toleration.get("key") and toleration["key"] != taint.key:
        return False
    if toleration.get("operator") == "Exists":
        return True
    return bool(toleration.get("key")) and str(toleration.get("value") or "") == taint.value


def tolerated(
    taints: Iterable[Taint], resource: str, architecture: str | None, tolerate: Sequence[str], startup: bool
) -> list[Taint]:
    """Return those of a Node's taints that a smoke Pod tolerates.

    They are those that GPU Nodes are known to have, those that the user's Pods tolerate, and with ``startup`` the
    startup taint, which this run takes away. Trouble is never tolerated.
    """
    wanted = []
    for text in tolerate:
        try:
            wanted.append(parse_toleration(text))
        except ValueError:  # the run does not begin with such a list; in saved evidence it tolerates nothing
            continue
    return [
        taint
        for taint in taints
        if taint.repels
        and not taint.of_trouble
        and (
            _of_gpus(taint, resource, architecture)
            or (startup and taint.of_startup)
            or any(tolerates(w, taint) for w in wanted)
        )
    ]


def _of_gpus(taint: Taint, resource: str, architecture: str | None) -> bool:
    """Taints that vendors put on GPU Nodes.

    nvidia.com/gpu with any value: GKE, OKE, NVIDIA's own manifests. A taint named like the resource is what the
    admission plugin ExtendedResourceToleration expects. sku=gpu: AKS. kubernetes.io/arch: GKE's Arm Nodes.
    """
    return (
        taint.key in ("nvidia.com/gpu", resource)
        or (taint.key, taint.value) == ("sku", "gpu")
        or (taint.key == "kubernetes.io/arch" and taint.value == architecture)
    )
