# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about allocation (checkpoint 4)."""

from __future__ import annotations

from ._entry import Entry

ENTRIES = (
    Entry(
        code="SCH001",
        layer="scheduler",
        status="fail",
        title="The Node is cordoned",
        message="The Node {node} is marked unschedulable (cordoned).",
        meaning="Somebody, or an upgrade, took the Node out of scheduling. No new Pod is placed there.",
        remedy="Find out who cordoned it and why; then `kubectl uncordon {node}`.",
        mistaken_for="A lack of GPUs: the Pod is Pending either way.",
        sources=("https://kubernetes.io/docs/concepts/architecture/nodes/#manual-node-administration", "lab"),
    ),
    Entry(
        code="SCH002",
        layer="scheduler",
        status="busy",
        title="Every GPU of the Node is taken",
        message="All {allocatable} {resource} are requested by Pods: {holders}.",
        meaning="The GPUs work for those who hold them; whether they work for the next Pod is not proven.",
        remedy="Run again when a GPU is free, or stop one of the Pods named above.",
        mistaken_for="A broken device plugin or scheduler.",
        sources=("https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",),
    ),
    Entry(
        code="SCH003",
        layer="scheduler",
        status="fail",
        title="The Node is not Ready",
        message="The Node {node} is not Ready: {reason}",
        meaning="The kubelet does not report, or reports that it can't run Pods.",
        remedy="Look at the kubelet on the node (`systemctl status kubelet`, `journalctl -u kubelet`), and at the "
        "container runtime and the network plugin.",
        mistaken_for="The device plugin: after five minutes its devices vanish from a Node that is not Ready.",
        sources=("https://kubernetes.io/docs/reference/node/node-status/", "lab"),
    ),
    Entry(
        code="SCH004",
        layer="scheduler",
        status="unknown",
        title="The scheduler's evidence is incomplete",
        message="The evidence of the scheduler layer is incomplete: {missing}",
        meaning="How many GPUs are free could not be computed, so that nothing is proven.",
        remedy="Run again; when a list was forbidden, see docs/permissions.md.",
        mistaken_for="A Node with free GPUs.",
        sources=("lab",),
    ),
    Entry(
        code="SCH005",
        layer="scheduler",
        status="unknown",
        title="No allocatable GPU to schedule",
        message="The Node has no allocatable {resource}.",
        meaning="There is nothing to be free. The reason lies in the layer below.",
        remedy="See the device plugin layer.",
        mistaken_for="A busy Node.",
        sources=("https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",),
    ),
)
