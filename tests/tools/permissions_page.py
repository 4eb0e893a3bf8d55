#!/usr/bin/env python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write docs/permissions.md out of what the collection asks for; with --check, fail if it is not current."""

import importlib
import sys
import typing as t
from collections.abc import Iterable, Sequence
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "build/collections"))

access = importlib.import_module("ansible_collections.gpu.k8s.plugins.module_utils._access")

PAGE = ROOT / "docs/permissions.md"
NAME = "gpu-k8s"
NAMESPACES = {"smoke namespace": "default", "debug namespace": "gpu-k8s-debug"}
ASKING = ("device_plugin", "dra")  # the ways in which smoke Pods ask for GPUs
PRIVILEGED = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {
        "name": NAMESPACES["debug namespace"],
        "labels": {"pod-security.kubernetes.io/enforce": "privileged"},
    },
}
ACCOUNT = {"kind": "ServiceAccount", "name": NAME, "namespace": NAME}

INTRODUCTION = """\
<!-- Made by tests/tools/permissions_page.py (make docs). Change plugins/module_utils/_access.py instead. -->

# Permissions

## On the nodes

Root, directly or by `become`. The probes read `/proc`, `/sys`, `/dev`, the kernel log and the kubelet's device
checkpoint, run `nvidia-smi`, ask the container runtime (`crictl info`), and for the toolkit layer start two containers
that they remove. As an ordinary user, what can't be read is *not proven*; it is never called broken for that.

## In the cluster

The preflight asks the cluster what this identity may do: one SelfSubjectAccessReview for each verb below, whatever the
number of nodes. Every authenticated user may ask that, unless somebody took `system:basic-user` away; a review that
fails is taken for not known, and not for missing.

* A missing permission that is **required** leaves the checkpoints of its layers *not proven* (PRE007). With one missing
  that the smoke Pods require, nothing is created.
* The others explain. Without them a fault may be told in fewer words, and one line of the report says so.

`missing-permissions.yml`, beside `report.json`, then holds the Roles and bindings that grant what is missing to this
identity, and nothing else. Verifying never asks for Secrets, ConfigMaps or `nodes/proxy`, and for `pods/exec` only
where debug Pods are asked for.
"""

APPLYING = """
## The rules

They give a ServiceAccount what is in the tables. Apply all of it but the part for installing, or only the first part to
look at everything below the smoke Pods (`--tags driver,toolkit,device_plugin,scheduler`). With another Namespace for
the smoke Pods than `default`, put its name in its place:

```sh
sed -n '/^## For installing/q; /^```yaml/,/^```$/{/^```/d;p}' docs/permissions.md |
  sed 's/namespace: default$/namespace: MY-NAMESPACE/' | kubectl apply --filename -
kubectl create token --namespace gpu-k8s gpu-k8s --duration 1h
```

The token goes into a kubeconfig of its own: `kubectl config set-credentials gpu-k8s --token TOKEN`, and a context with
that user, which is then `gpu_k8s_context`.
"""

INSTALLING = """
## For installing (`gpu.k8s.install`)

Verifying asks for nothing of this, and the rules above don't grant it. The plan reads whether others use the cluster,
beside what verifying reads; a list that it may not read counts as a sign of production, and nothing is installed:
"""

CHANGING = """
What is then made in the cluster takes the rights of `cluster-admin`, for the time of the installation: Helm makes the
ClusterRoles that a chart brings, which Kubernetes lets only those do who hold the same rights. It keeps its release in
a Secret of the release's Namespace. Namespace, RuntimeClass and the Nodes' label `gpu.k8s/installed-by` are made by the
collection itself. `--check` needs the reading rights alone, which are these beside those of the first part:
"""

STARTUP_TAINT = """
## For the startup taint (`gpu_k8s_startup_taint: release` or `hold`)

Only a run with that variable asks for this, beside all of the above but the part for installing. With one of them
missing no smoke Pod is created. Whoever may patch Nodes may cordon them, set any taint and any label: RBAC knows no
smaller right. [startup-taint.md](startup-taint.md) has a policy that narrows it to the collection's own keys.
"""

DEBUG_PODS = """
## For debug Pods (`gpu_k8s_host_access: debug_pod`)

Only a run in which a host is reached by a debug Pod asks for this, in `gpu_k8s_debug_namespace`, beside all of the
above but the parts for installing and for the startup taint. With one of them missing no debug Pod is made.

**These rights are worth root on every node of the cluster.** Whoever may create Pods in a Namespace that permits
privileged ones, with `hostPID` and a `nodeName` of their choice, can read and change everything on that node; whoever
may use `pods/exec` there can do so while a debug Pod runs. Give them only to whom you would give the nodes' SSH keys,
keep the Namespace for this alone, and let nobody else create Pods in it.
[without-ssh.md](without-ssh.md) tells what such a Pod is like.
"""

DEBUG_NAMESPACE = """
The Namespace has to permit privileged Pods; it is not made by the collection:
"""


def page() -> str:
    always = [p for p in access.PERMISSIONS if not p.when or (p.scope == "cluster" and p.when in ASKING)]
    taint = [p for p in access.PERMISSIONS if p.when == "startup_taint"]
    debug = [p for p in access.PERMISSIONS if p.when == "debug_pod"]
    cluster = [p for p in always if p.scope != "smoke namespace"]
    smoke = [p for p in always if p.scope == "smoke namespace"]
    dra = [p for p in access.PERMISSIONS if p.scope == "smoke namespace" and p.when == "dra"]
    setting_up = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAME}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": NAME, "namespace": NAME}},
    ]
    return "\n".join(
        [
            INTRODUCTION,
            "### In the whole cluster, to read",
            "",
            *table(cluster),
            "",
            "### In the Namespace of the smoke Pods (`gpu_k8s_smoke_namespace`)",
            "",
            *table([*smoke, *dra]),
            APPLYING,
            "### To read",
            "",
            *block([*setting_up, *access.manifests(cluster, NAME, NAMESPACES, ACCOUNT)]),
            "",
            "### For the smoke Pods",
            "",
            *block(access.manifests(smoke, NAME, NAMESPACES, ACCOUNT)),
            "",
            "### For smoke Pods that ask by a claim (`gpu_k8s_smoke_ask: dra`)",
            "",
            *block(access.manifests(dra, f"{NAME}-dra", NAMESPACES, ACCOUNT)),
            INSTALLING,
            *table(access.INSTALLING),
            CHANGING,
            *block(access.manifests(access.INSTALLING, f"{NAME}-install", NAMESPACES, ACCOUNT)),
            STARTUP_TAINT,
            *table(taint),
            "",
            *block(access.manifests(taint, f"{NAME}-startup-taint", NAMESPACES, ACCOUNT)),
            DEBUG_PODS,
            *table(debug),
            DEBUG_NAMESPACE,
            *block([PRIVILEGED, *access.manifests(debug, NAME, NAMESPACES, ACCOUNT)]),
            "",
        ]
    )


def table(permissions: Sequence[t.Any]) -> list[str]:
    """One row for all verbs on a resource that are needed alike."""
    rows: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for p in permissions:
        resource = f"{p.path} `kube-system`" if p.scope == "kube-system" else p.path
        need = ("required" if p.required else "explains") + (f", when asking by `{p.when}`" if p.when in ASKING else "")
        row = rows.setdefault((p.group or "core", resource, ", ".join(p.layers) or "installing", need), {})
        row.setdefault(p.verb, []).append(p.needed_for)
    lines = ["| API group | resource | verbs | for | layers | |", "|---|---|---|---|---|---|"]
    for (group, resource, layers, need), verbs in rows.items():
        reasons = dict.fromkeys(reason for given in verbs.values() for reason in given)
        lines.append(f"| {group} | {resource} | {', '.join(verbs)} | {'; '.join(reasons)} | {layers} | {need} |")
    return lines


def block(objects: Iterable[dict[str, t.Any]]) -> list[str]:
    text = yaml.dump_all(objects, Dumper=Indented, explicit_start=True, sort_keys=False)
    return ["```yaml", text.rstrip("\n"), "```"]


class Indented(yaml.SafeDumper):
    """Indents the items of a list, and writes the short lists of a rule in one line."""

    def increase_indent(self, flow: bool = False, **_indentless: bool) -> None:
        super().increase_indent(flow, indentless=False)

    def represent_sequence(self, tag: str, sequence: t.Any, flow_style: bool | None = None) -> yaml.Node:
        plain = all(isinstance(item, str) for item in sequence)
        return super().represent_sequence(tag, sequence, flow_style=plain or flow_style)


if "--check" in sys.argv:
    if PAGE.read_text(encoding="utf-8") != page():
        sys.exit("docs/permissions.md is not current: run `make docs`.")
else:
    PAGE.write_text(page(), encoding="utf-8")
