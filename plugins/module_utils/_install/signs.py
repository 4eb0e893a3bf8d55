# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signs that a cluster is in use by others, or in production: each with a name and how it is seen.

No sign can be overridden. What could not be read can't be ruled out, so it counts as a sign.
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from .._evidence.kubernetes_pods import effective_request, is_terminal
from .._kube_lists import MANAGED_BY
from .wish import ClusterSeen, Object

MANY_NODES = 20
OLD_DAYS = 30

_SHOWN = 3
"""How many of the same kind are named; the others are counted."""


@dataclass(frozen=True)
class Sign:
    """A sign that was found, by its name in SIGNS, and what was seen."""

    name: str
    seen: str


@dataclass(frozen=True)
class Rule:
    """``look`` says what of this sign is in the lists that it ``needs``; each text is one thing that was seen."""

    name: str
    meaning: str
    needs: tuple[str, ...]
    look: Callable[[ClusterSeen], Iterable[str]]


def found_signs(cluster: ClusterSeen) -> list[Sign]:
    """Return every sign of production that the cluster shows, or whose absence can't be told."""
    found = []
    for rule in SIGNS:
        unread = [name for name in rule.needs if cluster.listed(name) is None]
        seen = [_not_read(cluster, name) for name in unread] or list(dict.fromkeys(rule.look(cluster)))
        if seen:
            more = f" and {len(seen) - _SHOWN} more" if len(seen) > _SHOWN else ""
            found.append(Sign(rule.name, ", ".join(seen[:_SHOWN]) + more))
    return found


def _not_read(cluster: ClusterSeen, name: str) -> str:
    error = (cluster.lists.get(name) or {}).get("error") or "it was not asked for"
    return f"{name.replace('_', ' ')} could not be read, so it can't be ruled out ({error})"


# ---- words: a name or label says that others rely on the cluster

_WORDS = frozenset({"prod", "production", "prd", "live", "staging"})
_NEGATIONS = frozenset({"non", "not", "no", "pre"})
_FALSE = frozenset({"false", "no", "none", "off", "0"})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def says_production(text: str) -> bool:
    """Whether one of the words stands alone in it: ``eu-prod-1`` and ``ProdEU``, not ``nonprod`` or ``product``."""
    words = ["", *(word.lower() for word in _WORD.findall(text))]
    return any(word in _WORDS and before not in _NEGATIONS for before, word in itertools.pairwise(words))


def _named_so(cluster: ClusterSeen) -> Iterator[str]:
    for what, name in (("the context", cluster.context), ("the server", cluster.server)):
        if says_production(name):
            yield f"{what} is {name}"
    for kind, listed in (("Namespace", "namespaces"), ("Node", "nodes")):
        for one in cluster.listed(listed) or ():
            name = one["metadata"]["name"]
            if says_production(name):
                yield f"{kind} {name}"
            for key, value in (one["metadata"].get("labels") or {}).items():
                if value != name and _label_says_so(key, str(value)):
                    yield f"{kind} {name} has the label {key}={value}"


def _label_says_so(key: str, value: str) -> bool:
    return says_production(value) or (says_production(key) and value.lower() not in _FALSE)


# ---- what runs here

# Kubernetes' own, those of networks and volumes without which no cluster works, and those of the GPU components.
_SYSTEM = frozenset(
    {
        "kube-system",
        "kube-public",
        "kube-node-lease",
        "kube-flannel",
        "calico-system",
        "calico-apiserver",
        "tigera-operator",
        "local-path-storage",
        "gpu-operator",
        "gpu-operator-resources",
        "gpu-resources",
        "node-feature-discovery",
        "nvidia-device-plugin",
        "nvidia-dra-driver-gpu",
        "nvidia-gpu-operator",
    }
)


def _of_others(cluster: ClusterSeen, listed: str) -> Iterator[Object]:
    """The objects outside the system's Namespaces that this collection did not make."""
    for one in cluster.listed(listed) or ():
        metadata = one["metadata"]
        ours = MANAGED_BY.items() <= (metadata.get("labels") or {}).items()
        if not ours and metadata.get("namespace") not in _SYSTEM | cluster.our_namespaces:
            yield one


def _full_name(one: Object) -> str:
    return f"{one['metadata'].get('namespace')}/{one['metadata']['name']}"


_WORKLOADS = {
    "deployments": "Deployment",
    "stateful_sets": "StatefulSet",
    "all_daemon_sets": "DaemonSet",
    "cron_jobs": "CronJob",
}


def _workloads(cluster: ClusterSeen) -> Iterator[str]:
    for listed, kind in _WORKLOADS.items():
        yield from (f"{kind} {_full_name(one)}" for one in _of_others(cluster, listed))


def _pods(cluster: ClusterSeen) -> Iterator[str]:
    """Whatever made them: a Job, a workflow, a virtual machine."""
    yield from (f"Pod {_full_name(one)}" for one in _of_others(cluster, "all_pods"))


def _gpu_pods(cluster: ClusterSeen) -> Iterator[str]:
    for pod in cluster.listed("pods") or ():
        ours = MANAGED_BY.items() <= (pod["metadata"].get("labels") or {}).items()
        if not ours and not is_terminal(pod) and _holds_gpus(pod):
            yield f"Pod {_full_name(pod)}"


def _holds_gpus(pod: Object) -> bool:
    spec = pod.get("spec") or {}
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    names = {
        name
        for container in containers
        for asked in (container.get("resources") or {}).values()
        if isinstance(asked, dict)
        for name in asked
        if name.startswith("nvidia.com/")
    }
    return bool(spec.get("resourceClaims")) or any(effective_request(pod, name) for name in names)


def _load_balancers(cluster: ClusterSeen) -> Iterator[str]:
    for service in _of_others(cluster, "services"):
        if service["spec"].get("type") == "LoadBalancer":
            yield f"Service {_full_name(service)}"


def _volumes(cluster: ClusterSeen) -> Iterator[str]:
    for claim in _of_others(cluster, "persistent_volume_claims"):
        if (claim.get("status") or {}).get("phase") == "Bound":
            yield f"PersistentVolumeClaim {_full_name(claim)}"


# ---- what kind of cluster it is

_AUTOSCALED_LABELS = ("karpenter.sh/", "karpenter.k8s.aws/", "karpenter.azure.com/")
_AUTOSCALER_TAINTS = ("ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler", "karpenter.sh/")
_AUTOSCALERS = re.compile(r"(^|-)(cluster-autoscaler|karpenter)(-|$)")


def _autoscaled(cluster: ClusterSeen) -> Iterator[str]:
    """A new Node would lack what was installed, and an old one may go away in the middle."""
    for node in cluster.listed("nodes") or ():
        name, labels = node["metadata"]["name"], node["metadata"].get("labels") or {}
        if labels.get("eks.amazonaws.com/compute-type") == "auto":
            yield f"Node {name} has the label eks.amazonaws.com/compute-type=auto"
        yield from (
            f"Node {name} has the label {key}={value}"
            for key, value in labels.items()
            if key.startswith(_AUTOSCALED_LABELS)
        )
        taints = (node.get("spec") or {}).get("taints") or ()
        yield from (
            f"Node {name} has the taint {taint['key']}"
            for taint in taints
            if taint["key"].startswith(_AUTOSCALER_TAINTS)
        )
    for one in cluster.listed("deployments") or ():
        if _AUTOSCALERS.search(one["metadata"]["name"]):
            yield f"Deployment {_full_name(one)}"


def _old(cluster: ClusterSeen) -> Iterator[str]:
    namespaces = {one["metadata"]["name"]: one["metadata"] for one in cluster.listed("namespaces") or ()}
    created = str((namespaces.get("kube-system") or {}).get("creationTimestamp") or "")
    try:
        age = datetime.datetime.fromisoformat(cluster.taken) - datetime.datetime.fromisoformat(created)
    except (ValueError, TypeError):
        yield "the age of the Namespace kube-system can't be told, so it can't be ruled out"
        return
    if age > datetime.timedelta(days=OLD_DAYS):
        yield f"the Namespace kube-system is {age.days} days old"


def _many_nodes(cluster: ClusterSeen) -> Iterator[str]:
    nodes = cluster.listed("nodes") or ()
    if len(nodes) > MANY_NODES:
        yield f"it has {len(nodes)} Nodes"


SIGNS = (
    Rule(
        "a name",
        "context, server, Nodes, Namespaces and their labels that say prod, production, prd, live or staging as a word "
        "(nonprod, non-production and preprod do not)",
        ("namespaces", "nodes"),
        _named_so,
    ),
    Rule(
        "workloads of others",
        "Deployments, StatefulSets, DaemonSets and CronJobs outside the Namespaces of Kubernetes, of networks and "
        "local volumes, and of the GPU components",
        ("namespaces", *_WORKLOADS),
        _workloads,
    ),
    Rule("Pods of others", "Pods outside those Namespaces, whatever made them", ("namespaces", "all_pods"), _pods),
    Rule("Pods that hold GPUs", "Pods of others that hold a GPU now, in any Namespace", ("pods",), _gpu_pods),
    Rule(
        "a load balancer",
        "Services of the type LoadBalancer outside those Namespaces: somebody reaches the cluster from outside",
        ("namespaces", "services"),
        _load_balancers,
    ),
    Rule(
        "volumes",
        "PersistentVolumeClaims that are bound, outside those Namespaces",
        ("namespaces", "persistent_volume_claims"),
        _volumes,
    ),
    Rule(
        "autoscaling",
        "Nodes with labels of Karpenter or of EKS Auto Mode, or tainted by an autoscaler, and Deployments named "
        "cluster-autoscaler or karpenter",
        ("nodes", "deployments"),
        _autoscaled,
    ),
    Rule("age", f"the Namespace kube-system is more than {OLD_DAYS} days old", ("namespaces",), _old),
    Rule("size", f"more than {MANY_NODES} Nodes", ("nodes",), _many_nodes),
)
"""All signs. docs/installing.md tells them in these words."""
