# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether installing is consented to: by the user's own words, by the cluster, and by what is there already."""

from __future__ import annotations

from collections.abc import Iterator

from .presence import Ground
from .signs import found_signs
from .wish import ClusterSeen, Component, Refusal, Wish

_UID = "gpu_k8s_cluster_uid is the UID of the Namespace kube-system of the cluster that is meant"


def consent(wish: Wish, cluster: ClusterSeen) -> Iterator[Refusal]:
    """What the user did not say, and what the cluster says against it."""
    if wish.way not in ("components", "operator"):
        yield Refusal("the way", "gpu_k8s_install_way is not set", "it says how to install: components or operator")
    elif wish.way == "components" and not wish.components:
        yield Refusal(
            "the components",
            "gpu_k8s_install_components is empty",
            "it names which of driver, toolkit and device_plugin to install",
        )
    if not wish.disposable:
        yield Refusal(
            "the cluster", "nobody has said that it may be lost", "it may be, and gpu_k8s_install_disposable is true"
        )
    if wish.by_debug_pod:
        yield Refusal(
            "the way to the hosts",
            f"gpu_k8s_host_access is debug_pod for {', '.join(wish.by_debug_pod)}",
            "it is ssh: a debug Pod is for verifying alone",
        )
    if cluster.error:
        yield Refusal("the cluster", cluster.error.rstrip("."), "it answers")
        return
    if not wish.cluster_uid:
        seen = f"; this one's is {cluster.uid}" if cluster.uid else ""
        yield Refusal("the cluster", f"gpu_k8s_cluster_uid is not set{seen}", _UID)
    elif cluster.uid != wish.cluster_uid:
        seen = f"its UID is {cluster.uid}" if cluster.uid else "its UID may not be read"
        yield Refusal("the cluster", f"{seen}, and gpu_k8s_cluster_uid={wish.cluster_uid}", _UID)
    for sign in found_signs(cluster):
        yield Refusal(
            f"a sign of production, {sign.name}", sign.seen, "nobody relies on this cluster; no variable overrides this"
        )


def no_other_operator(wish: Wish, cluster: ClusterSeen) -> Iterator[Refusal]:
    """No GPU Operator that may change Nodes beside us; one that we installed is no other, for the way that did it."""
    must_be = "the GPU Operator is not there; where it is, it installs what it is told to in its ClusterPolicy"
    policies, operators = cluster.listed("cluster_policies"), cluster.operators
    if policies is None:
        yield Refusal(
            "the GPU Operator", "whether it is there can't be told: its ClusterPolicies were not read", must_be
        )
    elif (policies or operators) and not (wish.way == "operator" and cluster.operator_is_ours):
        there = [f"Deployment {name}" for name in operators]
        there += [f"ClusterPolicy {policy['metadata']['name']}" for policy in policies]
        yield Refusal("the GPU Operator", f"it is there already ({', '.join(there)})", must_be)


def host_may_be_changed(ground: Ground) -> Iterator[Refusal]:
    """The host is the Node that it seems to be, and can be examined and changed."""
    yield from (Refusal(ground.host, saw, must_be) for saw, must_be in ground.obstacles)


def nobody_owns(ground: Ground, component: Component) -> Refusal | None:
    """Nobody else has the component in their hands. Who that may be is told by _judge/owner.py."""
    owner = ground.present[component].owner
    if owner.owner == "nobody":
        return None
    if owner.owner == "unknown":
        saw, must_be = "who owns it is not known", "it is known; gpu_k8s_owner says so where the cluster does not"
    else:
        saw = f"it belongs to {owner.owner}"
        must_be = f"it is nobody's. Mend it by the means of {owner.owner}; it is never replaced"
    return Refusal(_of(ground, component), f"{saw}: {owner.because}", must_be)


def nothing_is_replaced(ground: Ground, component: Component) -> Refusal | None:
    """What others installed is kept if it works, and is theirs to mend if it does not: there is never a second one."""
    present = ground.present[component]
    what = _of(ground, component)
    if present.state == "not known":
        return Refusal(what, f"whether one is there can't be told: {present.because}", "it is known that none is there")
    if present.state in ("broken", "not judged") and not present.ours:
        return Refusal(
            what,
            f"one is there that this collection did not install: {present.because}",
            "it works, or it is gone: mend or remove it by the means that it was installed with",
        )
    return None


def _of(ground: Ground, component: Component) -> str:
    return f"{ground.host}, {component.replace('_', ' ')}"
