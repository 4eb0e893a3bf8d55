# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about the run itself: access to the cluster, and which host is which Node."""

from __future__ import annotations

from ._entry import Entry
from .preflight_debug_pod import ENTRIES as DEBUG_POD

_OF_THE_CLUSTER = (
    Entry(
        code="PRE002",
        layer="preflight",
        status="unknown",
        title="The Kubernetes API could not be read",
        message="The Kubernetes API could not be read: {reason}",
        meaning="Nothing was learned from the cluster, so none of its layers is proven. The GPUs may be fine.",
        remedy="Check gpu_k8s_kubeconfig and gpu_k8s_context: `kubectl --kubeconfig FILE --context CONTEXT get nodes` "
        "must answer from this machine. When it does and only this run timed out, raise gpu_k8s_api_timeout.",
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
    Entry(
        code="PRE007",
        layer="preflight",
        status="unknown",
        title="This identity may not do what the layer needs",
        message="{who} may not {verbs}. That is needed for: {reasons}.",
        meaning="The cluster answered that it would refuse these requests, so what depends on them is not proven. "
        "When one for the smoke Pods is missing, none is made.",
        remedy="Have a cluster administrator grant: {verbs}. missing-permissions.yml beside the report holds the Roles "
        "and bindings for exactly that; docs/permissions.md has all that a run needs.",
        mistaken_for="A cluster without GPUs, or a scheduler that places no Pods.",
        sources=("https://kubernetes.io/docs/reference/access-authn-authz/rbac/", "lab"),
    ),
    Entry(
        code="PRE008",
        layer="preflight",
        status="unknown",
        title="Several hosts stand for one Node",
        message="The hosts {hosts} were all found to be the Node {node}.",
        meaning="One machine has several names in the inventory, or a host's address or gpu_k8s_node_name leads to "
        "another's Node. What was proven of one host would count for the others.",
        remedy="Keep one host for each Node: take the others out of gpu_k8s_hosts, or correct their ansible_host or "
        "gpu_k8s_node_name.",
        mistaken_for="Two nodes of which each is usable.",
        sources=("https://kubernetes.io/docs/reference/node/node-status/", "lab"),
    ),
    Entry(
        code="PRE009",
        layer="preflight",
        status="unknown",
        title="The credentials were refused",
        message="The Kubernetes API could not be read, for want of valid credentials: {reason}",
        meaning="The API server answers, and does not accept who asks: a token or client certificate that has expired "
        "or was revoked, one of another cluster, or a credential plugin that gives none.",
        remedy="Log in again, or get a new token or client certificate, until "
        "`kubectl --kubeconfig FILE --context CONTEXT auth whoami` names you. Then run again.",
        mistaken_for="Missing permissions: those are refused by name, with HTTP 403.",
        sources=("https://kubernetes.io/docs/reference/access-authn-authz/authentication/", "lab"),
    ),
    Entry(
        code="PRE010",
        layer="preflight",
        status="unknown",
        title="The API server's certificate is not trusted",
        message="The Kubernetes API could not be read, since it did not prove who it is: {reason}",
        meaning="The kubeconfig's certificate authority did not sign what this server shows, or the certificate is for "
        "another name, or has expired. It may be another cluster, or something that listens in.",
        remedy="Take the kubeconfig from the cluster again. When the address is a load balancer's or a tunnel's, set "
        "`tls-server-name` in the kubeconfig to a name in the certificate. Python 3.13 and later refuse an authority "
        "without a key usage, which kubectl takes: renew it, or use an older Python. Don't skip the verification.",
        mistaken_for="A server that is down.",
        sources=("https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/", "written for the rule"),
    ),
    Entry(
        code="PRE011",
        layer="preflight",
        status="unknown",
        title="What answers is no Kubernetes API",
        message="The Kubernetes API could not be read: {reason}",
        meaning="Something between this machine and the cluster answers in its place: a proxy, a login page, a load "
        "balancer; or the address in the kubeconfig is another service's.",
        remedy="Check the server's address in the kubeconfig. When a proxy answers, add the server's host to NO_PROXY "
        "(or take proxy-url out of the kubeconfig) for this run.",
        mistaken_for="A cluster that refuses this identity.",
        sources=("https://kubernetes.io/docs/tasks/extend-kubernetes/http-proxy-access-api/", "written for the rule"),
    ),
    Entry(
        code="PRE012",
        layer="preflight",
        status="unknown",
        title="There is no way to the host",
        message="The host was not looked at: {reason}.",
        meaning="Nothing is known of the host itself. What its Node advertises and what a smoke Pod gets is judged all "
        "the same, but driver and toolkit are not proven apart from Kubernetes.",
        remedy="Look at it by SSH (gpu_k8s_host_access: ssh), or by a privileged Pod on its Node, in a Namespace that "
        "permits one (gpu_k8s_host_access: debug_pod). Where neither can be had, do without the two layers "
        "(gpu_k8s_waive: [driver, toolkit]): the node is then waived at best, and never called usable.",
        mistaken_for="A host that does not answer, or a driver that is broken.",
        sources=("lab",),
    ),
)

ENTRIES = (*_OF_THE_CLUSTER, *DEBUG_POD)
