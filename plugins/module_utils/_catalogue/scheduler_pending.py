# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about a smoke Pod that the scheduler leaves Pending, beyond what the Node's own state explains."""

from __future__ import annotations

from ._entry import Entry

_PENDING = "https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/"

ENTRIES = (
    Entry(
        code="SCH034",
        layer="scheduler",
        status="unknown",
        title="The Pod's node selector does not fit the Node",
        message="The {which} Pod asks for a Node with {lacking}; the Node {node} has not.",
        meaning="The smoke Pods ask for the Node by its label kubernetes.io/hostname alone. Anything more was added by "
        "an admission plugin or webhook.",
        remedy="Find out what adds the selector (the Namespace's annotations, a webhook), or use another Namespace: "
        "gpu_k8s_smoke_namespace.",
        mistaken_for="A lack of GPUs.",
        sources=("https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/",),
    ),
    Entry(
        code="SCH035",
        layer="scheduler",
        status="unknown",
        title="The Node lacks something other than GPUs",
        message="GPUs of the Node {node} are free, and the {which} Pod was not placed: {reason}",
        meaning="The Node's CPUs, memory, Pod numbers or volumes are what is short. The Pod asks for very little, so "
        "your GPU Pods would not be placed either.",
        remedy="See `kubectl describe node {node}`, section Allocated resources.",
        mistaken_for="A lack of GPUs.",
        sources=(_PENDING,),
    ),
    Entry(
        code="SCH036",
        layer="scheduler",
        status="unknown",
        title="The Pod is held back by scheduling gates",
        message="The {which} Pod is held back by {gates}.",
        meaning="A queue (such as Kueue) decides when Pods of this Namespace may be scheduled. The scheduler has not "
        "looked at it.",
        remedy="Use a Namespace that the queue does not manage: gpu_k8s_smoke_namespace.",
        mistaken_for="A scheduler that does nothing: there is no event about the Pod.",
        sources=("https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/",),
    ),
    Entry(
        code="SCH037",
        layer="scheduler",
        status="unknown",
        title="The Pod was handed to another scheduler",
        message="The {which} Pod was given to the scheduler {scheduler}, which did not place it: {reason}",
        meaning="A webhook changed the Pod's schedulerName. Its rules (queues, groups of Pods) are its own.",
        remedy="Use a Namespace that this webhook leaves alone (gpu_k8s_smoke_namespace), or look at that scheduler.",
        mistaken_for="A default scheduler that is down.",
        sources=("https://kubernetes.io/docs/tasks/extend-kubernetes/configure-multiple-schedulers/",),
    ),
    Entry(
        code="SCH038",
        layer="scheduler",
        status="unknown",
        title="The claim for a GPU can't be allocated",
        message="The ResourceClaim of the {which} Pod was not allocated on the Node {node}: {reason}",
        meaning="The devices in the Node's ResourceSlices are taken, or none fits the DeviceClass.",
        remedy="Compare `kubectl get resourceslices -o yaml` with the DeviceClass (gpu_k8s_smoke_device_class), and "
        "look for claims that hold the devices: `kubectl get resourceclaims -A`.",
        mistaken_for="A missing DRA driver.",
        sources=("https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",),
    ),
)
