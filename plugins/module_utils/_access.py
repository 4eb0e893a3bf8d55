# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What this collection asks a cluster for, as data. Pure; private to the collection.

From it follows what the preflight reviews, what the report says is missing, the rules that grant it, and
docs/permissions.md. What a list of _kube_lists.py or a task of roles/smoke_pod asks for must be here.
"""

from __future__ import annotations

import typing as t
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ._chain import Layer

Scope = t.Literal["cluster", "kube-system", "smoke namespace", "debug namespace"]
Want = t.Literal["", "device_plugin", "dra", "startup_taint", "debug_pod"]
Object = dict[str, t.Any]
Namespaces = Mapping[str, str]
"""The name of the Namespace that a scope stands for."""

_RBAC = "rbac.authorization.k8s.io"


@dataclass(frozen=True)
class Permission:
    """One verb on one resource.

    ``scope``: all Namespaces and what has none; the object kube-system alone; or the Namespace of certain Pods.
    ``required``: the layers can't be judged, or their Pods can't be made, without it. What is not required explains.
    ``when``: needed only by a run that wants this (``wants_of``); empty for every run.
    """

    verb: str
    resource: str
    layers: tuple[Layer, ...]
    needed_for: str
    group: str = ""
    subresource: str = ""
    scope: Scope = "cluster"
    required: bool = False
    when: Want = ""

    @property
    def path(self) -> str:
        """The resource as rules of RBAC spell it, such as ``pods/log``."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource

    @property
    def name(self) -> str:
        """The resource as kubectl names it, such as ``daemonsets.apps``."""
        group = f".{self.group}" if self.group else ""
        return f"{self.resource}{group}{'/' + self.subresource if self.subresource else ''}"

    def review(self, namespaces: Namespaces) -> Object:
        """Return the resourceAttributes of a SelfSubjectAccessReview."""
        attributes = {"verb": self.verb, "group": self.group, "resource": self.resource}
        if self.subresource:
            attributes["subresource"] = self.subresource
        where = _namespace(self.scope, namespaces)
        if where:
            attributes["namespace"] = where
        if where and self.resource == "namespaces":
            attributes["name"] = where
        return attributes

    def row(self) -> Object:
        """Return what identifies it in evidence."""
        return {key: getattr(self, key) for key in ("verb", "group", "resource", "subresource", "scope")}

    def told(self, namespaces: Namespaces) -> Object:
        """Return what the report says of it when it is missing."""
        where = _namespace(self.scope, namespaces)
        return {**self.row(), "namespace": where, "needed_for": self.needed_for, "required": self.required}


def _namespace(scope: Scope, namespaces: Namespaces) -> str:
    return {"cluster": "", "kube-system": "kube-system"}.get(scope) or namespaces.get(scope, "")


def namespaces_of(expect: Mapping[str, t.Any]) -> dict[str, str]:
    """Return the Namespaces of a run's Pods by their scope. ``expect``: what the nodes of the run are judged by."""
    named = {
        "smoke namespace": expect.get("smoke_namespace") or "default",
        "debug namespace": expect.get("debug_namespace") or "",
    }
    return {scope: name for scope, name in named.items() if name}


def wants_of(expect: Mapping[str, t.Any]) -> list[str]:
    """Return what a run wants beyond what every run does: how its smoke Pods ask for GPUs, taints, debug Pods."""
    wants = [expect.get("smoke_ask") or "device_plugin"]
    if (expect.get("startup_taint") or "ignore") != "ignore":
        wants.append("startup_taint")
    if expect.get("debug_namespace"):
        wants.append("debug_pod")
    return wants


def _smoke(verb: str, resource: str, needed_for: str, **more: t.Any) -> Permission:
    """What is done in the Namespace of the smoke Pods."""
    given: dict[str, t.Any] = {"layers": ("smoke_pod",), "scope": "smoke namespace", "required": True, **more}
    return Permission(verb, resource, needed_for=needed_for, **given)


_ON_HOSTS: tuple[Layer, ...] = ("driver", "toolkit", "device_plugin")


def _debug(verb: str, needed_for: str, subresource: str = "") -> Permission:
    """What is done in the Namespace of the debug Pods."""
    given: dict[str, t.Any] = {"scope": "debug namespace", "required": True, "when": "debug_pod"}
    return Permission(verb, "pods", _ON_HOSTS, needed_for, subresource=subresource, **given)


_NODES: tuple[Layer, ...] = ("device_plugin", "scheduler", "smoke_pod")
_PLUGIN: tuple[Layer, ...] = ("device_plugin",)
_SCHEDULER: tuple[Layer, ...] = ("scheduler",)
_RELEASE: tuple[Layer, ...] = ("scheduler", "smoke_pod")
_DRA = "resource.k8s.io"
_TAINT = "taking the startup taint away or putting it back, with the label and annotation that tell why"

PERMISSIONS: tuple[Permission, ...] = (
    # ---- the cluster
    Permission("get", "namespaces", _NODES, "which cluster this is: its UID", scope="kube-system"),
    Permission("list", "nodes", _NODES, "which host is which Node, and what it advertises", required=True),
    Permission("list", "pods", _SCHEDULER, "which GPUs are taken, and by whom", required=True),
    Permission("list", "daemonsets", _PLUGIN, "what hands out GPUs, and who owns it", group="apps"),
    Permission("list", "events", _PLUGIN, "why a DaemonSet makes no Pods"),
    Permission("list", "resourceslices", _PLUGIN, "the GPUs of a DRA driver", group=_DRA, when="device_plugin"),
    Permission("list", "resourceslices", _PLUGIN, "the GPUs of a DRA driver", group=_DRA, when="dra", required=True),
    Permission("list", "deviceclasses", _PLUGIN, "the classes of a DRA driver", group=_DRA),
    Permission("list", "clusterpolicies", _PLUGIN, "the state of the GPU Operator", group="nvidia.com"),
    Permission("list", "nvidiadrivers", _PLUGIN, "the state of the GPU Operator's drivers", group="nvidia.com"),
    # Without them the smoke Pods would be tried without a RuntimeClass, and a toolkit blamed that is fine.
    Permission(
        "list",
        "runtimeclasses",
        ("scheduler", "smoke_pod"),
        "the RuntimeClass that GPU Pods need",
        group="node.k8s.io",
        required=True,
    ),
    Permission("list", "priorityclasses", _SCHEDULER, "the priority of the smoke Pods", group="scheduling.k8s.io"),
    # ---- the startup taint. Without them no Pod is made: what it proved could open no Node.
    Permission("get", "nodes", _RELEASE, _TAINT, required=True, when="startup_taint"),
    Permission("patch", "nodes", _RELEASE, _TAINT, required=True, when="startup_taint"),
    # ---- the Namespace of the smoke Pods
    _smoke("get", "namespaces", "whether it is there", layers=_SCHEDULER, required=False),
    _smoke("list", "resourcequotas", "whether a quota refuses the smoke Pods", layers=_SCHEDULER, required=False),
    _smoke("list", "limitranges", "whether a limit refuses the smoke Pods", layers=_SCHEDULER, required=False),
    _smoke("create", "pods", "making, following and removing the smoke Pods"),
    _smoke("get", "pods", "making, following and removing the smoke Pods"),
    _smoke("list", "pods", "making, following and removing the smoke Pods"),
    _smoke("watch", "pods", "making, following and removing the smoke Pods"),
    _smoke("delete", "pods", "making, following and removing the smoke Pods"),
    _smoke("get", "pods", "what the smoke Pods saw", subresource="log"),
    _smoke("list", "events", "why a smoke Pod does not start", required=False),
    _smoke("create", "resourceclaimtemplates", "making and removing the smoke Pods' claims", group=_DRA, when="dra"),
    _smoke("get", "resourceclaimtemplates", "making and removing the smoke Pods' claims", group=_DRA, when="dra"),
    _smoke("list", "resourceclaimtemplates", "making and removing the smoke Pods' claims", group=_DRA, when="dra"),
    _smoke("delete", "resourceclaimtemplates", "making and removing the smoke Pods' claims", group=_DRA, when="dra"),
    # ---- the Namespace of the debug Pods
    _debug("create", "making, following and removing the debug Pods"),
    _debug("get", "making, following and removing the debug Pods"),
    _debug("list", "making, following and removing the debug Pods"),
    _debug("watch", "making, following and removing the debug Pods"),
    _debug("delete", "making, following and removing the debug Pods"),
    # kubectl asks with get, by WebSocket, or with create; newer API servers want create for both.
    _debug("create", "running the probes through the debug Pods", "exec"),
    _debug("get", "running the probes through the debug Pods", "exec"),
)


_SIGN = "whether others use the cluster"

INSTALLING: tuple[Permission, ...] = (
    Permission("list", "namespaces", (), "names, labels and age of the cluster, and what is ours", required=True),
    Permission("list", "deployments", (), _SIGN, group="apps", required=True),
    Permission("list", "statefulsets", (), _SIGN, group="apps", required=True),
    Permission("list", "cronjobs", (), _SIGN, group="batch", required=True),
    Permission("list", "services", (), _SIGN, required=True),
    Permission("list", "persistentvolumeclaims", (), _SIGN, required=True),
)
"""What the plan of an installation reads beside PERMISSIONS. Verifying never asks for it."""


def applicable(wants: Iterable[str]) -> list[Permission]:
    """Return what a run needs that wants this (``wants_of``). Their number does not depend on the nodes."""
    asked = {"", *wants}
    return [permission for permission in PERMISSIONS if permission.when in asked]


def denied(access: Mapping[str, t.Any] | None, wants: Iterable[str], layers: Iterable[str]) -> list[Permission]:
    """Return what the reviews denied of what these layers need. What was not reviewed is not known, so not denied."""
    rows, wanted = list((access or {}).get("denied") or ()), set(layers)
    return [p for p in applicable(wants) if p.row() in rows and wanted.intersection(p.layers)]


def permissions_of(told: Iterable[Object]) -> list[Permission]:
    """Return the permissions that a report tells of."""
    rows = [{key: one[key] for key in ("verb", "group", "resource", "subresource", "scope")} for one in told]
    return [permission for permission in PERMISSIONS if permission.row() in rows]


def in_words(permissions: Sequence[Permission], namespaces: Namespaces) -> str:
    """Say in short what they are: ``list nodes and pods; create and get pods in default``."""
    verbs: dict[tuple[str, Scope], list[str]] = {}
    for p in permissions:
        verbs.setdefault((p.name, p.scope), []).append(p.verb)
    names: dict[tuple[str, Scope], list[str]] = {}
    for (name, scope), given in verbs.items():
        names.setdefault((_and(list(dict.fromkeys(given))), scope), []).append(name)
    where: dict[str, str] = {scope: f" in {name}" for scope, name in namespaces.items()}
    where |= {"cluster": "", "kube-system": " kube-system"}
    return "; ".join(f"{given} {_and(alike)}{where[scope]}" for (given, scope), alike in names.items())


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


_READING = ("get", "list", "watch")
_GRANTED_BY = (
    ("ClusterRole", "read", ("cluster", "kube-system")),
    ("Role", "smoke", ("smoke namespace",)),
    ("Role", "debug", ("debug namespace",)),
)


def manifests(permissions: Sequence[Permission], name: str, namespaces: Namespaces, subject: Object) -> list[Object]:
    """Return the Roles and bindings that grant these permissions to a subject of RBAC.

    What concerns the whole cluster is in the ClusterRole ``<name>-read``, or ``<name>-write`` when more than reading
    is asked for; the rest in Roles of the Pods' Namespaces: ``<name>-smoke`` and ``<name>-debug``.
    """
    objects: list[Object] = []
    for kind, suffix, scopes in _GRANTED_BY:
        granted = [p for p in permissions if p.scope in scopes]
        if not granted:
            continue
        if kind == "ClusterRole" and any(p.verb not in _READING for p in granted):
            suffix = "write"
        metadata = {"name": f"{name}-{suffix}"} | ({"namespace": namespaces[scopes[0]]} if kind == "Role" else {})
        role_ref = {"apiGroup": _RBAC, "kind": kind, "name": metadata["name"]}
        objects += [
            {"apiVersion": f"{_RBAC}/v1", "kind": kind, "metadata": metadata, "rules": _rules(granted)},
            {
                "apiVersion": f"{_RBAC}/v1",
                "kind": f"{kind}Binding",
                "metadata": dict(metadata),
                "roleRef": role_ref,
                "subjects": [subject],
            },
        ]
    return objects


def _rules(permissions: Sequence[Permission]) -> list[Object]:
    """One rule for all resources of a group that are given the same verbs."""
    verbs: dict[tuple[str, str, str], list[str]] = {}
    for p in permissions:
        name = "kube-system" if p.scope == "kube-system" else ""
        verbs.setdefault((p.group, p.path, name), []).append(p.verb)
    resources: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for (group, path, name), given in verbs.items():
        resources.setdefault((group, name, tuple(dict.fromkeys(given))), []).append(path)
    return [
        {"apiGroups": [group], "resources": paths}
        | ({"resourceNames": [name]} if name else {})
        | {"verbs": list(given)}
        for (group, name, given), paths in resources.items()
    ]


def subject_of(identity: str | None) -> Object:
    """Return the subject of RBAC that a user name stands for."""
    if identity and identity.startswith("system:serviceaccount:"):
        namespace, name = identity.split(":")[2:4]
        return {"kind": "ServiceAccount", "name": name, "namespace": namespace}
    return {"apiGroup": _RBAC, "kind": "User", "name": identity or "WHO-VERIFIES"}
