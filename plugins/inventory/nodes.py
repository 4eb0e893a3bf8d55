# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory plugin gpu.k8s.nodes: the GPU nodes of a cluster, from its own Node objects."""

from __future__ import annotations

DOCUMENTATION = r"""
name: nodes
short_description: The GPU nodes of a Kubernetes cluster, from its own Node objects
version_added: 0.1.0
author:
  - gpu.k8s contributors (@gpu-k8s)
description:
  - Makes a host of each Node that tells of an NVIDIA GPU, so that C(gpu.k8s.verify) needs no other inventory.
  - A host has the Node's name. Its variables are C(ansible_host), C(gpu_k8s_node_name), and C(gpu_node) with what the
    Node tells of itself. Annotations are left out, since they may hold secrets.
  - All hosts are in the group of O(group), and in groups by the owner of the driver (C(gpu_owner_gke)), GPU model
    (C(gpu_model_NVIDIA_L40S)), zone (C(gpu_zone_us_east_1a)) and node pool (C(gpu_pool_training)), as far as their
    Nodes tell.
  - For all hosts, C(gpu_k8s_context), C(gpu_k8s_kubeconfig), C(gpu_k8s_resource) and C(gpu_k8s_cluster_uid) are set to
    what the list came from, unless the inventory has them already. So a verification can't go to another cluster.
  - The name of the file must end in C(gpu_k8s.yml) or C(gpu_k8s.yaml).
  - A cluster is asked for its UID and for its Nodes, 500 at a time. It changes nothing.
requirements:
  - kubernetes >= 29.0.0
extends_documentation_fragment:
  - ansible.builtin.constructed
  - ansible.builtin.inventory_cache
options:
  plugin:
    description:
      - Says that the file is for this plugin.
    type: str
    required: true
    choices: [gpu.k8s.nodes]
  context:
    description:
      - The context of the kubeconfig to use. The file's current context is never used.
      - It must be set, here or with C(-e gpu_k8s_context=).
    type: str
    default: ""
    vars:
      - name: gpu_k8s_context
  kubeconfig:
    description:
      - The kubeconfig file. Credentials are never passed in another way.
    type: path
    default: ~/.kube/config
    vars:
      - name: gpu_k8s_kubeconfig
  cluster_uid:
    description:
      - The UID of the cluster's Namespace C(kube-system). Another cluster is refused before its Nodes are asked for.
    type: str
    default: ""
    vars:
      - name: gpu_k8s_cluster_uid
  request_timeout:
    description:
      - Seconds that one request to the API may take.
    type: float
    default: 15.0
    vars:
      - name: gpu_k8s_api_timeout
  label_selector:
    description:
      - Only Nodes with these labels, as C(kubectl get nodes --selector) takes them. The API selects.
    type: str
    default: ""
  nodes:
    description:
      - V(with_gpus) are the Nodes that advertise O(resource) or another resource of NVIDIA, did so before (it is still
        there, as 0), or have a label which says that there is an NVIDIA GPU. With C(-v) the others are named.
      - V(all) are all Nodes that O(label_selector) leaves. A Node on which no device plugin has run yet may tell of no
        GPU, and only so becomes a host.
    type: str
    choices: [with_gpus, all]
    default: with_gpus
  resource:
    description:
      - The extended resource whose number is C(gpu_node.count).
    type: str
    default: nvidia.com/gpu
    vars:
      - name: gpu_k8s_resource
  address:
    description:
      - The types of address of which the first that a Node has becomes C(ansible_host), in order of preference.
      - V(name) is the Node's name, and for a Node that has none of them the host's name is used.
    type: list
    elements: str
    choices: [InternalIP, ExternalIP, InternalDNS, ExternalDNS, Hostname, name]
    default: [InternalIP]
  group:
    description:
      - The group of all hosts. C(gpu_nodes) is what C(gpu_k8s_hosts) is by default.
    type: str
    default: gpu_nodes
"""

EXAMPLES = r"""
# nodes.gpu_k8s.yml
# ansible-playbook gpu.k8s.verify -i nodes.gpu_k8s.yml
plugin: gpu.k8s.nodes
context: my-cluster

# only what joined since and is not verified yet, of one pool, by way of its public addresses
---
plugin: gpu.k8s.nodes
context: my-cluster
cluster_uid: 3d2a9d3e-6d5e-4c4b-9b0a-0c5a6f1d7e21
label_selector: "!gpu.k8s/verified,cloud.google.com/gke-nodepool=training"
nodes: all
address: [ExternalIP, InternalIP]

# more variables and groups, and a list that is read once in ten minutes
---
plugin: gpu.k8s.nodes
context: my-cluster
compose:
  ansible_user: "'core' if 'Flatcar' in gpu_node.os_image else 'ubuntu'"
groups:
  large: (gpu_node.count or 0) >= 8
keyed_groups:
  - key: gpu_node.instance_type
    prefix: type
cache: true
cache_plugin: ansible.builtin.jsonfile
cache_connection: ~/.cache/gpu-k8s-nodes
cache_timeout: 600
"""

import typing as t

from ansible.errors import AnsibleParserError
from ansible.inventory.group import to_safe_group_name
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable

from ansible_collections.gpu.k8s.plugins.module_utils._cluster import read_uid
from ansible_collections.gpu.k8s.plugins.module_utils._kube import MISSING, ApiError, Cluster
from ansible_collections.gpu.k8s.plugins.module_utils._node_variables import address_of, groups_of, read_gpu_node
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import need_library

Lookup = dict[str, t.Any]


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):
    """Hosts from Nodes. What the API says is never taken for a template."""

    NAME = "gpu.k8s.nodes"

    def verify_file(self, path: str) -> bool:
        """Whether the file's name is one of this plugin's."""
        return bool(super().verify_file(path)) and path.endswith(("gpu_k8s.yml", "gpu_k8s.yaml"))

    def parse(self, inventory: t.Any, loader: t.Any, path: str, cache: bool = True) -> None:
        """Add the cluster's GPU nodes to the inventory."""
        super().parse(inventory, loader, path, cache)
        unknown = sorted(set(self._read_config_data(path)) - set(self.option_definitions))
        if unknown:
            raise AnsibleParserError(
                f"{path}: {', '.join(unknown)} is no option of {self.NAME}, so it would be ignored."
            )
        if not self.get_option("context"):
            raise AnsibleParserError(
                f"{path}: context is not set. Name the kubeconfig context of the cluster there or with "
                "-e gpu_k8s_context= (`kubectl config get-contexts` lists them); the current context is never used."
            )
        try:
            seen = self._seen(cache)
        except ApiError as error:
            raise AnsibleParserError(f"{path}: {str(error).rstrip('.')}.") from None
        self._set_for_all(path, seen)
        for node in self._chosen(path, seen["nodes"]):
            self._add(node)

    # ---- what the cluster says, or said

    def _seen(self, cache: bool) -> Lookup:
        """Return UID and Nodes of the cluster: what the cache has, if it is used and asked the same of the same."""
        names = ("kubeconfig", "context", "cluster_uid", "label_selector", "resource")
        asked = {name: str(self.get_option(name)) for name in names}
        if not self.get_option("cache"):
            return self._ask(asked)
        key = self.get_cache_key("\n".join(asked.values()))
        seen: Lookup | None = self.cache.get(key) if cache else None
        if not seen or seen.get("asked") != asked:  # the key is short, so that two questions may have the same
            seen = self._ask(asked)
            self.cache[key] = seen
        return seen

    def _ask(self, asked: dict[str, str]) -> Lookup:
        need_library(MISSING)
        cluster = Cluster(asked["kubeconfig"], asked["context"], self.get_option("request_timeout"))
        uid = read_uid(cluster)
        if asked["cluster_uid"] not in ("", uid):
            raise ApiError(
                f"the cluster of context {asked['context']} has the kube-system UID {uid or '(not readable)'}, and "
                f"cluster_uid={asked['cluster_uid']} names another. Its Nodes were not asked for"
            )
        selected = {"label_selector": asked["label_selector"]} if asked["label_selector"] else {}
        nodes = cluster.list(cluster.core.list_node, **selected)
        return {"asked": asked, "uid": uid, "nodes": [read_gpu_node(node, asked["resource"]) for node in nodes]}

    # ---- what the inventory gets

    def _chosen(self, path: str, nodes: list[Lookup]) -> list[Lookup]:
        """Return the Nodes that become hosts. That there are none is said, and fails nothing."""
        if not nodes:
            selector = self.get_option("label_selector")
            self.display.warning(
                f"{path}: the cluster has no Node{' with the labels ' + selector if selector else ''}."
            )
        if self.get_option("nodes") == "all":
            return nodes
        chosen = [node for node in nodes if node["has_gpus"]]
        if nodes and not chosen:
            self.display.warning(
                f"{path}: none of the {len(nodes)} Nodes advertises a GPU or has a label that tells of one. "
                "Where nothing advertises GPUs yet, take all Nodes of a label_selector: nodes: all."
            )
        left_out = [node["name"] for node in nodes if not node["has_gpus"]]
        if left_out:
            self.display.v(f"{path}: {len(left_out)} Nodes tell of no GPU: {', '.join(left_out)}")
        return chosen

    def _set_for_all(self, path: str, seen: Lookup) -> None:
        """Tell the verification which cluster this is, unless the inventory knows already."""
        known = self.inventory.groups["all"].get_vars()
        earlier = known.get("gpu_k8s_cluster_uid")
        if earlier and seen["uid"] and earlier != seen["uid"]:
            raise AnsibleParserError(
                f"{path}: the inventory is already for the cluster with the kube-system UID {earlier}, and this one "
                f"has {seen['uid']}. A run verifies one cluster: give each its own run."
            )
        told = {f"gpu_k8s_{name}": seen["asked"][name] for name in ("kubeconfig", "context", "resource")}
        for name, value in (told | {"gpu_k8s_cluster_uid": seen["uid"]}).items():
            if value and name not in known:
                self.inventory.set_variable("all", name, value)

    def _add(self, node: Lookup) -> None:
        host = self.inventory.add_host(node["name"])
        variables = {"gpu_k8s_node_name": node["name"], "gpu_node": node}
        if address := address_of(node, self.get_option("address")):
            variables["ansible_host"] = address
        for name, value in variables.items():
            self.inventory.set_variable(host, name, value)
        safe = [to_safe_group_name(name, force=True, silent=True) for name in groups_of(node)]
        for name in (self._sanitize_group_name(self.get_option("group")), *safe):
            self.inventory.add_child(self.inventory.add_group(name), host)
        strict = self.get_option("strict")
        self._set_composite_vars(self.get_option("compose"), variables, host, strict=strict)
        self._add_host_to_composed_groups(self.get_option("groups"), variables, host, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), variables, host, strict=strict)
