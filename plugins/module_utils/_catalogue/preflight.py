# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about the run itself: access to the cluster, and which host is which Node."""

from __future__ import annotations

from ._entry import Entry

ENTRIES = (
    Entry(
        code="PRE002",
        layer="preflight",
        status="unknown",
        title="The Kubernetes API could not be read",
        message="The Kubernetes API could not be read: {reason}",
        meaning="Nothing was learned from the cluster, so none of its layers is proven. The GPUs may be fine.",
        remedy="Check gpu_k8s_kubeconfig and gpu_k8s_context: `kubectl --kubeconfig FILE --context CONTEXT get nodes` "
        "must answer from this machine. Then run again.",
        mistaken_for="A broken device plugin: its resource is missing from a list that was never read.",
        sources=("lab",),
    ),
    Entry(
        code="PRE003",
        layer="preflight",
        status="unknown",
        title="The host has no Node in this cluster",
        message="No Node of this cluster belongs to the host {host} (searched by machine-id, by name and by address).",
        meaning="The host was examined, but the cluster does not know it under any of its identities.",
        remedy="Check that gpu_k8s_context is the cluster that the host belongs to, that the kubelet has joined, "
        "or set gpu_k8s_node_name for the host to the Node's name.",
        mistaken_for="A device plugin that does not register.",
        sources=("lab",),
    ),
    Entry(
        code="PRE004",
        layer="preflight",
        status="unknown",
        title="The host is not the Node of that name",
        message="The host {host} is not the Node {node}: {field} is {on_host} on the host and {on_node} on the Node.",
        meaning="Evidence from the host and from the Node would be about two machines (or two boots of one), "
        "so together they prove nothing.",
        remedy="Correct the host's address in the inventory or gpu_k8s_node_name. When the host has just been "
        "rebooted, wait until the kubelet has reported, then run again.",
        mistaken_for="Any layer: a healthy host can hide a broken Node, and the other way round.",
        sources=("https://kubernetes.io/docs/reference/node/node-status/", "lab"),
    ),
    Entry(
        code="PRE005",
        layer="preflight",
        status="unknown",
        title="Part of the cluster could not be read",
        message="The list of {what} could not be read: {reason}",
        meaning="The API answers, but this list is missing, so what depends on it is not proven.",
        remedy="When it says forbidden, give this identity the verbs of docs/permissions.md. "
        "When it timed out, raise gpu_k8s_api_timeout.",
        mistaken_for="An empty list: no answer is not the same as none.",
        sources=("https://kubernetes.io/docs/reference/access-authn-authz/rbac/",),
    ),
    Entry(
        code="PRE006",
        layer="preflight",
        status="unknown",
        title="Evidence of a shape that the judge does not know",
        message="The evidence of the layer {judged} has a shape that the judge does not know: {error}",
        meaning="A program or the API answered in a way that no rule was written for, so that the layer is not proven. "
        "This is a fault of gpu.k8s, not of the node.",
        remedy="Report it with the evidence file of this host, after you have replaced what must not leave your site.",
        mistaken_for="A broken node.",
        sources=("written for the rule",),
    ),
)
