# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is decided about debug Pods: which Node each is for, what may keep it from running, how the host is entered.

Pure; private to the collection. The Pod itself is in roles/debug_pod/templates/.
"""

from __future__ import annotations

import textwrap
import typing as t
from collections.abc import Mapping, Sequence

from ._evidence.kubernetes import find_node
from ._kube_errors import status_within
from ._smoke_progress import state_of

Object = Mapping[str, t.Any]
Cause = t.Literal[
    "not_made", "no_kubectl", "no_namespace", "refused", "image", "not_started", "not_entered", "no_shell"
]

NO_NSENTER = 3
"""What ENTER ends with where the image has no nsenter."""

# The namespaces of the host's first process, and none of the container's environment: what is found on the PATH, and
# what NVIDIA_VISIBLE_DEVICES says, would otherwise be the image's. The mark keeps the Pod from ending before the probe
# (roles/debug_pod/files/stay.sh).
ENTER = (
    f"command -v nsenter >/dev/null || exit {NO_NSENTER}; "
    "mark=/dev/shm/gpu-k8s-probe.$$; : >$mark; "
    "env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "
    "nsenter --target 1 --mount --uts --ipc --net -- /bin/sh -s; "
    "code=$?; rm -f $mark; exit $code"
)

_NOT_EXECUTED = (126, 127)
"""What a shell ends with when there is no such program, or it can't be executed."""

_IMAGE = (
    "ErrImagePull",
    "ImagePullBackOff",
    "ErrImageNeverPull",
    "InvalidImageName",
    "ImageInspectError",
    "RegistryUnavailable",
)
_LONGEST = 400


class Obstacle(t.NamedTuple):
    """Why a host can't be looked at by a debug Pod."""

    cause: Cause
    reason: str

    def as_error(self) -> dict[str, str]:
        """Return it as a look's error."""
        return {
            "kind": "no_pod",
            "cause": self.cause,
            "reason": textwrap.shorten(self.reason, _LONGEST, placeholder=" ..."),
        }


class Target(t.TypedDict):
    """A debug Pod to be made. ``hostname`` is the Node's label, by which it is asked for."""

    host: str
    node: str
    hostname: str
    name: str


def targets(
    names: Mapping[str, Sequence[str]], nodes: Sequence[Object], run_id: str
) -> tuple[list[Target], dict[str, Obstacle]]:
    """Return the Pods to make, and why there is none for the other hosts.

    ``names``: what the Node of each host may be called.
    """
    pods: list[Target] = []
    without: dict[str, Obstacle] = {}
    for number, (host, called) in enumerate(names.items()):
        node = find_node(nodes, called, machine_id=None)
        if node is None:
            without[host] = Obstacle("not_made", f"no Node of this cluster belongs to the host {host}")
            continue
        metadata = node["metadata"]
        hostname = (metadata.get("labels") or {}).get("kubernetes.io/hostname") or metadata["name"]
        name = f"gpu-k8s-debug-{run_id}-{number}"
        pods.append({"host": host, "node": metadata["name"], "hostname": hostname, "name": name})
    return pods, without


def not_created(text: str, namespace: str) -> Obstacle:
    """Return what keeps a Pod from being created. ``text`` is the API's answer, as kubernetes.core.k8s tells it."""
    status = status_within(text)
    missing = status.get("reason") == "NotFound" and (status.get("details") or {}).get("kind") == "namespaces"
    said = str(status.get("message") or text)
    said = said.partition(" is forbidden: ")[2] or said  # without the Pod's name, which is another on every host
    return Obstacle("no_namespace", said) if missing else Obstacle("refused", f"in the Namespace {namespace}: {said}")


def is_open(pod: Object) -> bool:
    """Whether the Pod's container runs."""
    return any("running" in state for state in _states(pod))


def has_come_to_something(pod: Object) -> bool:
    """Whether the Pod need not be waited for any longer: it runs, or has ended."""
    return is_open(pod) or (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def not_opened(pod: Object | None, node: Object | None, seconds: float) -> Obstacle | None:
    """Return why a Pod that was created can't be used; None if it can. ``node``: its Node's condition Ready."""
    if pod is None:
        return Obstacle("not_started", "it was created, and not seen any more")
    if is_open(pod):
        return None
    status, states = pod.get("status") or {}, list(_states(pod))
    waiting = next((state["waiting"] for state in states if (state.get("waiting") or {}).get("message")), None)
    if waiting:
        cause: Cause = "image" if waiting.get("reason") in _IMAGE else "not_started"
        return Obstacle(cause, f"{waiting.get('reason')}: {waiting['message']}")
    ended = next((state["terminated"] for state in states if state.get("terminated")), None)
    if ended:
        return Obstacle("not_started", f"its container ended: {_told(ended)}")
    if status.get("phase") == "Failed":
        return Obstacle("not_started", f"the kubelet did not take it: {_told(status)}")
    if node and node.get("status") != "True":
        return Obstacle("not_started", f"its Node is not ready: {_told(node)}")
    return Obstacle("not_started", f"after {seconds:.0f} s: {state_of(pod)}")


def not_entered(exit_code: int, said: str) -> Obstacle:
    """Return why no transcript came out of a Pod that runs. ``said``: what kubectl wrote to standard error."""
    if exit_code == NO_NSENTER:
        return Obstacle("image", "it has no program nsenter")
    last = said.strip().splitlines()[-1:] or ["kubectl said nothing"]
    if exit_code in _NOT_EXECUTED:
        return Obstacle("no_shell", f"/bin/sh could not be executed there (exit code {exit_code})")
    return Obstacle("not_entered", f"{last[0]} (exit code {exit_code})")


def _states(pod: Object) -> list[Object]:
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return [{key: value for key, value in (one.get("state") or {}).items() if value is not None} for one in statuses]


def _told(about: Object) -> str:
    return ": ".join(str(about[key]) for key in ("reason", "message") if about.get(key)) or "it does not say why"
