# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about the startup taint: Nodes join with it, and a verification takes it away."""

from __future__ import annotations

from ._entry import Entry

_TAINTS = "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/"

ENTRIES = (
    Entry(
        code="SCH039",
        layer="scheduler",
        status="fail",
        title="The Node waits to be released",
        message="The Node {node} has the startup taint {taint}: no verification has released it yet.",
        meaning="Whoever made the Node lets it join with this taint, so that no Pod comes before the GPUs are proven. "
        "This run was not asked to take it away, so its smoke Pods do not tolerate it, and neither do others.",
        remedy="Run again with gpu_k8s_startup_taint=release: a Node that is usable then loses the taint.",
        mistaken_for="A taint that somebody left behind.",
        sources=(_TAINTS, "lab"),
    ),
    Entry(
        code="SCH040",
        layer="scheduler",
        status="fail",
        title="The Node was not released",
        message="All else is proven on {node}, and its startup taint is still there: {why}",
        meaning="The GPU works, and still no ordinary Pod is placed on this Node.",
        remedy="Mend what the message names (docs/startup-taint.md has the permissions and a policy for them), then "
        "verify again.",
        mistaken_for="A usable Node: only the smoke Pod tolerated the taint.",
        sources=("lab",),
    ),
    Entry(
        code="SCH041",
        layer="scheduler",
        status="unknown",
        title="Whether the Node was released is not known",
        message="Whether the startup taint of {node} was taken away is not known: {why}",
        meaning="The request was refused or got no answer, the run ended before it, or the Node is another one by now.",
        remedy="Look at it (`kubectl get node {node} -o jsonpath={{.spec.taints}}`), and verify again: that does no "
        "harm to a Node that was released.",
        mistaken_for="A Node that was released, since everything else passes.",
        sources=("lab",),
    ),
    Entry(
        code="SCH042",
        layer="scheduler",
        status="warning",
        title="The startup taint keeps new Pods away",
        message="The startup taint {how} on {node}, since {why}.",
        meaning="No new Pod is placed on this Node unless it tolerates the taint. Pods that run there already stay.",
        remedy="Mend what keeps the node from being usable and verify again with gpu_k8s_startup_taint=release or "
        "hold: that takes the taint away. Drain the Node if its running Pods should leave.",
        mistaken_for="A cordon.",
        sources=(_TAINTS, "lab"),
    ),
    Entry(
        code="SCH043",
        layer="scheduler",
        status="warning",
        title="What was found could not be written to the Node",
        message="Taint, label and annotation of {node} are not as this run wants them: {why}",
        meaning="The verdict stands. The Node's label gpu.k8s/verified and annotation gpu.k8s/verification may tell of "
        "an earlier run, and a broken Node may still be open for Pods.",
        remedy="Mend what the message names, then verify again.",
        mistaken_for="What the label says.",
        sources=("lab",),
    ),
    Entry(
        code="SCH044",
        layer="scheduler",
        status="unknown",
        title="The Node was left closed",
        message="{node} still has its startup taint, about which this run decided nothing: {why}.",
        meaning="Whatever else is proven, no ordinary Pod is placed on this Node.",
        remedy="Verify all layers, on a host that is proven to be this Node: gpu_k8s_startup_taint=release then takes "
        "the taint from a node that is usable.",
        mistaken_for="A usable Node: only the smoke Pod tolerated the taint.",
        sources=("lab",),
    ),
)
