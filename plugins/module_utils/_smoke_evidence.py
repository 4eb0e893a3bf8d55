# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Put together what became of smoke Pods, host by host. Pure; private to the collection."""

from __future__ import annotations

import typing as t
from collections.abc import Mapping, Sequence

Fields = Mapping[str, t.Any]
Evidence = dict[str, t.Any]

_NOTHING: Evidence = {"pod": None, "log": None, "log_error": None, "log_cut_off": False, "events": []}


def creation_errors(created: Fields, names: Sequence[str]) -> dict[str, str]:
    """Why a Pod was not created, by name: from the results of kubernetes.core.k8s, in the order of its definitions.

    What was to be created before the Pods (a claim template) is needed by all of them.
    """
    results = (created.get("result") or {}).get("results")
    if results is None:  # one Pod alone, or the task failed as a whole
        error = (created.get("error") or {}).get("msg") or (created.get("msg") if not created.get("method") else None)
        return dict.fromkeys(names, str(error)) if error else {}
    before = len(results) - len(names)
    errors: dict[str, str] = {}
    for number, result in enumerate(results):
        if result.get("error"):
            message = str(result["error"].get("msg"))
            errors |= dict.fromkeys(names if number < before else [names[number - before]], message)
    return errors


def evidence_by_host(pods: Sequence[Fields], seen: Fields, earlier: Sequence[Fields]) -> list[Evidence]:
    """Return the evidence of each host. ``seen``: what became of each Pod, by its name.

    With ``earlier``, the evidence of the attempt before, the Pods take the places of those that they were made for.
    """
    if earlier:
        places = {(pod["host"], pod["replaces"]): pod for pod in pods}
        return [_second(one, places, seen) for one in earlier]
    evidence = []
    for host in dict.fromkeys(pod["host"] for pod in pods):
        own = [pod for pod in pods if pod["host"] == host]
        first, *more = [_of(pod, seen) for pod in own if pod["which"] == "smoke"]
        control = next(_of(pod, seen) for pod in own if pod["which"] == "control")
        about = {key: own[0][key] for key in ("host", "node", "host_uuids")}
        evidence.append({**about, "smoke_pod": first, "smoke_pods_more": more, "control_pod": control})
    return evidence


def _second(one: Fields, places: Mapping[tuple[str, str], Fields], seen: Fields) -> Evidence:
    def renewed(old: Fields) -> Fields:
        pod = places.get((one["host"], old["name"]))
        return {**_of(pod, seen), "attempts": [old]} if pod else old

    return {
        **one,
        "smoke_pod": renewed(one["smoke_pod"]),
        "smoke_pods_more": [renewed(old) for old in one["smoke_pods_more"]],
        "control_pod": renewed(one["control_pod"]),
    }


def _of(pod: Fields, seen: Fields) -> Evidence:
    about = {"name": pod["name"], "nonce": pod["nonce"], "asked": pod["asked"]}
    return {**about, **_NOTHING, **seen.get(pod["name"], {})}
