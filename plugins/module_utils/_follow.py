# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Follow Pods with one watch, and read what smoke Pods left. Private to the collection."""

from __future__ import annotations

import time
import typing as t
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

from ._evidence.smoke_pod import OWN_CONTAINERS
from ._kube import ApiError, Cluster
from ._smoke_progress import progress, state_of

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
_WINDOW = 5.0  # seconds of one watch, after which the grace times are looked at
_NODES_AT_ONCE = 50  # Nodes that are asked for by name in one request
_KEPT = ("name", "namespace", "uid", "labels", "creationTimestamp", "deletionTimestamp")
_KEPT_SPEC = (
    "nodeName",
    "runtimeClassName",
    "schedulerName",
    "tolerations",
    "priority",
    "hostUsers",
    "nodeSelector",
    "schedulingGates",
    "securityContext",
    "resourceClaims",
)


def _nobody(_line: str) -> None:
    """Tell nobody."""


class Follower:
    """``clock``, ``sleep`` and ``tell`` (what to do with a line of progress) are given by the caller.

    A Pod is followed until it is ``done``; ``what`` the Pods are is said in the lines of progress.

    After ``follow``, ``gone`` has the Pods that somebody deleted, as they were last seen; ``nodes`` the condition Ready
    of Nodes that a Pod waits for in vain; ``error`` what the API refused last.
    """

    def __init__(
        self,
        cluster: Cluster,
        namespace: str,
        selector: str,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        tell: Callable[[str], None] = _nobody,
        done: Callable[[Pod], bool] | None = None,
        what: str = "smoke Pods",
    ) -> None:
        self._cluster = cluster
        self._namespace = namespace
        self._selector = selector
        self._clock = clock
        self._sleep = sleep
        self._tell = tell
        self._done = done or has_ended
        self._what = what
        self._pods: dict[str, Pod] = {}
        self._version: str | None = None  # of the last thing that was heard
        self._hopeless_since: dict[str, float] = {}
        self._state_since: dict[tuple[str, str], float] = {}
        self.gone: dict[str, Pod] = {}
        self.nodes: dict[str, dict[str, t.Any]] = {}
        self.error: str | None = None

    def follow(self, nodes: Mapping[str, str], timeout: float, grace: float) -> dict[str, Pod]:
        """Return the Pods by name once each is done, was deleted, is hopeless for ``grace`` seconds, or time is up.

        ``nodes``: for each Pod the label kubernetes.io/hostname of its Node. One never seen is not in the answer.
        """
        began = told = self._clock()
        until = began + timeout
        while not self._settled(nodes, grace) and self._clock() < until:
            try:
                self._look(nodes, min(_WINDOW, until - self._clock()), grace)
                self.error = None
                if self._settled(nodes, grace):
                    break
                self._ask_for_nodes(nodes)
            except ApiError as error:
                self._version = None
                self.error = str(error)
                self._sleep(1.0)
            if self._clock() - told >= _WINDOW:
                self._tell(self._progress(nodes, grace, self._clock() - began))
                told = self._clock()
        return {name: pod for name, pod in {**self.gone, **self._pods}.items() if name in nodes}

    def _look(self, nodes: Mapping[str, str], seconds: float, grace: float) -> None:
        """List the Pods once, and then watch from where the last watch ended."""
        core, select = self._cluster.core, {"label_selector": self._selector}
        if self._version is None:
            listed = self._cluster.get(core.list_namespaced_pod, self._namespace, **select)
            now = {pod["metadata"]["name"]: pod for pod in listed["items"]}
            self.gone |= {name: pod for name, pod in self._pods.items() if name not in now}
            self._pods = now
            self._version = listed["metadata"]["resourceVersion"]
            if self._settled(nodes, grace):
                return
        events = self._cluster.watch(
            core.list_namespaced_pod, self._namespace, seconds=seconds, resource_version=self._version, **select
        )
        for event in events:
            if event["type"] == "ERROR":
                self._version = None  # it is too old by now
                return
            pod = event["object"]
            self._version = pod["metadata"]["resourceVersion"]
            if event["type"] == "DELETED":
                self._pods.pop(pod["metadata"]["name"], None)
                self.gone[pod["metadata"]["name"]] = pod
            else:
                self._pods[pod["metadata"]["name"]] = pod
            if self._settled(nodes, grace):
                return

    def _settled(self, nodes: Mapping[str, str], grace: float) -> bool:
        return all(self._is_done(name, nodes[name], grace) for name in nodes)

    def _is_done(self, name: str, node: str, grace: float) -> bool:
        pod = self._pods.get(name)
        if name in self.gone or (pod is not None and self._done(pod)):
            return True
        if pod is None:
            return False
        ready = self.nodes.get(node, {}).get("status", "True") if _is_placed(pod) else "True"
        if ready == "Unknown":  # the cluster says so of a kubelet that has been silent for long already
            return True
        if not is_hopeless(pod) and ready == "True":
            self._hopeless_since.pop(name, None)
            return False
        return self._clock() - self._hopeless_since.setdefault(name, self._clock()) >= grace

    def _open(self, nodes: Mapping[str, str], grace: float) -> list[str]:
        return [name for name in nodes if not self._is_done(name, nodes[name], grace)]

    def _ask_for_nodes(self, nodes: Mapping[str, str]) -> None:
        """Read the Nodes of Pods that were placed and are not done: their number does not make more requests."""
        open_pods = {name: pod for name, pod in self._pods.items() if name in nodes and not self._done(pod)}
        wanted = sorted({nodes[name] for name, pod in open_pods.items() if _is_placed(pod)})
        if not wanted:
            return
        selector = f"kubernetes.io/hostname in ({','.join(wanted[:_NODES_AT_ONCE])})"
        for node in self._cluster.get(self._cluster.core.list_node, label_selector=selector)["items"]:
            conditions = (node.get("status") or {}).get("conditions") or ()
            ready: Pod = next((c for c in conditions if c.get("type") == "Ready"), {})
            hostname = node["metadata"]["labels"]["kubernetes.io/hostname"]
            self.nodes[hostname] = {key: ready.get(key) for key in ("status", "reason", "message")}

    def _progress(self, nodes: Mapping[str, str], grace: float, seconds: float) -> str:
        waiting, pulling, now = [], self._pulling(nodes), self._clock()
        still_open = self._open(nodes, grace)
        for name in still_open:
            state = state_of(self._pods.get(name), pulling)
            waiting.append((nodes[name], state, now - self._state_since.setdefault((name, state), now)))
        return progress(self._what, len(nodes) - len(still_open), len(nodes), seconds, waiting)

    def _pulling(self, nodes: Mapping[str, str]) -> set[str]:
        """The Pods whose image is being pulled, as far as their events may be read: this only tells of progress."""
        if not any(state_of(pod) == "starting" for name, pod in self._pods.items() if name in nodes):
            return set()
        selector = "involvedObject.kind=Pod,reason=Pulling"
        try:
            events = self._cluster.list(
                self._cluster.core.list_namespaced_event, self._namespace, field_selector=selector
            )
        except ApiError:
            return set()
        return {str(event["involvedObject"]["name"]) for event in events}


def _is_placed(pod: Mapping[str, t.Any]) -> bool:
    return bool((pod.get("spec") or {}).get("nodeName"))


def has_ended(pod: Mapping[str, t.Any]) -> bool:
    """Whether the Pod has ended, or its own containers have: one that was put in beside them may run on."""
    status = pod.get("status") or {}
    if status.get("phase") in ("Succeeded", "Failed"):
        return True
    names = {container["name"] for container in (pod.get("spec") or {}).get("containers") or ()}
    own = names & set(OWN_CONTAINERS)
    return bool(own) and own != names and own <= _ended_containers(status)


def _ended_containers(status: Mapping[str, t.Any]) -> set[str]:
    statuses = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    return {str(one.get("name")) for one in statuses if (one.get("state") or {}).get("terminated")}


def is_hopeless(pod: Mapping[str, t.Any]) -> bool:
    """Whether the Pod waits for something that does not come by itself."""
    status = pod["status"]
    for condition in status.get("conditions") or ():
        if condition["type"] == "PodScheduled" and condition.get("reason") == "Unschedulable":
            return True
    statuses: Iterable[t.Any] = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    return any(((c.get("state") or {}).get("waiting") or {}).get("reason") in _HOPELESS_WAITING for c in statuses)


def read_remains(cluster: Cluster, pods: Mapping[str, Pod], log_bytes: int) -> dict[str, dict[str, t.Any]]:
    """Return for each Pod its object with ``log``, ``log_error``, ``log_cut_off`` and ``events``.

    Logs are read of the containers that ran, events of the Pods that did not come to an end.
    """

    def remains(pod: Pod) -> dict[str, t.Any]:
        ended = _ended_containers(pod.get("status") or {})
        ran = next((name for name in ("smoke", "control") if name in ended), None)
        log = _log(cluster, pod, ran, log_bytes) if ran else {"log": None, "log_error": None, "log_cut_off": False}
        cuda = {"cuda": _log(cluster, pod, "cuda", log_bytes)} if "cuda" in ended else {}
        return {"pod": _kept(pod), **log, **cuda, "events": [] if has_ended(pod) and ended else _events(cluster, pod)}

    with ThreadPoolExecutor(_LOG_READERS) as readers:
        return dict(zip(pods, readers.map(remains, pods.values()), strict=True))


def _log(cluster: Cluster, pod: Pod, container: str, log_bytes: int) -> dict[str, t.Any]:
    where = (pod["metadata"]["name"], pod["metadata"]["namespace"])
    select = {"container": container, "limit_bytes": log_bytes}
    error = ""
    for attempt in range(_LOG_TRIES):
        if attempt:
            time.sleep(1.0)
        try:
            log = cluster.text(cluster.core.read_namespaced_pod_log, *where, **select)
            if log or attempt == _LOG_TRIES - 1:  # an empty one may not have been written out yet
                return {"log": log, "log_error": None, "log_cut_off": len(log.encode()) >= log_bytes}
        except ApiError as refusal:
            error = str(refusal)
            if refusal.status == 404:
                break  # the Pod is gone
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
    """The Pod without what nobody judges."""
    spec = {key: pod["spec"].get(key) for key in _KEPT_SPEC}
    for kind in ("initContainers", "containers"):
        if pod["spec"].get(kind):
            spec[kind] = [{key: c.get(key) for key in ("name", "image", "resources")} for c in pod["spec"][kind]]
    return {"metadata": {key: pod["metadata"].get(key) for key in _KEPT}, "spec": spec, "status": pod["status"]}
