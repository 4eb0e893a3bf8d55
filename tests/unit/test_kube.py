# SPDX-License-Identifier: GPL-3.0-or-later
"""Access to the API: pages, watches, time-outs, and refusals in words that a person can act on."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from ansible_collections.gpu.k8s.plugins.module_utils._access import applicable
from ansible_collections.gpu.k8s.plugins.module_utils._cluster import answer, read_cluster
from ansible_collections.gpu.k8s.plugins.module_utils._kube import ApiError, Cluster

NODES = [{"metadata": {"name": f"node{n}", "labels": {}, "managedFields": ["much"]}, "spec": {}} for n in range(5)]


class Server(ThreadingHTTPServer):
    """Keeps the paths that it was asked for."""

    daemon_threads = True
    asked: list[str]


class Api(BaseHTTPRequestHandler):
    """The few paths of an API server that the tests ask for."""

    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        url = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        if url.path == "/version/":
            self.answer({"gitVersion": "v1.37.2"})
        elif url.path == "/api/v1/namespaces/kube-system":
            self.refuse(403, 'namespaces "kube-system" is forbidden')
        elif url.path == "/api/v1/nodes":
            begin = int(query.get("continue", 0))
            more = str(begin + 2) if begin + 2 < len(NODES) else ""
            self.answer({"items": NODES[begin : begin + 2], "metadata": {"continue": more}})
        elif url.path == "/api/v1/pods":
            self.refuse(403, "pods is forbidden")
        elif url.path == "/apis/node.k8s.io/v1/runtimeclasses":
            self.refuse(401, "Unauthorized")
        elif url.path == "/api/v1/namespaces/default/pods" and query.get("watch"):
            self.stream([{"type": "ADDED", "object": {"n": n}} for n in range(3)])
        elif url.path == "/api/v1/namespaces/default/pods/odd/log":
            self.send(200, b"\xff begin \x00\n")
        elif url.path == "/api/v1/namespaces/default/pods/slow/log":
            time.sleep(3)
        else:
            self.refuse(404, "not found")

    def do_POST(self) -> None:
        """The reviews: who this is, and what it may do. One of them fails."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(self.path)
        if body["kind"] == "SelfSubjectReview":
            self.answer({"status": {"userInfo": {"username": "jane"}}})
            return
        wanted = body["spec"]["resourceAttributes"]
        if wanted["resource"] == "events":
            self.refuse(500, "the authorizer does not answer")
        else:
            self.answer({"status": {"allowed": (wanted["verb"], wanted.get("namespace")) != ("create", "lab")}})

    def do_PATCH(self) -> None:
        """Tells what it was sent."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer({"sent": body, "as": self.headers["Content-Type"], "to": self.path})

    def answer(self, content: dict) -> None:
        self.send(200, json.dumps(content).encode())

    def refuse(self, status: int, message: str) -> None:
        self.send(status, json.dumps({"kind": "Status", "message": message}).encode())

    def send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, events: list[dict]) -> None:
        """Events in pieces that end in the middle of a line, and then a connection that stays open for a while."""
        text = "".join(json.dumps(event) + "\n" for event in events)
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in (text[:20], text[20:]):
            self.wfile.write(f"{len(piece):x}\r\n{piece}\r\n".encode())
            self.wfile.flush()
            time.sleep(0.05)
        time.sleep(1)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def api() -> Iterator[Server]:
    server = Server(("127.0.0.1", 0), Api)
    server.asked = []
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def kubeconfig(api: Server, tmp_path: Path) -> str:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "here", "cluster": {"server": f"http://127.0.0.1:{api.server_port}"}}],
        "users": [{"name": "me", "user": {"token": "secret-token"}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
        "current-context": "here",
    }
    path = tmp_path / "kubeconfig"
    path.write_text(json.dumps(config))
    return str(path)


@pytest.fixture
def cluster(kubeconfig: str) -> Cluster:
    return Cluster(kubeconfig, "here", timeout=0.5)


def test_lists_come_in_pages(cluster: Cluster, api: Server) -> None:
    assert [node["metadata"]["name"] for node in cluster.list(cluster.core.list_node)] == [f"node{n}" for n in range(5)]
    assert len(api.asked) == 3


def test_a_patch_is_sent_as_the_operations_that_it_is(cluster: Cluster) -> None:
    patch = [{"op": "remove", "path": "/spec/taints/0"}]
    told = cluster.get(cluster.core.patch_node, "node1", body=patch)
    assert told == {"sent": patch, "as": "application/json-patch+json", "to": "/api/v1/nodes/node1"}


def test_a_watch_yields_whole_events_and_can_be_left_early(cluster: Cluster) -> None:
    events = cluster.watch(cluster.core.list_namespaced_pod, "default", seconds=2)
    begin = time.monotonic()
    assert [next(events)["object"]["n"] for _event in range(3)] == [0, 1, 2]
    events.close()
    assert time.monotonic() - begin < 1


def test_a_log_may_hold_any_bytes(cluster: Cluster) -> None:
    assert cluster.text(cluster.core.read_namespaced_pod_log, "odd", "default") == "� begin \x00\n"


def test_a_server_that_hangs_is_an_error_in_time(cluster: Cluster) -> None:
    begin = time.monotonic()
    with pytest.raises(ApiError, match="does not answer"):
        cluster.text(cluster.core.read_namespaced_pod_log, "slow", "default")
    assert time.monotonic() - begin < 2.5


def test_a_server_that_is_not_there_is_an_error(cluster: Cluster, api: Server) -> None:
    api.shutdown()
    api.server_close()
    with pytest.raises(ApiError, match=r"does not answer: .*refused"):
        cluster.get(cluster.version.get_code)


@pytest.mark.parametrize(
    ("method", "says"),
    [
        ("list_pod_for_all_namespaces", "HTTP 403: pods is forbidden (it is forbidden to this identity)"),
        ("list_service_for_all_namespaces", "HTTP 404: not found"),
    ],
)
def test_a_refusal_says_what_the_server_says(cluster: Cluster, method: str, says: str) -> None:
    with pytest.raises(ApiError) as caught:
        cluster.get(getattr(cluster.core, method))
    assert str(caught.value) == says


def test_reads_what_it_may_and_says_what_it_may_not(kubeconfig: str) -> None:
    answer = read_cluster(kubeconfig, "here", 1.0, ["nodes", "pods", "runtime_classes"], "default")
    assert (answer["error"], answer["version"], answer["uid"]) == (None, "v1.37.2", None)
    assert len(answer["lists"]["nodes"]["items"]) == 5
    assert "managedFields" not in answer["lists"]["nodes"]["items"][0]["metadata"]
    assert answer["lists"]["pods"]["items"] is None
    assert "forbidden" in answer["lists"]["pods"]["error"]
    assert "credentials were refused" in answer["lists"]["runtime_classes"]["error"]
    assert "secret-token" not in json.dumps(answer)


def test_reviews_what_this_identity_may_do(kubeconfig: str, api: Server) -> None:
    answer = read_cluster(kubeconfig, "here", 1.0, [], "lab", {"smoke_namespace": "lab"})
    access = answer["access"]
    assert answer["identity"] == "jane"
    assert [(row["verb"], row["resource"]) for row in access["denied"]] == [("create", "pods")]
    assert {row["resource"] for row in access["not_known"]} == {"events"}
    reviews = [path for path in api.asked if path.endswith("/selfsubjectaccessreviews")]
    assert len(reviews) == access["asked"] == len(applicable(["device_plugin"]))


@pytest.mark.parametrize(
    ("content", "context", "says"),
    [
        (None, "here", "No such file"),
        ("just words", "here", "can't be used"),
        ("{}", "here", "has no context 'here'; it has: none"),
        (None, "there", "No such file"),
    ],
)
def test_a_kubeconfig_that_can_not_be_used(tmp_path: Path, content: str | None, context: str, says: str) -> None:
    path = tmp_path / "config"
    if content is not None:
        path.write_text(content)
    answer = read_cluster(str(path), context, 1.0, ["nodes"], "default")
    assert says in answer["error"]
    assert "lists" not in answer


def test_a_cluster_that_did_not_answer_is_not_asked_again(api: ThreadingHTTPServer, kubeconfig: str) -> None:
    given = {"kubeconfig": kubeconfig, "context": "here", "request_timeout": 1.0, "read": ["nodes"]}
    given |= {"namespace": "default", "review_for": None, "cluster_uid": ""}
    silent = {"error": "it hangs", "error_kind": "unreachable", "server": "https://192.0.2.1"}
    assert answer({**given, "after": silent}) | {"taken": ""} == {**silent, "taken": ""}
    assert api.asked == []
    assert answer({**given, "after": {"error": None}})["lists"]["nodes"]["items"]


def test_the_current_context_is_never_used(kubeconfig: str) -> None:
    answer = read_cluster(kubeconfig, "", 1.0, [], "default")
    assert "has no context ''; it has: here" in answer["error"]
