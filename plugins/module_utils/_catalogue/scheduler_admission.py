# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said when the API would not take a smoke Pod: its classes, its Namespace, admission.

All of it is unknown: nothing was tried, so that nothing is said about the GPU.
"""

from __future__ import annotations

from ._entry import Entry

_RUNTIME_CLASS = "https://kubernetes.io/docs/concepts/containers/runtime-class/"
_PRIORITY = "https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/"
_QUOTA = "https://kubernetes.io/docs/concepts/policy/resource-quotas/"
_LIMITS = "https://kubernetes.io/docs/concepts/policy/limit-range/"
_ADMISSION = "https://kubernetes.io/docs/reference/access-authn-authz/"
_NOTHING_TRIED = "No smoke Pod can be made, so nothing is proven. This says nothing about the GPU."

ENTRIES = (
    Entry(
        code="SCH015",
        layer="scheduler",
        status="unknown",
        title="The RuntimeClass is missing",
        message="The API refuses the smoke Pods: {what}",
        meaning="Pods that name a RuntimeClass which does not exist are refused. The runtime may have the handler all "
        "the same: with CDI, or where nvidia is the default runtime, no RuntimeClass is needed.",
        remedy="Create the RuntimeClass, or name none: gpu_k8s_runtime_class=''. If you named none, a webhook adds it.",
        mistaken_for="A runtime without a handler for GPUs.",
        sources=(_RUNTIME_CLASS, "https://github.com/aws-samples/aws-do-eks/issues/96", "lab"),
    ),
    Entry(
        code="SCH016",
        layer="toolkit",
        status="unknown",
        title="The Node's runtime does not tell of the RuntimeClass's handler",
        message="RuntimeClass {name} means the handler {handler}; the runtime of the Node {node} has {has}.",
        meaning="The kubelet passes on which handlers its runtime has loaded. A Pod with this RuntimeClass would get "
        "no sandbox here. The kubelet's word is some seconds old, so the toolkit layer and the Pod decide.",
        remedy="Configure the runtime (`nvidia-ctk runtime configure`) and restart it; see the toolkit layer.",
        mistaken_for="A missing RuntimeClass: it is there, what it means is not.",
        sources=(_RUNTIME_CLASS,),
    ),
    Entry(
        code="SCH017",
        layer="scheduler",
        status="fail",
        title="The RuntimeClass keeps Pods away from this Node",
        message="RuntimeClass {name} is for Nodes with {lacking}; the Node {node} has not.",
        meaning="The node selector of a RuntimeClass is added to every Pod that names it.",
        remedy="Label the Node if its runtime does have the handler, or change the RuntimeClass's "
        "scheduling.nodeSelector.",
        mistaken_for="A lack of GPUs: the Pod itself has no such selector in its manifest.",
        sources=(f"{_RUNTIME_CLASS}#scheduling",),
    ),
    Entry(
        code="SCH018",
        layer="scheduler",
        status="unknown",
        title="The PriorityClass is missing",
        message="The API refuses the smoke Pods: {what}",
        meaning=_NOTHING_TRIED,
        remedy="Create the PriorityClass, or set gpu_k8s_smoke_priority_class to one that exists, or to none.",
        mistaken_for="A scheduler that does not place Pods.",
        sources=(_PRIORITY, "lab"),
    ),
    Entry(
        code="SCH019",
        layer="scheduler",
        status="unknown",
        title="The PriorityClass lets smoke Pods push out other Pods",
        message="PriorityClass {name} (value {value}) lets the scheduler evict Pods of lower priority for a smoke Pod.",
        meaning="A check must not cost anybody their GPU. What is proven by pushing others out proves little.",
        remedy="Use a PriorityClass with preemptionPolicy: Never, or none (gpu_k8s_smoke_priority_class='').",
        mistaken_for="A harmless setting.",
        sources=(f"{_PRIORITY}#non-preempting-priority-class",),
    ),
    Entry(
        code="SCH020",
        layer="scheduler",
        status="unknown",
        title="The Namespace of the smoke Pods takes no Pods",
        message="The API refuses the smoke Pods: {what}",
        meaning=_NOTHING_TRIED,
        remedy="Create the Namespace, or name another: gpu_k8s_smoke_namespace.",
        mistaken_for="A lack of permissions.",
        sources=("https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/", "lab"),
    ),
    Entry(
        code="SCH021",
        layer="scheduler",
        status="unknown",
        title="A ResourceQuota leaves no room for the smoke Pods",
        message="A ResourceQuota leaves no room for the smoke Pods: {what}",
        meaning="A quota is about the Namespace. GPUs may be free on every Node.",
        remedy="Raise the quota, or give the smoke Pods a Namespace of their own: gpu_k8s_smoke_namespace.",
        mistaken_for="A lack of GPUs.",
        sources=(_QUOTA, "lab"),
    ),
    Entry(
        code="SCH022",
        layer="scheduler",
        status="unknown",
        title="A ResourceQuota demands what the smoke Pods do not state",
        message="The API refuses the smoke Pods: {what}",
        meaning="Where a quota limits CPU or memory, every Pod has to state them.",
        remedy="Use another Namespace (gpu_k8s_smoke_namespace), or add a LimitRange with defaults to this one.",
        mistaken_for="A quota that is used up.",
        sources=(_QUOTA, "lab"),
    ),
    Entry(
        code="SCH023",
        layer="scheduler",
        status="warning",
        title="A ResourceQuota limits GPUs by a name that never matches",
        message="ResourceQuota {name} has {key}, which limits nothing.",
        meaning="Of extended resources a quota counts requests alone. Any other spelling is accepted and without "
        "effect.",
        remedy="Write {right} (unless an add-on that reads this spelling of its own is installed).",
        mistaken_for="A limit.",
        sources=(f"{_QUOTA}#resource-quota-for-extended-resources",),
    ),
    Entry(
        code="SCH024",
        layer="scheduler",
        status="unknown",
        title="A LimitRange refuses the smoke Pods",
        message="A LimitRange stands against the smoke Pods: {what}",
        meaning=_NOTHING_TRIED,
        remedy="Use another Namespace (gpu_k8s_smoke_namespace), or change the LimitRange.",
        mistaken_for="A lack of GPUs.",
        sources=(_LIMITS, "lab"),
    ),
    Entry(
        code="SCH025",
        layer="scheduler",
        status="unknown",
        title="A LimitRange gives GPUs to Pods that ask for none",
        message="LimitRange {name} of the Namespace {namespace} gives {resource} to every container that asks for "
        "none.",
        meaning="The control Pod, which must see no GPU, would be given one, so that it proves nothing. A maximum "
        "alone becomes such a default as well.",
        remedy="Use another Namespace (gpu_k8s_smoke_namespace), or take {resource} out of the LimitRange's defaults.",
        mistaken_for="Busy GPUs: Pods that need none hold them.",
        sources=(_LIMITS, "lab"),
    ),
    Entry(
        code="SCH026",
        layer="scheduler",
        status="unknown",
        title="Pod security refuses the smoke Pods",
        message="Pod security refuses the smoke Pods: {what}",
        meaning="The smoke Pods keep to the level `restricted`. What is refused was added to them by something else, "
        "or the cluster has stricter rules (on OpenShift a security context constraint).",
        remedy="Look at what the message names. On OpenShift set gpu_k8s_smoke_user to a number of the Namespace's "
        "range. Or use another Namespace: gpu_k8s_smoke_namespace.",
        mistaken_for="A GPU that needs privileges: GPU Pods need none.",
        sources=("https://kubernetes.io/docs/concepts/security/pod-security-admission/", "lab"),
    ),
    Entry(
        code="SCH027",
        layer="scheduler",
        status="unknown",
        title="An admission webhook refuses the smoke Pods",
        message="A policy of the cluster refuses the smoke Pods: {what}",
        meaning="A policy engine (Gatekeeper, Kyverno and others) has rules for images, labels or limits.",
        remedy="Follow the rule that the message names: the image with gpu_k8s_smoke_image, the Namespace with "
        "gpu_k8s_smoke_namespace. Or have the label app.kubernetes.io/managed-by=gpu.k8s exempted.",
        mistaken_for="A lack of permissions: the API answers Forbidden either way.",
        sources=(f"{_ADMISSION}extensible-admission-controllers/", "lab"),
    ),
    Entry(
        code="SCH028",
        layer="scheduler",
        status="unknown",
        title="An admission webhook does not answer",
        message="A webhook that has to agree to Pods does not answer: {what}",
        meaning="With failurePolicy: Fail no Pod can be made that the webhook is asked about, by anybody.",
        remedy="Look at the Pods and the Service behind the webhook that the message names, and at its certificate.",
        mistaken_for="A slow API server, or a scheduler that does nothing.",
        sources=(f"{_ADMISSION}extensible-admission-controllers/#failure-policy", "lab"),
    ),
    Entry(
        code="SCH029",
        layer="scheduler",
        status="unknown",
        title="A ValidatingAdmissionPolicy refuses the smoke Pods",
        message="A policy of the cluster refuses the smoke Pods: {what}",
        meaning=_NOTHING_TRIED,
        remedy="Follow the rule that the message names, or use another Namespace: gpu_k8s_smoke_namespace.",
        mistaken_for="A mistake in the Pod.",
        sources=(f"{_ADMISSION}validating-admission-policy/", "lab"),
    ),
    Entry(
        code="SCH030",
        layer="scheduler",
        status="unknown",
        title="This identity may not make smoke Pods",
        message="This identity may not make the smoke Pods: {what}",
        meaning=_NOTHING_TRIED,
        remedy="Grant what docs/permissions.md lists for smoke Pods.",
        mistaken_for="A policy that refuses the Pod.",
        sources=(f"{_ADMISSION}rbac/", "lab"),
    ),
    Entry(
        code="SCH031",
        layer="scheduler",
        status="unknown",
        title="The API finds the smoke Pod invalid",
        message="The API finds the smoke Pod invalid: {what}",
        meaning="A setting of this run, or something that a webhook added, makes no valid Pod.",
        remedy="Look at the field that the message names: gpu_k8s_resource, gpu_k8s_smoke_gpus, gpu_k8s_smoke_image "
        "and the other gpu_k8s_smoke_* variables are what a Pod is made of.",
        mistaken_for="A policy that refuses the Pod.",
        sources=("https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/", "lab"),
    ),
    Entry(
        code="SCH032",
        layer="scheduler",
        status="unknown",
        title="The Namespace's ServiceAccount is missing",
        message="The API refuses the smoke Pods: {what}",
        meaning="Every Pod belongs to a ServiceAccount. The controller manager makes `default` some seconds after the "
        "Namespace.",
        remedy="Run again. If it stays, look at kube-controller-manager.",
        mistaken_for="A lack of permissions.",
        sources=("https://kubernetes.io/docs/concepts/security/service-accounts/", "lab"),
    ),
    Entry(
        code="SCH033",
        layer="scheduler",
        status="unknown",
        title="The API does not take the smoke Pods",
        message="The API does not take the smoke Pods: {what}",
        meaning=_NOTHING_TRIED,
        remedy="Read the API's answer above. Trying the same Pod by hand (`kubectl create --dry-run=server`) shows it "
        "too.",
        mistaken_for="A GPU that does not work.",
        sources=(f"{_ADMISSION}admission-controllers/",),
    ),
)
