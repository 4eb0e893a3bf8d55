# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory plugin gpu.k8s.nodes: what Nodes tell as hosts, one paged list, and a cache that is not mistaken."""

from __future__ import annotations

import json
import threading
import typing as t
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from ansible.errors import AnsibleError
from ansible.inventory.data import InventoryData
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import inventory_loader
from ansible.template import Templar
from ansible.vars.manager import VariableManager
from cases import FOLDER

from ansible_collections.gpu.k8s.plugins.module_utils._node_variables import address_of, groups_of, read_gpu_node

TOLD = {path.stem: yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("inventory/nodes/*.yml"))}
UID = "7d1c3e5a-0000-4000-8000-000000000001"
ANOTHER = "7d1c3e5a-0000-4000-8000-000000000002"

Host = dict[str, t.Any]


@pytest.mark.parametrize("name", TOLD)
def test_a_node_tells_what_it_is(name: str) -> None:
    told, says = TOLD[name], TOLD[name]["says"]
    node = read_gpu_node(told["node"], "nvidia.com/gpu")
    assert {key: node[key] for key in says["gpu_node"]} == says["gpu_node"]
    assert address_of(node, ["ExternalIP", "InternalIP"]) == says["address"]
    assert groups_of(node) == says["groups"]
    assert "annotation" not in json.dumps(node)


def test_the_address_is_the_first_that_is_there() -> None:
    node = read_gpu_node(TOLD["eks_nodegroup"]["node"], "nvidia.com/gpu")
    assert address_of(node, ["ExternalIP", "InternalDNS", "InternalIP"]) == "ip-10-0-1-20.ec2.internal"
    assert address_of(node, ["ExternalIP", "name"]) == node["name"]
    assert address_of(node, ["ExternalIP"]) is None


def test_a_resource_of_another_name_counts() -> None:
    node = {"metadata": {"name": "a"}, "status": {"capacity": {"example.com/h100": "8", "nvidia.com/x": "1"}}}
    told = read_gpu_node(node, "example.com/h100")
    assert (told["has_gpus"], told["count"], told["capacity"]) == (True, 8, {"example.com/h100": 8})


# ---- against an API server


class Server(ThreadingHTTPServer):
    """Serves these Nodes, and keeps what it was asked for."""

    daemon_threads = True
    nodes: list[dict[str, t.Any]]
    uid: str
    asked: list[str]

    def asked_for_nodes(self) -> list[dict[str, str]]:
        urls = [urlsplit(one) for one in self.asked]
        return [{k: v[0] for k, v in parse_qs(u.query).items()} for u in urls if u.path == "/api/v1/nodes"]


class Api(BaseHTTPRequestHandler):
    """Namespace kube-system and the list of Nodes, in pages as large as they are asked for."""

    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        url = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        if url.path == "/api/v1/namespaces/kube-system" and self.server.uid:
            self.answer(200, {"metadata": {"uid": self.server.uid}})
        elif url.path == "/api/v1/nodes" and query.get("labelSelector") != "forbidden=yes":
            wanted = query.get("labelSelector", "").partition("=")
            labels = [node["metadata"].get("labels") or {} for node in self.server.nodes]
            nodes = [
                node
                for node, has in zip(self.server.nodes, labels, strict=True)
                if not wanted[0] or has.get(wanted[0]) == wanted[2]
            ]
            begin, limit = int(query.get("continue", 0)), int(query["limit"])
            more = str(begin + limit) if begin + limit < len(nodes) else ""
            self.answer(200, {"items": nodes[begin : begin + limit], "metadata": {"continue": more}})
        else:
            self.answer(403, {"kind": "Status", "message": f"{url.path} is forbidden"})

    def answer(self, status: int, content: dict[str, t.Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        pass


@pytest.fixture
def api() -> Iterator[Server]:
    server = Server(("127.0.0.1", 0), Api)
    server.nodes, server.uid, server.asked = [told["node"] for told in TOLD.values()], UID, []
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def write(api: Server, tmp_path: Path) -> Callable[..., str]:
    """Write an inventory file with these options, for the cluster that the server plays."""
    kubeconfig = tmp_path / "kubeconfig"
    users = [{"name": "me", "user": {"token": "secret-token"}}]
    clusters = [{"name": "here", "cluster": {"server": f"http://127.0.0.1:{api.server_port}"}}]
    contexts = [{"name": name, "context": {"cluster": "here", "user": "me"}} for name in ("here", "there")]
    kubeconfig.write_text(json.dumps({"clusters": clusters, "users": users, "contexts": contexts}))

    def file(name: str = "nodes.gpu_k8s.yml", **options: t.Any) -> str:
        given = {"plugin": "gpu.k8s.nodes", "context": "here", "kubeconfig": str(kubeconfig), **options}
        path = tmp_path / name
        path.write_text(yaml.safe_dump({key: value for key, value in given.items() if value is not None}))
        return str(path)

    return file


def load(*paths: str, cache: bool = True) -> InventoryManager:
    """Load the inventory as every command of Ansible does."""
    return InventoryManager(DataLoader(), sources=list(paths), cache=cache)


def failure(path: str) -> str:
    """What the plugin fails with."""
    with pytest.raises(AnsibleError) as caught:
        inventory_loader.get("gpu.k8s.nodes").parse(InventoryData(), DataLoader(), path, cache=True)
    assert "secret-token" not in str(caught.value)
    return str(caught.value)


def names(inventory: InventoryManager, pattern: str) -> list[str]:
    return sorted(host.name for host in inventory.get_hosts(pattern))


def test_gpu_nodes_become_hosts_with_groups(write: Callable[..., str]) -> None:
    inventory = load(write())
    with_gpus = sorted(t["node"]["metadata"]["name"] for t in TOLD.values() if t["says"]["gpu_node"]["has_gpus"])
    assert names(inventory, "gpu_nodes") == names(inventory, "all") == with_gpus
    gke = "gke-main-training-1f2e3d4c-x7k2"
    for group in ("gpu_owner_gke", "gpu_model_nvidia_h100_80gb", "gpu_zone_us_central1_a", "gpu_pool_training"):
        assert names(inventory, group) == [gke]
    host = inventory.get_host(gke).get_vars()
    assert (host["ansible_host"], host["gpu_k8s_node_name"], host["gpu_node"]["count"]) == ("10.128.0.7", gke, 8)
    assert "ansible_host" not in inventory.get_host("worker-3").get_vars()


def test_localhost_knows_which_cluster_to_verify(write: Callable[..., str], tmp_path: Path) -> None:
    inventory = load(write(resource="nvidia.com/mig-1g.5gb"))
    known = VariableManager(DataLoader(), inventory).get_vars(host=inventory.get_host("localhost"))
    assert {name: value for name, value in known.items() if name.startswith("gpu_k8s_")} == {
        "gpu_k8s_context": "here",
        "gpu_k8s_kubeconfig": str(tmp_path / "kubeconfig"),
        "gpu_k8s_cluster_uid": UID,
        "gpu_k8s_resource": "nvidia.com/mig-1g.5gb",
    }


def test_what_the_user_sets_stays(write: Callable[..., str], tmp_path: Path) -> None:
    own = tmp_path / "a-own.yml"
    own.write_text("all: {vars: {gpu_k8s_kubeconfig: /elsewhere}}\n")
    path = write()
    (tmp_path / "group_vars").mkdir()
    (tmp_path / "group_vars/all.yml").write_text("gpu_k8s_context: of-the-group\n")
    inventory = load(str(own), path)
    known = VariableManager(DataLoader(), inventory).get_vars(host=inventory.get_host("localhost"))
    assert (known["gpu_k8s_kubeconfig"], known["gpu_k8s_context"]) == ("/elsewhere", "of-the-group")


def test_all_nodes_of_a_selector(write: Callable[..., str], api: Server) -> None:
    inventory = load(write(nodes="all", label_selector="agentpool=gpunp", group="workers"))
    assert names(inventory, "workers") == ["aks-gpunp-12345678-vmss000000"]
    assert names(load(write(nodes="all")), "worker-9") == ["worker-9"]
    assert [asked.get("labelSelector") for asked in api.asked_for_nodes()] == ["agentpool=gpunp", None]


def test_variables_and_groups_of_ones_own(write: Callable[..., str]) -> None:
    inventory = load(
        write(
            compose={"ansible_user": "gpu_node.platform or 'root'", "ansible_host": "gpu_node.name"},
            groups={"large": "(gpu_node.count or 0) >= 8"},
            keyed_groups=[{"key": "gpu_node.platform", "prefix": "on"}],
        )
    )
    host = inventory.get_host("10.140.0.9").get_vars()
    assert (host["ansible_user"], host["ansible_host"]) == ("oke", "10.140.0.9")
    assert names(inventory, "large") == ["10.140.0.9", "gke-main-training-1f2e3d4c-x7k2"]
    assert names(inventory, "on_oke") == ["10.140.0.9"]


def test_what_a_node_says_is_no_template(write: Callable[..., str], api: Server) -> None:
    text = "{{ lookup('ansible.builtin.pipe', 'echo run') }}"
    api.nodes = [
        {"metadata": {"name": "a", "labels": {}}, "status": {"capacity": {"nvidia.com/gpu": "1"}}}
        | {"spec": {"providerID": text}}
    ]
    inventory = load(write(compose={"seen": "gpu_node.provider_id"}))
    host = inventory.get_host("a").get_vars()
    templar = Templar(DataLoader(), variables=host)
    assert [templar.template(value) for value in (host["gpu_node"]["provider_id"], host["seen"])] == [text, text]


# ---- a thousand Nodes


def fleet(number: int) -> list[dict[str, t.Any]]:
    gke = TOLD["gke"]["node"]
    return [{**gke, "metadata": {**gke["metadata"], "name": f"gpu-{n:04}"}} for n in range(number)]


def test_a_thousand_nodes_are_one_list_in_two_pages_and_none_from_the_cache(
    write: Callable[..., str], api: Server, tmp_path: Path
) -> None:
    api.nodes = fleet(1000)
    cached = {"cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": str(tmp_path / "cache")}
    first = load(write(**cached))
    assert [asked["limit"] for asked in api.asked_for_nodes()] == ["500", "500"]
    assert len(api.asked) == 3
    again = load(write(**cached))
    assert len(api.asked) == 3
    assert names(again, "gpu_nodes") == names(first, "gpu_nodes") == [f"gpu-{n:04}" for n in range(1000)]
    assert again.get_host("gpu-0999").get_vars() == first.get_host("gpu-0999").get_vars()
    assert "secret" not in "".join(path.read_text() for path in (tmp_path / "cache").iterdir())


def test_the_cache_is_for_the_same_question_and_can_be_flushed(
    write: Callable[..., str], api: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin = type(inventory_loader.get("gpu.k8s.nodes"))
    monkeypatch.setattr(plugin, "get_cache_key", lambda _self, _path: "the same for all")
    cached = {"cache": True, "cache_plugin": "ansible.builtin.jsonfile", "cache_connection": str(tmp_path / "cache")}
    load(write(**cached))
    assert len(api.asked_for_nodes()) == 1
    load(write(**cached, address=["Hostname"]))  # is no question to the cluster
    assert len(api.asked_for_nodes()) == 1
    for more, other in enumerate(
        ({"context": "there"}, {"label_selector": "agentpool=gpunp"}, {"cluster_uid": UID}), 2
    ):
        load(write(**(cached | other)))
        assert len(api.asked_for_nodes()) == more
    load(write(**cached, cluster_uid=UID), cache=False)
    assert len(api.asked_for_nodes()) == 5


# ---- what is wrong, in words


def test_another_cluster_is_refused_before_its_nodes_are_asked_for(write: Callable[..., str], api: Server) -> None:
    said = failure(write(cluster_uid=ANOTHER))
    assert f"has the kube-system UID {UID}, and cluster_uid={ANOTHER} names another" in said
    api.uid = ""
    assert "UID (not readable)" in failure(write(cluster_uid=UID))
    assert api.asked_for_nodes() == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"context": None}, "context is not set"),
        ({"context": "elsewhere"}, "has no context 'elsewhere'; it has: here, there."),
        ({"kubeconfig": "/nowhere/config"}, "the kubeconfig /nowhere/config can't be used"),
        (
            {"label_selector": "forbidden=yes"},
            "HTTP 403: /api/v1/nodes is forbidden (it is forbidden to this identity).",
        ),
        ({"lable_selector": "a=b"}, "lable_selector is no option of gpu.k8s.nodes, so it would be ignored."),
    ],
)
def test_a_failure_names_the_file_and_what_to_mend(write: Callable[..., str], options: Host, says: str) -> None:
    path = write(**options)
    said = failure(path)
    assert said.startswith(f"{path}: ")
    assert says in said


@pytest.mark.parametrize("options", [{"nodes": "some"}, {"address": ["InternalIp"]}])
def test_a_choice_that_there_is_not_is_refused(write: Callable[..., str], options: Host) -> None:
    assert f"Invalid value {next(iter(options.values()))!r}" in failure(write(**options))


def test_a_second_cluster_is_no_part_of_the_same_run(write: Callable[..., str], api: Server) -> None:
    inventory, loader = InventoryData(), DataLoader()
    inventory_loader.get("gpu.k8s.nodes").parse(inventory, loader, write())
    inventory_loader.get("gpu.k8s.nodes").parse(inventory, loader, write(nodes="all", group="more"))
    assert "worker-9" in inventory.hosts  # the same cluster twice is no second one
    api.uid = ANOTHER
    with pytest.raises(AnsibleError, match=f"for the cluster with the kube-system UID {UID}, .* has {ANOTHER}"):
        inventory_loader.get("gpu.k8s.nodes").parse(inventory, loader, write())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"label_selector": "a=b"}, "the cluster has no Node with the labels a=b."),
        ({"label_selector": "role=cpu"}, "none of the 1 Nodes advertises a GPU"),
    ],
)
def test_an_empty_inventory_says_why(
    write: Callable[..., str], api: Server, capsys: pytest.CaptureFixture[str], options: Host, says: str
) -> None:
    api.nodes.append({"metadata": {"name": "cpu", "labels": {"role": "cpu"}}})
    inventory = load(write(**options))
    assert names(inventory, "all") == []
    assert says in " ".join(capsys.readouterr().err.split())


def test_other_files_are_not_for_it(write: Callable[..., str]) -> None:
    plugin = inventory_loader.get("gpu.k8s.nodes")
    assert plugin.verify_file(write())
    assert plugin.verify_file(write("gpu_k8s.yaml"))
    assert not plugin.verify_file(write("nodes.yml"))
