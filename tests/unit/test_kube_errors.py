# SPDX-License-Identifier: GPL-3.0-or-later
"""Every way in which the API can stay out of reach is told apart, in words to act on and without a secret."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import threading
import time
import typing as t
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ansible_collections.gpu.k8s.plugins.module_utils import _kubeconfig
from ansible_collections.gpu.k8s.plugins.module_utils._cluster import read_cluster
from ansible_collections.gpu.k8s.plugins.module_utils._kube import ApiError, Cluster

SECRET = "s3cret-" + "x" * 60
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy")

Answer = tuple[int, str, str]


class Server(ThreadingHTTPServer):
    """Answers every request alike; ``pages`` are the answers to the lists that come in pages, each used once."""

    daemon_threads = True
    answer: Answer = (200, "application/json", json.dumps({"gitVersion": "v1.37.2"}))
    pages: list[Answer]

    def handle_error(self, *_args: t.Any) -> None:
        """A client that hangs up over a certificate is what is tested."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        status, content_type, body = self.server.pages.pop(0) if self.server.pages else self.server.answer
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def do_POST(self) -> None:
        self.do_GET()

    def do_CONNECT(self) -> None:
        self.do_GET()

    def log_message(self, *_args: t.Any) -> None:
        pass


@pytest.fixture(autouse=True)
def _no_proxy_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server(("127.0.0.1", 0), Handler)
    one.pages = []
    threading.Thread(target=one.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield one
    one.shutdown()
    one.server_close()


def self_signed(folder: Path) -> tuple[Path, Path]:
    """A certificate for the name api.example.com, and its key."""
    key, file = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=api.example.com"),
            *("-addext", "subjectAltName=DNS:api.example.com", "-keyout", key, "-out", file),
        ],
        check=True,
        capture_output=True,
    )
    return file, key


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return self_signed(tmp_path_factory.mktemp("tls"))


def with_tls(server: Server, certificate: tuple[Path, Path], client_authority: Path | None = None) -> str:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    if client_authority:
        context.verify_mode = ssl.CERT_REQUIRED
        context.maximum_version = ssl.TLSVersion.TLSv1_2  # in which the alert comes before anything else can
        context.load_verify_locations(client_authority)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    return f"https://127.0.0.1:{server.server_port}"


def asked(folder: Path, address: str, user: dict[str, t.Any] | None = None, **cluster: t.Any) -> dict[str, t.Any]:
    """What cluster_info answers about this address."""
    config = {
        "clusters": [{"name": "here", "cluster": {"server": address, **cluster}}],
        "users": [{"name": "me", "user": {"token": SECRET} if user is None else user}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
    }
    path = folder / "kubeconfig"
    path.write_text(json.dumps(config))
    answer = read_cluster(str(path), "here", 1.0, ["nodes"], "default", {"smoke_ask": "device_plugin"})
    assert SECRET not in json.dumps(answer)
    assert "Traceback" not in str(answer["error"])
    return answer


def address(server: Server) -> str:
    return f"http://127.0.0.1:{server.server_port}"


STATUS = json.dumps({"kind": "Status", "message": "Unauthorized"})


@pytest.mark.parametrize(
    ("answer", "kind", "says"),
    [
        ((401, "application/json", STATUS), "credentials", "HTTP 401: Unauthorized (the credentials were refused)"),
        (
            (401, "text/html", f"<html>{SECRET}</html>"),
            "credentials",
            "HTTP 401: Unauthorized, and not as a Kubernetes",
        ),
        (
            (200, "text/html; charset=utf-8", f"<html>{SECRET}</html>"),
            "not_kubernetes",
            "answers with text/html, and not",
        ),
        ((200, "application/json", '["a"]'), "not_kubernetes", "answers with application/json, and not as"),
        ((200, "application/json", '{"service": "another"}'), "not_kubernetes", "not as a Kubernetes API does"),
        ((403, "text/plain", "blocked"), "not_kubernetes", "HTTP 403: Forbidden, and not as a Kubernetes API does"),
        ((404, "text/plain", "404 page not found"), "not_kubernetes", "HTTP 404: Not Found, and not as"),
        ((503, "text/html", "<html>"), None, "HTTP 503: Service Unavailable"),
        ((429, "text/plain", "Too many requests"), None, "HTTP 429: Too Many Requests"),
    ],
)
def test_what_answers_may_be_something_else(
    server: Server, tmp_path: Path, answer: Answer, kind: str | None, says: str
) -> None:
    server.answer = answer
    got = asked(tmp_path, address(server))
    assert got["error_kind"] == kind
    assert says in got["error"]
    assert "lists" not in got


def test_a_name_without_an_address(tmp_path: Path) -> None:
    got = asked(tmp_path, "https://api.invalid:6443")
    assert "https://api.invalid:6443 does not answer: this machine finds no address for its name" in got["error"]
    assert got["error_kind"] is None


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        got = asked(tmp_path, f"https://127.0.0.1:{free.getsockname()[1]}")
    assert "does not answer: " in got["error"]
    assert "Connection refused" in got["error"]


def test_a_server_that_says_nothing_is_given_up(tmp_path: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        begin = time.monotonic()
        got = asked(tmp_path, f"http://127.0.0.1:{silent.getsockname()[1]}")
    assert "does not answer in time" in got["error"]
    assert time.monotonic() - begin < 5


def test_a_certificate_of_an_unknown_authority(server: Server, tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    got = asked(tmp_path, with_tls(server, certificate))
    assert got["error_kind"] == "not_trusted"
    assert "is not trusted: self" in got["error"]


def test_a_certificate_for_another_name(server: Server, tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    where, authority = with_tls(server, certificate), {"certificate-authority": str(certificate[0])}
    got = asked(tmp_path, where, **authority)
    assert got["error_kind"] == "not_trusted"
    assert "is for another name or address: IP address mismatch" in got["error"]
    trusted = asked(tmp_path, where, **authority, **{"tls-server-name": "api.example.com"})
    assert trusted["version"] == "v1.37.2"


@pytest.mark.filterwarnings("ignore:Unverified HTTPS request")
def test_a_client_certificate_that_the_server_refuses(
    server: Server, tmp_path: Path, certificate: tuple[Path, Path]
) -> None:
    where = with_tls(server, certificate, client_authority=certificate[0])
    file, key = self_signed(tmp_path)
    user = {"client-certificate": str(file), "client-key": str(key)}
    got = asked(tmp_path, where, user, **{"insecure-skip-tls-verify": True})
    assert got["error_kind"] == "credentials"
    assert "refuses the client certificate: " in got["error"]


def test_a_port_without_tls(server: Server, tmp_path: Path) -> None:
    got = asked(tmp_path, address(server).replace("http", "https"))
    assert got["error_kind"] == "not_kubernetes"
    assert "does not speak TLS as an API server does" in got["error"]


# ---- proxies


def test_a_proxy_that_wants_a_password(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answer = (407, "text/html", "<html>")
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:{SECRET}@127.0.0.1:{server.server_port}")
    got = asked(tmp_path, "https://192.0.2.1:6443")
    assert f"the proxy http://127.0.0.1:{server.server_port} does not lead to https://192.0.2.1:6443" in got["error"]
    assert "407" in got["error"]
    assert "NO_PROXY" in got["error"]


def test_a_proxy_that_answers_itself(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answer = (200, "text/html", "<html>log in</html>")
    monkeypatch.setenv("HTTP_PROXY", f"http://user:{SECRET}@127.0.0.1:{server.server_port}")
    got = asked(tmp_path, "http://192.0.2.1:8080")
    assert "answers with text/html" in got["error"]
    assert f"through the proxy http://127.0.0.1:{server.server_port}" in got["error"]
    assert got["error_kind"] == "not_kubernetes"


def test_a_server_that_is_excepted_from_the_proxy(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer = (200, "text/html", "<html>")
    monkeypatch.setenv("HTTP_PROXY", "http://192.0.2.9:3128")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    got = asked(tmp_path, address(server))
    assert "answers with text/html" in got["error"]
    assert "proxy" not in got["error"]


# ---- credential plugins


def plugin(command: str, *arguments: str) -> dict[str, t.Any]:
    version = "client.authentication.k8s.io/v1"
    return {"exec": {"apiVersion": version, "command": command, "args": [*arguments], "interactiveMode": "Never"}}


def test_a_credential_plugin_that_is_not_installed(server: Server, tmp_path: Path) -> None:
    got = asked(tmp_path, address(server), plugin("no-such-login"))
    assert got["error_kind"] == "credentials"
    assert "the credential plugin 'no-such-login' of the context 'here'" in got["error"]
    assert "No such file or directory" in got["error"]


def test_a_credential_plugin_that_fails(server: Server, tmp_path: Path) -> None:
    got = asked(tmp_path, address(server), plugin("/bin/sh", "-c", f"echo 'session expired {SECRET}' >&2; exit 3"))
    assert got["error_kind"] == "credentials"
    assert "exec: process returned 3. session expired ***" in got["error"]


def test_a_credential_plugin_that_talks_nonsense(server: Server, tmp_path: Path) -> None:
    got = asked(tmp_path, address(server), plugin("/bin/sh", "-c", f"echo '{SECRET}'"))
    assert got["error_kind"] == "credentials"
    assert "failed to decode process output" in got["error"]


def test_a_credential_plugin_that_waits_for_a_person(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_kubeconfig, "LOGIN_SECONDS", 0.3)
    got = asked(tmp_path, address(server), plugin("/bin/sh", "-c", "exec sleep 2"))
    assert got["error_kind"] == "credentials"
    assert "may wait for a login" in got["error"]


def test_a_credential_plugin_that_works(server: Server, tmp_path: Path) -> None:
    credential = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "t"}}
    answer = asked(tmp_path, address(server), plugin("/bin/echo", json.dumps(credential)))
    assert answer["version"] == "v1.37.2"


@pytest.mark.parametrize(("user", "kind"), [({}, "credentials"), ({"token": SECRET}, None)])
def test_a_user_without_credentials(server: Server, tmp_path: Path, user: dict[str, t.Any], kind: str | None) -> None:
    forbidden = (403, "application/json", json.dumps({"kind": "Status", "message": "is forbidden"}))
    server.pages = [forbidden, server.answer]
    assert asked(tmp_path, address(server), user)["error_kind"] == kind


def test_a_broken_kubeconfig_is_not_quoted(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(f"users:\n  - name: me\n    user: {{token: {SECRET}\n  x: [")
    answer = read_cluster(str(path), "here", 1.0, [], "default")
    assert "is no YAML" in answer["error"]
    assert SECRET not in answer["error"]


# ---- lists


def page(items: t.Any, token: str = "") -> Answer:
    return (200, "application/json", json.dumps({"items": items, "metadata": {"continue": token}}))


@pytest.fixture
def cluster(server: Server, tmp_path: Path) -> Cluster:
    asked(tmp_path, address(server))
    return Cluster(str(tmp_path / "kubeconfig"), "here", 1.0)


def test_a_list_begins_anew_when_the_server_has_forgotten_its_place(server: Server, cluster: Cluster) -> None:
    gone = (410, "application/json", json.dumps({"kind": "Status", "message": "the resourceVersion is too old"}))
    server.pages = [page([{"n": 1}], "more"), gone, page([{"n": 1}, {"n": 2}])]
    assert cluster.list(cluster.core.list_node) == [{"n": 1}, {"n": 2}]


def test_an_empty_list_may_be_null(server: Server, cluster: Cluster) -> None:
    server.pages = [page(None)]
    assert cluster.list(cluster.core.list_node) == []


def test_what_is_no_list_is_not_an_empty_one(cluster: Cluster) -> None:
    with pytest.raises(ApiError, match="not as a Kubernetes API does"):
        cluster.list(cluster.core.list_node)
