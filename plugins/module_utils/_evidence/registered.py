# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read back what the roles registered, and assemble the evidence of every node from it.

The names here are the ``register:`` names in roles/*/tasks. A layer whose tasks did not run for any host was not
chosen, whatever tags it was left out by. What was taken before the run began is an earlier run's: it counts for
nothing.
"""

from __future__ import annotations

import typing as t
from collections.abc import Mapping

from .._chain import LAYERS
from .assemble import assemble, tell_who_shares_a_node

Variables = Mapping[str, t.Any]

_ON_HOSTS = {"driver": "driver_result", "toolkit": "toolkit_result", "device_plugin": "device_plugin_result"}
_ON_LOCALHOST = {
    "device_plugin": "device_plugin_cluster",
    "scheduler": "scheduler_cluster",
    "smoke_pod": "smoke_pod_cluster",
}
_CLUSTER = (
    "preflight_cluster",
    "debug_pod_cluster",
    "device_plugin_cluster",
    "scheduler_cluster",
    "smoke_pod_cluster",
    "install_cluster",
)


def _since(variables: Variables, name: str, started: str) -> dict[str, t.Any] | None:
    """Return what was registered in this run. Variables of an earlier run, in one playbook with this one, stay set."""
    result = variables.get(name)
    return result if result is not None and str(result.get("taken", "")) >= started else None


def chosen_layers(run: Variables, hostvars: Mapping[str, Variables]) -> list[str]:
    """Return the layers that this run looked at, lowest first; of a run that ended early, all that it might have."""
    if run.get("ended_early"):
        return list(LAYERS)
    started, local = run["started"], hostvars["localhost"]
    chosen = {layer for layer, name in _ON_LOCALHOST.items() if _since(local, name, started)}
    for layer, name in _ON_HOSTS.items():
        if any(_since(hostvars[host], name, started) for host in run["hosts"]):
            chosen.add(layer)
    return [layer for layer in LAYERS if layer in chosen]


def cluster_read(local: Variables, started: str) -> dict[str, t.Any] | None:
    """Return one answer of the cluster out of those that were registered, each list in its latest good reading."""
    answers = [answer for name in _CLUSTER if (answer := _since(local, name, started))]
    if not answers:
        return None
    lists: dict[str, t.Any] = {}
    for answer in answers:
        for name, listed in (answer.get("lists") or {}).items():
            if listed["items"] is not None or name not in lists:
                lists[name] = listed
    last = answers[-1]
    if last.get("error"):
        for name in ("nodes", "pods"):
            lists.setdefault(name, {"items": None, "error": last["error"]})
    reached = next((a for a in reversed(answers) if not a.get("error")), None)
    reviewed = next((a for a in answers if a.get("access")), {})
    return {
        **{key: (reached or last).get(key) for key in ("server", "version", "uid")},
        **{key: reviewed.get(key) for key in ("identity", "access")},
        "read_at": (reached or last)["taken"],
        "error": None if reached else last["error"],
        "error_kind": None if reached else last.get("error_kind"),
        "lists": lists,
    }


def evidence_of_all(
    run: Variables,
    hostvars: Mapping[str, Variables],
    check_mode: bool,
) -> list[dict[str, t.Any]]:
    """Return the evidence of every host of the run, in order. ``run`` is the result of gpu.k8s.begin."""
    started, local = run["started"], hostvars["localhost"]
    about = {"chosen": chosen_layers(run, hostvars), "check_mode": check_mode, "expect": run["expect"]}
    cluster = cluster_read(local, started)
    pods = _pods_by_host(local, started)
    taints = (_since(local, "startup_taint_result", started) or {}).get("outcomes") or {}
    evidence: list[dict[str, t.Any]] = []
    for host in run["hosts"]:
        variables = hostvars[host]
        looks = {
            layer: result["look"] for layer, name in _ON_HOSTS.items() if (result := _since(variables, name, started))
        }
        about_host = assemble(host, names_of(host, variables), about, looks, cluster, pods.get(host))
        evidence.append({**about_host, "startup_taint": taints.get(host)})
    tell_who_shares_a_node(evidence)
    return evidence


def names_of(host: str, variables: Variables) -> list[str]:
    """Return what the Node of a host may be called, the best first."""
    given = [variables.get("gpu_k8s_node_name"), host, variables.get("ansible_host")]
    return [str(name) for name in given if name]


def _pods_by_host(local: Variables, started: str) -> dict[str, Variables]:
    """What became of each host's Pods; for one that was not tried, why."""
    pods: dict[str, Variables] = {}
    planned = _since(local, "smoke_pod_targets", started) or {}
    for host, reason in (planned.get("not_tried") or {}).items():
        pods[host] = {"smoke_pod": {"not_tried": reason}}
    for pod in planned.get("pods") or ():
        pods[pod["host"]] = {}
    for evidence in (_since(local, "smoke_pod_followed", started) or {}).get("evidence") or ():
        pods[evidence["host"]] = evidence
    return pods
