# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said when a host can't be looked at by a debug Pod."""

from __future__ import annotations

from ._entry import Entry

_EXEC = "https://kubernetes.io/docs/tasks/debug/debug-application/get-shell-running-container/"
_SECURITY = "https://kubernetes.io/docs/concepts/security/pod-security-standards/"
_NOT_SEEN = "A host that does not answer, or a driver that is broken: nothing was seen of either."

ENTRIES = (
    Entry(
        code="PRE013",
        layer="preflight",
        status="unknown",
        title="The cluster refuses the debug Pod",
        message="The host was not looked at, since the cluster refuses its debug Pod {reason}",
        meaning="The API server does not take a privileged Pod in that Namespace from this identity: Pod Security, a "
        "policy, a webhook or a quota forbids it. Nothing was learned of the host.",
        remedy="Let gpu_k8s_debug_namespace name a Namespace that permits privileged Pods "
        "(`kubectl label namespace NAMESPACE pod-security.kubernetes.io/enforce=privileged`) and that policies and "
        "quotas except. docs/without-ssh.md tells what such a Pod can do; where it may not be, gpu_k8s_waive does "
        "without the two layers.",
        mistaken_for=_NOT_SEEN,
        sources=(_SECURITY, "lab"),
    ),
    Entry(
        code="PRE014",
        layer="preflight",
        status="unknown",
        title="There is no Namespace for debug Pods",
        message="The host was not looked at, since there is no Namespace for its debug Pod: {reason}",
        meaning="gpu_k8s_debug_namespace names a Namespace that the cluster does not have. It is never made by itself: "
        "privileged Pods are to be where somebody decided so.",
        remedy="Make the Namespace as docs/without-ssh.md shows it, or mend gpu_k8s_debug_namespace.",
        mistaken_for=_NOT_SEEN,
        sources=("lab",),
    ),
    Entry(
        code="PRE015",
        layer="preflight",
        status="unknown",
        title="The image of the debug Pod does not serve",
        message="The host was not looked at, since the debug Pod can't use its image: {reason}",
        meaning="The node can't pull the image, or it has no nsenter, which enters the host's namespaces. The node's "
        "way to the registry is at fault, or the image, and not its GPUs.",
        remedy="Let gpu_k8s_debug_image name an image that the nodes can pull and that has sh and nsenter, as "
        "those of Debian, Ubuntu and busybox have. gpu_k8s_smoke_pull_secret is used for it as well.",
        mistaken_for=_NOT_SEEN,
        sources=("https://kubernetes.io/docs/concepts/containers/images/", "lab"),
    ),
    Entry(
        code="PRE016",
        layer="preflight",
        status="unknown",
        title="The debug Pod did not start",
        message="The host was not looked at, since its debug Pod did not start: {reason}",
        meaning="The Pod is bound to its Node without the scheduler and asks for no GPU, so the kubelet or the "
        "container runtime there did not start it, or not in time.",
        remedy="See what the kubelet of that Node says (`kubectl describe node`): no Pod that is made now would start "
        "there. Where it is only slow (a large image), raise gpu_k8s_debug_timeout.",
        mistaken_for="A missing GPU: this Pod wants none.",
        sources=("lab",),
    ),
    Entry(
        code="PRE017",
        layer="preflight",
        status="unknown",
        title="kubectl is missing on the Ansible controller",
        message="The host was not looked at, since a debug Pod is entered by kubectl: {reason}",
        meaning="The connection kubernetes.core.kubectl runs the program kubectl. No Pod was made.",
        remedy="Put a kubectl of the cluster's minor version, or one next to it, on the PATH of ansible-playbook.",
        mistaken_for="A cluster that does not answer.",
        sources=("https://kubernetes.io/releases/version-skew-policy/", "lab"),
    ),
    Entry(
        code="PRE018",
        layer="preflight",
        status="unknown",
        title="The debug Pod can't be entered",
        message="The host was not looked at, since its debug Pod runs and could not be entered: {reason}",
        meaning="`kubectl exec` was refused, or the way of its stream is blocked: from the API server to the kubelet's "
        "port 10250, or through a proxy that lets no WebSocket pass.",
        remedy="Try `kubectl exec` into any Pod of that node. When it is forbidden, give this identity pods/exec "
        "in that Namespace (docs/permissions.md); when it hangs or breaks off, open the way to port 10250 of the node.",
        mistaken_for=_NOT_SEEN,
        sources=(_EXEC, "lab"),
    ),
    Entry(
        code="PRE019",
        layer="preflight",
        status="unknown",
        title="The host has no shell",
        message="The host was entered by its debug Pod, and has no shell to look at it with: {reason}",
        meaning="Systems such as Talos have no shell at all, so that no probe can run on them.",
        remedy="Nothing is to be mended. Do without the layers that only the host can prove "
        "(gpu_k8s_waive: [driver, toolkit]): the node is then waived at best, and never called usable.",
        mistaken_for="A host that does not answer.",
        sources=("written for the rule",),
    ),
    Entry(
        code="PRE020",
        layer="preflight",
        status="unknown",
        title="No debug Pod was made",
        message="The host was not looked at, since no debug Pod was made for it: {reason}.",
        meaning="The run did not try: in check mode nothing is created, and a Pod needs to be told its Node.",
        remedy="Run without --check. When no Node was found, set gpu_k8s_node_name for the host. When a permission is "
        "missing, have it granted as docs/permissions.md shows.",
        mistaken_for=_NOT_SEEN,
        sources=("lab",),
    ),
)
