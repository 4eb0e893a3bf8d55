# SPDX-License-Identifier: GPL-3.0-or-later
"""A Kubernetes API that answers with saved evidence, for as much as a verification asks.

    api_server.py start FOLDER    serve the clusters of the cases on standard input; FOLDER gets the kubeconfig
    api_server.py stop FOLDER     end the server that was started there

A cluster is a context of the kubeconfig, and a path of the server; each of its cases is one of its Nodes. The cases
are those of a scenario's vars/cases.yml, as JSON. What a Pod comes to is read from the evidence of the Node that its
nodeSelector names, with the nonce of the new Pod in its log. Of a debug Pod it is what the look of that way tells.
"""

from __future__ import annotations

import copy
import json
import os
import re
import signal
import sys
import time
import typing as t
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from json_patch import PatchError, patched
from saved import saved

Object = dict[str, t.Any]

LIFETIME = 600
"""Seconds after which the server ends by itself, should nobody stop it."""

COMPONENT = "app.kubernetes.io/component"

OBJECTS = {
    "daemonsets": "daemon_sets",
    "events": "daemon_set_events",
    "resourceslices": "resource_slices",
    "deviceclasses": "device_classes",
    "clusterpolicies": "cluster_policies",
    "nvidiadrivers": "nvidia_drivers",
    "runtimeclasses": "runtime_classes",
    "priorityclasses": "priority_classes",
    "resourcequotas": "resource_quotas",
    "limitranges": "limit_ranges",
}
"""The evidence's names of the lists, by the API's."""

TAINT_OF_ANOTHER = {"key": "example.com/theirs", "effect": "NoSchedule"}
"""What another writer puts before all other taints of a Node, just before its first patch comes."""


class AnswerError(Exception):
    """What the server answers instead of an object."""

    def __init__(self, message: str, status: int = 404, details: Object | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.details = details or {}


class NoAnswerError(Exception):
    """The server closes the connection."""


class Cluster:
    """The Nodes of one cluster, and the Pods that were made there."""

    def __init__(self, names: list[str]) -> None:
        self.evidence = {name.rpartition("/")[2]: saved(name) for name in names}
        self.pods: dict[str, Object] = {}
        for host, one in self.evidence.items():
            if one["kubernetes"]["node"]:
                one["kubernetes"]["node"] = as_node(one["kubernetes"]["node"], host)

    def reach(self) -> None:
        """Fail as the evidence says that the whole cluster did."""
        for one in self.evidence.values():
            fail_as(one["kubernetes"]["error"])

    def items(self, plural: str, labels: str | None) -> list[Object]:
        if plural == "pods" and labels:  # of our own
            wanted = set(labels.split(","))
            return [pod for pod in self.pods.values() if wanted <= labels_of(pod)]
        items: list[Object] = []
        for host, one in self.evidence.items():
            found, error = of_one(plural, one["kubernetes"])
            fail_as(error)
            as_served = AS_SERVED.get(plural, unchanged)
            items += [served for item in found or () if (served := as_served(item, host)) not in items]
        return items

    def namespace(self, name: str) -> Object:
        if name == "kube-system":
            return {"metadata": {"name": name, "uid": str(uuid.uuid5(uuid.NAMESPACE_DNS, " ".join(self.evidence)))}}
        for one in self.evidence.values():
            for item in one["kubernetes"]["objects"]["namespace"]["items"] or ():
                return item
        raise AnswerError(f'namespaces "{name}" not found')

    def node(self, name: str) -> Object:
        if name not in self.evidence or not self.evidence[name]["kubernetes"]["node"]:
            raise AnswerError(f'nodes "{name}" not found')
        return self.evidence[name]["kubernetes"]["node"]

    def patch_node(self, name: str, operations: list[Object]) -> Object:
        """Carry out a JSON patch. Before the first one the Node is changed, so that it rests on what is no more so."""
        node = self.node(name)
        if node["metadata"]["resourceVersion"] == "1":
            node["spec"]["taints"] = [TAINT_OF_ANOTHER, *(node["spec"].get("taints") or ())]
            node["metadata"]["resourceVersion"] = "2"
        try:
            node = patched(node, operations)
        except PatchError as error:
            raise AnswerError(str(error), 422) from error
        node["metadata"]["resourceVersion"] = str(int(node["metadata"]["resourceVersion"]) + 1)
        self.evidence[name]["kubernetes"]["node"] = node
        return node

    def may(self, asked: Object) -> bool:
        scope = {"": "cluster", "kube-system": "kube-system"}.get(asked.get("namespace", ""), "smoke namespace")
        row = {key: asked.get(key, "") for key in ("verb", "group", "resource", "subresource")} | {"scope": scope}
        reviews = [one["kubernetes"].get("access") or {} for one in self.evidence.values()]
        return not any(row in review.get("denied", ()) for review in reviews)

    def create(self, pod: Object, dry_run: bool) -> Object:
        if is_debug(pod):
            refuse_debug(pod, self.look_of(pod))
        else:
            seen = self.seen_of(pod)
            fail_as(seen.get("dry_run_error") if dry_run else seen["create_error"])
        if dry_run:
            return pod
        pod["metadata"] |= {"uid": str(uuid.uuid4()), "resourceVersion": "1", "creationTimestamp": now()}
        pod["status"] = {"phase": "Pending"}
        self.pods[pod["metadata"]["name"]] = pod
        return pod

    def go_on(self) -> list[Object]:
        """Bring each new Pod as far as that of the evidence came. Return those that changed, as a watch does."""
        new = [pod for pod in self.pods.values() if pod["metadata"]["resourceVersion"] == "1"]
        for pod in new:
            pod["metadata"]["resourceVersion"] = "2"
            if is_debug(pod):
                pod["status"] = debug_status(self.look_of(pod))
                continue
            before = self.seen_of(pod)["pod"] or {"spec": {}, "status": {"phase": "Pending"}}
            pod["spec"]["schedulerName"] = "default-scheduler"
            if before["spec"].get("nodeName"):
                pod["spec"]["nodeName"] = host_of(pod)
            pod["status"] = before["status"]
        return [{"type": "MODIFIED", "object": pod} for pod in new]

    def seen_of(self, pod: Object) -> Object:
        which = "smoke_pod" if pod["metadata"]["labels"][COMPONENT] == "smoke" else "control_pod"
        seen = self.evidence[host_of(pod)][which]
        if not seen or "nonce" not in seen:  # a refusal is said of both
            seen = self.evidence[host_of(pod)]["smoke_pod"]
        if not seen or "not_tried" in seen:
            raise AnswerError("the evidence tells of no Pod on this Node", 500)
        return seen

    def look_of(self, debug_pod: Object) -> Object:
        return self.evidence[debug_pod["spec"]["nodeName"]]["driver"]

    def log(self, name: str) -> str:
        pod = self.pod(name)
        seen = self.seen_of(pod)
        fail_as(seen["log_error"])
        (container,) = pod["spec"]["containers"]
        return seen["log"].replace(seen["nonce"], container["command"][3])

    def pod(self, name: str) -> Object:
        if name not in self.pods:
            raise AnswerError(f'pods "{name}" not found')
        return self.pods[name]


def host_of(pod: Object) -> str:
    return pod["spec"]["nodeSelector"]["kubernetes.io/hostname"]


def labels_of(pod: Object) -> set[str]:
    return {f"{key}={value}" for key, value in pod["metadata"]["labels"].items()}


def is_debug(pod: Object) -> bool:
    return pod["metadata"]["labels"][COMPONENT] == "debug"


def refuse_debug(pod: Object, look: Object) -> None:
    """Answer as the API did where the evidence tells that a debug Pod was not taken."""
    error = look["error"] or {}
    if error.get("cause") == "no_namespace":
        raise AnswerError(error["reason"], details={"name": pod["metadata"]["namespace"], "kind": "namespaces"})
    if error.get("cause") == "refused":
        said = error["reason"].partition(": ")[2]
        raise AnswerError(f'pods "{pod["metadata"]["name"]}" is forbidden: {said}', 403)


def debug_status(look: Object) -> Object:
    """Return how far the debug Pod came that the evidence tells of: it runs, but for its image."""
    error = look["error"] or {}
    if error.get("cause") == "image":
        reason, _colon, message = error["reason"].partition(": ")
        state = {"waiting": {"reason": reason, "message": message}}
    else:
        state = {"running": {"startedAt": now()}}
    status = {"name": "debug", "ready": False, "restartCount": 0, "image": "", "imageID": "", "state": state}
    return {"phase": "Pending" if "waiting" in state else "Running", "containerStatuses": [status]}


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def fail_as(error: str | None) -> None:
    """Answer so that a client sees this error."""
    if not error:
        return
    status = re.search(r'"code":(\d+)', error) or re.match(r"HTTP (\d+): ", error)
    message = re.search(r'"message":"(.*?)(?<!\\)"', error, re.DOTALL)
    if message:  # a whole Status, as the client's library shows it
        raise AnswerError(json.loads(f'"{message[1]}"'), int(status[1]) if status else 403)
    if status:
        raise AnswerError(re.sub(r"^HTTP \d+: | \([^)]*\)$", "", error), int(status[1]))
    if "does not answer" in error:
        raise NoAnswerError
    raise AnswerError(error, 403)


# ---- as the API serves what the evidence has in short


def of_one(plural: str, seen: Object) -> tuple[list[Object] | None, str | None]:
    """Return the items of a list in the evidence of one Node, and why they could not be read."""
    if plural == "nodes":
        return [seen["node"]] if seen["node"] else [], seen["node_error"]
    if plural == "pods":
        return seen["pods"], seen["pods_error"]
    listed = seen["objects"][OBJECTS[plural]]
    return listed["items"], listed["error"]


def unchanged(item: Object, _host: str) -> Object:
    return item


def as_node(node: Object, host: str) -> Object:
    node = copy.deepcopy(node)
    node["metadata"]["name"] = node["metadata"]["labels"]["kubernetes.io/hostname"] = host
    node["metadata"] |= {"uid": str(uuid.uuid5(uuid.NAMESPACE_DNS, host)), "resourceVersion": "1"}
    node["metadata"]["annotations"] = {"node.alpha.kubernetes.io/ttl": "0"}  # each Node has some
    node["status"]["runtimeHandlers"] = [{"name": name} for name in node["status"].get("runtimeHandlers") or ()]
    return node


def as_pod(pod: Object, host: str) -> Object:
    """Of an extended resource the API server makes request and limit one."""
    pod = copy.deepcopy(pod)
    pod["metadata"]["ownerReferences"] = [pod["metadata"].pop("owner", None) or {}]
    pod["spec"]["nodeName"] = host
    for container in pod["spec"]["containers"]:
        resources = container.setdefault("resources", {})
        resources.setdefault("limits", resources.get("requests"))
    return pod


def as_daemon_set(daemon_set: Object, _host: str) -> Object:
    return {**daemon_set, "spec": {"template": {"spec": daemon_set["spec"]}}}


def as_resource_slice(one: Object, host: str) -> Object:
    names = {"uuid": "uuid", "type": "type", "product": "productName"}
    devices = [
        {**device, "attributes": {name: {"string": device.get(short)} for short, name in names.items()}}
        for device in one["spec"].get("devices") or ()
    ]
    return {**one, "spec": {**one["spec"], "nodeName": host, "devices": devices}}


AS_SERVED: dict[str, t.Callable[[Object, str], Object]] = {
    "pods": as_pod,
    "daemonsets": as_daemon_set,
    "resourceslices": as_resource_slice,
}

DISCOVERY: dict[str, Object] = {
    "/version": {"gitVersion": "v1.37.2", "major": "1", "minor": "37"},
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "groups": []},
    "/api/v1": {
        "kind": "APIResourceList",
        "groupVersion": "v1",
        "resources": [
            {
                "name": "pods",
                "singularName": "pod",
                "namespaced": True,
                "kind": "Pod",
                "verbs": ["create", "delete", "get", "list", "watch"],
            },
            {
                "name": "nodes",
                "singularName": "node",
                "namespaced": False,
                "kind": "Node",
                "verbs": ["get", "list", "patch"],
            },
        ],
    },
}


class Handler(BaseHTTPRequestHandler):
    """One request. The first part of its path is the cluster."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: the client would wait for the second
    clusters: t.ClassVar[dict[str, Cluster]] = {}

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_PATCH(self) -> None:
        self._answer(self._patch)

    def do_POST(self) -> None:
        self._answer(self._post)

    def do_DELETE(self) -> None:
        self._answer(self._delete)

    def _answer(self, method: t.Callable[[Cluster, str, Object, Object], Object | str]) -> None:
        url = urlsplit(self.path)
        _root, name, path = url.path.split("/", 2)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")
        cluster = self.clusters[unquote(name)]
        try:
            cluster.reach()
            self._send(200, method(cluster, f"/{path}", query, body))
        except AnswerError as error:
            reason = {401: "Unauthorized", 403: "Forbidden", 404: "NotFound"}.get(error.status, "InternalError")
            status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": str(error)}
            self._send(error.status, {**status, "reason": reason, "details": error.details, "code": error.status})
        except NoAnswerError:
            self.close_connection = True

    def _send(self, status: int, answer: Object | str) -> None:
        content = (answer if isinstance(answer, str) else json.dumps(answer, separators=(",", ":"))).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain" if isinstance(answer, str) else "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    @staticmethod
    def _get(cluster: Cluster, path: str, query: Object, _body: Object) -> Object | str:
        if path.rstrip("/") in DISCOVERY:
            return DISCOVERY[path.rstrip("/")]
        *_folders, parent, last = path.split("/")
        if query.get("watch"):
            events = cluster.go_on()
            if not events:
                time.sleep(min(1.0, float(query["timeoutSeconds"])))
            return "".join(json.dumps(event) + "\n" for event in events)
        if last == "log":
            return cluster.log(parent)
        if parent == "pods":
            return cluster.pod(last)
        if parent == "nodes":
            return cluster.node(last)
        if parent == "namespaces":
            return cluster.namespace(last)
        if last == "events" and "DaemonSet" not in query.get("fieldSelector", ""):
            items = []
        elif last in ("nodes", "pods", *OBJECTS):
            items = cluster.items(last, query.get("labelSelector"))
        else:
            raise AnswerError("the server could not find the requested resource")
        return {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": items}

    @staticmethod
    def _post(cluster: Cluster, path: str, query: Object, body: Object) -> Object:
        kind = path.rpartition("/")[2]
        if kind == "selfsubjectreviews":
            return {**body, "status": {"userInfo": {"username": "replay"}}}
        if kind == "selfsubjectaccessreviews":
            return {**body, "status": {"allowed": cluster.may(body["spec"]["resourceAttributes"])}}
        return cluster.create(body, dry_run="dryRun" in query)

    @staticmethod
    def _patch(cluster: Cluster, path: str, _query: Object, body: t.Any) -> Object:
        return cluster.patch_node(path.rpartition("/")[2], body)

    @staticmethod
    def _delete(cluster: Cluster, path: str, _query: Object, _body: Object) -> Object:
        name = path.rpartition("/")[2]
        gone = cluster.pod(name)
        del cluster.pods[name]
        return gone

    def log_message(self, message: str, *args: object) -> None:
        print(message % args, file=sys.stderr, flush=True)


def kubeconfig(server: str, names: t.Iterable[str]) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": f"{server}/{name}"}} for name in names],
        "users": [{"name": "replay", "user": {"token": "not-looked-at"}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": "replay"}} for name in names],
    }


def start(folder: Path) -> None:
    """Return when the server listens. It goes on in a process of its own."""
    stop(folder)
    names: dict[str, list[str]] = {}
    for case in json.load(sys.stdin):
        names.setdefault(case.get("cluster", "lab"), []).append(case["saved"])
    Handler.clusters = {cluster: Cluster(cases) for cluster, cases in names.items()}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    address = f"http://127.0.0.1:{server.server_address[1]}"
    (folder / "kubeconfig").write_text(json.dumps(kubeconfig(address, Handler.clusters)), encoding="utf-8")
    child = os.fork()
    if child:
        (folder / "api_server.pid").write_text(str(child), encoding="utf-8")
        return
    os.setsid()
    signal.alarm(LIFETIME)
    with (folder / "api_server.log").open("w", encoding="utf-8") as log:
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        server.serve_forever()


def stop(folder: Path) -> None:
    """End the server, if that process is still it."""
    marker = folder / "api_server.pid"
    if not marker.exists():
        return
    process = int(marker.read_text(encoding="utf-8"))
    command = Path(f"/proc/{process}/cmdline")
    if command.exists() and Path(__file__).name in command.read_text(encoding="utf-8"):
        os.kill(process, signal.SIGTERM)
    marker.unlink()


if __name__ == "__main__":
    {"start": start, "stop": stop}[sys.argv[1]](Path(sys.argv[2]))
