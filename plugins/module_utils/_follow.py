# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Follow smoke Pods to their end with one watch, and read what they left. Private to the collection."""

from __future__ import annotations

import time
import typing as t
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from ._kube import ApiError, Cluster

Pod = dict[str, t.Any]

# A Pod that waits for one of these does not get better by itself within a run.
_HOPELESS_WAITING = {
    "ErrImagePull",
    "ImagePullBackOff",
    "ErrImageNeverPull",
    "InvalidImageName",
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
}
_LOG_TRIES = 3
_LOG_READERS = 8
_WINDOW = 5.0  # seconds of one watch, after which the Pods are listed again and the grace times looked at


class Follower:
    """``clock`` and ``sleep`` are given by tests."""

    def __init__(
        self,
        cluster: Cluster,
        namespace: str,
        selector: str,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._cluster = cluster
        self._namespace = namespace
        self._selector = selector
        self._clock = clock
        self._sleep = sleep
        self._pods: dict[str, Pod] = {}
        self._hopeless_since: dict[str, float] = {}
        self.error: str | None = None

    def follow(self, names: Sequence[str], timeout: float, grace: float) -> dict[str, Pod]:
        """Return the Pods by name once each has ended, is beyond hope for ``grace`` seconds, or time is up.

        A Pod that was never seen, or was deleted, is not in the answer. ``error`` keeps what the API refused last.
        """
        until = self._clock() + timeout
        while not self._settled(names, grace) and self._clock() < until:
            try:
                self._look(names, min(_WINDOW, until - self._clock()), grace)
                self.error = None
            except ApiError as error:
                self.error = str(error)
                self._sleep(1.0)
        return dict(self._pods)

    def _look(self, names: Sequence[str], seconds: float, grace: float) -> None:
        core, select = self._cluster.core, {"label_selector": self._selector}
        listed = self._cluster.get(core.list_namespaced_pod, self._namespace, **select)
        self._pods = {pod["metadata"]["name"]: pod for pod in listed["items"]}
        if self._settled(names, grace):
            return
        version = listed["metadata"]["resourceVersion"]
        events = self._cluster.watch(
            core.list_namespaced_pod, self._namespace, seconds=seconds, resource_version=version, **select
        )
        for event in events:
            if event["type"] == "ERROR":
                return  # the version is too old: list again
            pod = event["object"]
            if event["type"] == "DELETED":
                self._pods.pop(pod["metadata"]["name"], None)
            else:
                self._pods[pod["metadata"]["name"]] = pod
            if self._settled(names, grace):
                return

    def _settled(self, names: Sequence[str], grace: float) -> bool:
        return all(name in self._pods and self._is_done(name, self._pods[name], grace) for name in names)

    def _is_done(self, name: str, pod: Pod, grace: float) -> bool:
        if pod["status"].get("phase") in ("Succeeded", "Failed"):
            return True
        if not is_hopeless(pod):
            self._hopeless_since.pop(name, None)
            return False
        return self._clock() - self._hopeless_since.setdefault(name, self._clock()) >= grace


def is_hopeless(pod: Mapping[str, t.Any]) -> bool:
    """Whether the Pod waits for something that does not come by itself."""
    status = pod["status"]
    for condition in status.get("conditions") or ():
        if condition["type"] == "PodScheduled" and condition.get("reason") == "Unschedulable":
            return True
    states = (c.get("state") or {} for c in status.get("containerStatuses") or ())
    return any((state.get("waiting") or {}).get("reason") in _HOPELESS_WAITING for state in states)


def read_remains(cluster: Cluster, pods: Mapping[str, Pod], log_bytes: int) -> dict[str, dict[str, t.Any]]:
    """Return for each Pod its object with ``log``, ``log_error``, ``log_cut_off`` and ``events``.

    Logs are read of the Pods that ran, events of the others.
    """

    def remains(pod: Pod) -> dict[str, t.Any]:
        ended = any((c.get("state") or {}).get("terminated") for c in pod["status"].get("containerStatuses") or ())
        log = _log(cluster, pod, log_bytes) if ended else {"log": None, "log_error": None, "log_cut_off": False}
        return {"pod": _kept(pod), **log, "events": [] if ended else _events(cluster, pod)}

    with ThreadPoolExecutor(_LOG_READERS) as readers:
        return dict(zip(pods, readers.map(remains, pods.values()), strict=True))


def _log(cluster: Cluster, pod: Pod, log_bytes: int) -> dict[str, t.Any]:
    where = (pod["metadata"]["name"], pod["metadata"]["namespace"])
    error = ""
    for attempt in range(_LOG_TRIES):
        if attempt:
            time.sleep(1.0)
        try:
            log = cluster.text(cluster.core.read_namespaced_pod_log, *where, limit_bytes=log_bytes)
            return {"log": log, "log_error": None, "log_cut_off": len(log.encode()) >= log_bytes}
        except ApiError as refusal:
            error = str(refusal)
    return {"log": None, "log_error": error, "log_cut_off": False}


def _events(cluster: Cluster, pod: Pod) -> list[dict[str, t.Any]]:
    """The Pod's events, oldest first; none when they may not be read, since they only explain."""
    selector = f"involvedObject.uid={pod['metadata']['uid']}"
    try:
        events = cluster.list(cluster.core.list_namespaced_event, pod["metadata"]["namespace"], field_selector=selector)
    except ApiError:
        return []
    events.sort(key=lambda event: str(event.get("lastTimestamp") or event.get("eventTime") or ""))
    return [{key: event.get(key) for key in ("type", "reason", "message", "count")} for event in events]


def _kept(pod: Pod) -> Pod:
    metadata = {key: pod["metadata"].get(key) for key in ("name", "namespace", "uid", "labels", "creationTimestamp")}
    spec = {key: pod["spec"].get(key) for key in ("nodeName", "runtimeClassName", "schedulerName", "tolerations")}
    return {"metadata": metadata, "spec": spec, "status": pod["status"]}
