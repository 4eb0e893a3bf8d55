# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which smoke Pods are made, for whom, and by what names. Pure; private to the collection."""

from __future__ import annotations

import re
import secrets
import typing as t
from collections.abc import Mapping, Sequence

from ._evidence.kubernetes import read_node
from ._evidence.kubernetes_pods import holders

Fields = Mapping[str, t.Any]
Plan = dict[str, t.Any]

# Seconds for which a Pod keeps its GPU when there are several on a Node, so that no two can have the same one in turn.
_HOLD = 10

# The oldest driver branch for each major version of CUDA; within one, older drivers run newer images.
# Source: CUDA Toolkit release notes, table "CUDA Toolkit and Minimum Required Driver Version".
_OLDEST_DRIVER = {11: 450, 12: 525, 13: 580}


def pods_to_make(target: Fields, run_id: str, first: int, how_many: int) -> list[Plan]:
    """Return the Pods of one Node: as many as asked for that want a GPU, and one control.

    ``target`` has ``host``, ``node``, ``hostname``, ``tolerations`` and ``asked``; ``first`` numbers the names.
    """
    hold = _HOLD if how_many > 1 else 0
    pods = [_pod(target, "smoke", f"{run_id}-{first + n}", target["asked"], hold) for n in range(how_many)]
    return [*pods, _pod(target, "control", f"{run_id}-{first}", 0, 0)]


def once_more(pod: Fields) -> Plan:
    """The same Pod by another name and with another nonce, so that it can't be taken for the first."""
    return {**pod, "name": f"{pod['name']}-again", "nonce": secrets.token_hex(8), "replaces": pod["name"]}


def with_its_equals(again: Sequence[Fields], pods: Sequence[Fields]) -> list[Fields]:
    """Return the Pods to make once more: where each of a Node's GPUs is tried, all together or the sum is not whole."""
    hosts = {pod["host"] for pod in again if pod["hold"]}
    names = {pod["name"] for pod in again}
    return [pod for pod in pods if pod["name"] in names or (pod["hold"] and pod["host"] in hosts)]


def _pod(target: Fields, which: str, ending: str, asked: int, hold: int) -> Plan:
    about = {key: target[key] for key in ("host", "node", "hostname", "tolerations", "host_uuids")}
    name = f"gpu-k8s-{which}-{ending}"
    return {**about, "which": which, "name": name, "nonce": secrets.token_hex(8), "asked": asked, "hold": hold}


def how_many(evidence: Fields) -> int:
    """Return how many Pods that want a GPU are made on this Node: one, or one for each that is free there."""
    expect = evidence["expect"]
    if expect.get("smoke_scope") != "every_gpu":
        return 1
    return max(1, free_devices(evidence))


def asked_of_one(expect: Fields) -> int:
    """Return how many GPUs one Pod asks for. When every GPU is tried, each Pod tries one of them."""
    return 1 if expect.get("smoke_scope") == "every_gpu" else int(expect.get("smoke_gpus", 1))


def free_devices(evidence: Fields) -> int:
    """Return how many devices of the resource nobody holds; of DRA's devices only how many there are is known."""
    kubernetes, expect = evidence.get("kubernetes") or {}, evidence["expect"]
    if expect.get("smoke_ask") == "dra":
        slices = ((kubernetes.get("objects") or {}).get("resource_slices") or {}).get("items") or ()
        return sum(device.get("type") in (None, "gpu") for one in slices for device in one["spec"].get("devices") or ())
    node = read_node(kubernetes["node"], expect["resource"])
    taken = sum(holder.amount for holder in holders(kubernetes.get("pods") or (), node.name, expect["resource"]))
    return (node.allocatable or 0) - taken


def newer_than_the_driver(image: str, driver: str | None) -> tuple[str, int, int] | None:
    """Return the image's CUDA version, the driver's branch and the one that it needs, when the driver is too old."""
    cuda = re.search(r"(?:^|/)cuda:(\d+)\.\d+|cuda(\d+)\.\d+", image)
    branch = re.match(r"(\d+)\.", driver or "")
    if not cuda or not branch:
        return None
    major = int(cuda[1] or cuda[2])
    oldest = _OLDEST_DRIVER.get(major)
    return (str(major), int(branch[1]), oldest) if oldest and int(branch[1]) < oldest else None
