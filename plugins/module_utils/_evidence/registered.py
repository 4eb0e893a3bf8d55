# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read back what the roles registered, and assemble the evidence of every node from it.

The names here are the ``register:`` names in roles/*/tasks. A layer whose tasks did not run for any host was not
chosen, whatever tags it was left out by.
"""

from __future__ import annotations

import typing as t
from collections.abc import Mapping, Sequence

from .assemble import assemble

Variables = Mapping[str, t.Any]

_ON_HOSTS = {"driver": "driver_result", "toolkit": "toolkit_result", "device_plugin": "device_plugin_result"}
_ON_LOCALHOST = {
    "device_plugin": "device_plugin_cluster",
    "scheduler": "scheduler_cluster",
    "smoke_pod": "smoke_pod_cluster",
}
_CLUSTER = ("preflight_cluster", "device_plugin_cluster", "scheduler_cluster", "smoke_pod_cluster")


def chosen_layers(hosts: Sequence[str], hostvars: Mapping[str, Variables]) -> list[str]:
    """Return the layers that this run looked at, lowest first."""
    local = hostvars["localhost"]
    return [
        layer
        for layer in ("driver", "toolkit", "device_plugin", "scheduler", "smoke_pod")
        if _ON_LOCALHOST.get(layer) in local or any(_ON_HOSTS.get(layer) in hostvars[host] for host in hosts)
    ]


def cluster_read(local: Variables) -> dict[str, t.Any] | None:
    """Return one answer of the cluster out of those that were registered, each list in its latest good reading."""
    answers = [local[name] for name in _CLUSTER if name in local]
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
    first = {key: (reached or last).get(key) for key in ("server", "version", "uid")}
    return {**first, "error": None if reached else last["error"], "lists": lists}


def evidence_of_all(
    hosts: Sequence[str],
    hostvars: Mapping[str, Variables],
    expect: Mapping[str, t.Any],
    check_mode: bool,
) -> list[dict[str, t.Any]]:
    """Return the evidence of every host, in order."""
    local = hostvars["localhost"]
    run = {"chosen": chosen_layers(hosts, hostvars), "check_mode": check_mode, "expect": expect}
    cluster = cluster_read(local)
    pods = _pods_by_host(local)
    return [
        assemble(host, _names(host, hostvars[host]), run, _looks(hostvars[host]), cluster, pods.get(host))
        for host in hosts
    ]


def _names(host: str, variables: Variables) -> list[str]:
    given = [variables.get("gpu_k8s_node_name"), host, variables.get("ansible_host")]
    return [str(name) for name in given if name]


def _looks(variables: Variables) -> dict[str, t.Any]:
    looks = {}
    for layer, name in _ON_HOSTS.items():
        result = variables.get(name)
        if result is None:
            continue
        failed = {
            "records": {},
            "error": {"kind": "no_transcript", "reason": str(result.get("msg", "the task failed"))},
        }
        looks[layer] = result.get("look") or failed
    return looks


def _pods_by_host(local: Variables) -> dict[str, Variables]:
    """What became of each host's Pods; for one that was not tried, why."""
    pods: dict[str, Variables] = {}
    planned = local.get("smoke_pod_targets") or {}
    for host, reason in (planned.get("not_tried") or {}).items():
        pods[host] = {"smoke_pod": {"not_tried": reason}}
    for target in planned.get("targets") or ():
        pods[target["host"]] = {}
    for evidence in (local.get("smoke_pod_followed") or {}).get("evidence") or ():
        pods[evidence["host"]] = evidence
    return pods
