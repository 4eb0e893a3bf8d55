# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about the Node: what is free on it, and what keeps Pods away from it."""

from __future__ import annotations

from ._entry import Entry

_GPUS = "https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/"
_TAINTS = "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/"
_PRESSURE = "https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/"
_STATUS = "https://kubernetes.io/docs/reference/node/node-status/"

ENTRIES = (
    Entry(
        code="SCH001",
        layer="scheduler",
        status="fail",
        title="The Node is cordoned",
        message="The Node {node} is marked unschedulable (cordoned){why}.",
        meaning="Somebody, or an upgrade, took the Node out of scheduling. No new Pod is placed there.",
        remedy="Find out who cordoned it and why; when that is over, `kubectl uncordon {node}`.",
        mistaken_for="A lack of GPUs: the Pod is Pending either way.",
        sources=("https://kubernetes.io/docs/concepts/architecture/nodes/#manual-node-administration", "lab"),
    ),
    Entry(
        code="SCH002",
        layer="scheduler",
        status="busy",
        title="Too few GPUs of the Node are free",
        message="Pods request {taken} of {allocatable} {resource}, {free} are free, {asked} asked for. "
        "They are held by {holders}.",
        meaning="The GPUs work for those who hold them; whether they work for the next Pod is not proven. A Pod holds "
        "its GPUs from when it is bound to the Node until it is gone, also while it crashes or is being deleted, "
        "and also when nvidia-smi shows them idle.",
        remedy="Run again when a GPU is free, or stop one of the Pods named above.",
        mistaken_for="A broken device plugin or scheduler.",
        sources=(_GPUS, "https://github.com/NVIDIA/k8s-device-plugin/issues/328", "lab"),
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
        sources=(_STATUS, "lab"),
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
        message="The Node has no allocatable {what}.",
        meaning="There is nothing to be free. The reason lies in the layer below.",
        remedy="See the device plugin layer.",
        mistaken_for="A busy Node.",
        sources=(_GPUS,),
    ),
    Entry(
        code="SCH006",
        layer="scheduler",
        status="fail",
        title="A taint that GPU Pods are not known to tolerate",
        message="The Node {node} has the taint {taint}, which keeps Pods away.",
        meaning="Only Pods that tolerate this taint are placed here. It is none of those that vendors put on GPU "
        "Nodes, so a smoke Pod that tolerated it would prove nothing about yours.",
        remedy="If your GPU Pods tolerate it, say so: gpu_k8s_tolerate=['{taint}']. If it is left over, find out who "
        "set it, then `kubectl taint nodes {node} {taint}-`.",
        mistaken_for="A lack of GPUs: since Kubernetes 1.35 the scheduler's message does not name the taint.",
        sources=(_TAINTS, "https://github.com/kubernetes/kubernetes/issues/134740", "lab"),
    ),
    Entry(
        code="SCH007",
        layer="scheduler",
        status="unknown",
        title="More GPUs are asked for than the Node has",
        message="The smoke Pod asks for {asked} {resource}, and the Node has {allocatable} in all.",
        meaning="GPUs of several Nodes do not add up for one Pod. No Pod like this can ever run here, busy or not.",
        remedy="Ask for fewer (gpu_k8s_smoke_gpus), or leave this node out of gpu_k8s_hosts.",
        mistaken_for="A busy Node: the scheduler's words are the same.",
        sources=("https://github.com/NVIDIA/k8s-device-plugin/issues/165",),
    ),
    Entry(
        code="SCH008",
        layer="scheduler",
        status="fail",
        title="The kubelet takes no Pods: disk or process numbers run out",
        message="The Node {node} has {condition}: {reason}",
        meaning="The kubelet evicts Pods and refuses new ones until there is room again.",
        remedy="Free disk space (images, logs, emptyDirs) or process numbers on the node. The condition stays for some "
        "minutes after that.",
        mistaken_for="A GPU problem: GPU images are large and are often what fills the disk.",
        sources=(_PRESSURE,),
    ),
    Entry(
        code="SCH009",
        layer="scheduler",
        status="fail",
        title="The Node's network is not set up",
        message="The network of the Node {node} is unavailable: {reason}",
        meaning="The network plugin or the cloud's routes are not ready for this Node. No Pod is placed there.",
        remedy="Look at the network plugin's Pod on this Node, or at the cloud's route controller.",
        mistaken_for="A lack of GPUs.",
        sources=(_STATUS,),
    ),
    Entry(
        code="SCH010",
        layer="scheduler",
        status="warning",
        title="The Node is short of memory",
        message="The Node {node} has MemoryPressure: {reason}",
        meaning="The kubelet evicts Pods, and takes none that request no memory. Others, like the smoke Pods, may "
        "come.",
        remedy="Find out who uses the memory; give GPU Pods a memory request.",
        mistaken_for="A GPU problem: Pods without a memory request stay Pending.",
        sources=(_PRESSURE,),
    ),
    Entry(
        code="SCH011",
        layer="scheduler",
        status="warning",
        title="A watcher of GPUs warns of this Node",
        message="The Node's condition {condition} is {status}: {reason}",
        meaning="A vendor's health agent says that something is or was wrong with the GPUs. Such conditions are seen "
        "stale on healthy Nodes, so this decides nothing.",
        remedy="Look at the date, and at the driver layer's findings. On AKS and GKE True is bad; conditions that end "
        "in Ready are bad when False.",
        mistaken_for="A verdict: the condition may be days old.",
        sources=(
            "https://learn.microsoft.com/en-us/azure/aks/node-problem-detector",
            "https://github.com/aws/eks-node-monitoring-agent",
            "https://github.com/GoogleCloudPlatform/container-engine-accelerators",
        ),
    ),
    Entry(
        code="SCH012",
        layer="scheduler",
        status="fail",
        title="The Node is on its way out",
        message="The Node {node} is being taken away: it has the taint {taint}.",
        meaning="The autoscaler, the cloud or an administrator removes this Node. No new Pod is placed there.",
        remedy="Nothing is wrong with the GPU. Leave the node out, or find out why it is being removed.",
        mistaken_for="A broken Node.",
        sources=(
            "https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md",
            "https://karpenter.sh/docs/concepts/disruption/",
        ),
    ),
    Entry(
        code="SCH013",
        layer="scheduler",
        status="fail",
        title="The Node is not open for Pods yet",
        message="The Node {node} is still being set up: it has the taint {taint}.",
        meaning="Whoever set this taint (a cloud controller, a network or storage agent, the autoscaler) takes it away "
        "when its part is done. Until then no Pod is placed there.",
        remedy="Wait for a minute and run again. If it stays, look at the Pod of that agent on this Node.",
        mistaken_for="A Node that is Ready: it is, and still takes no Pods.",
        sources=(_TAINTS, "https://kubernetes.io/docs/reference/labels-annotations-taints/"),
    ),
    Entry(
        code="SCH014",
        layer="scheduler",
        status="unknown",
        title="A taint of trouble without the trouble",
        message="The Node {node} has the taint {taint}, and its conditions do not say why.",
        meaning="The control plane sets and removes such taints after the Node's conditions. For some seconds, or "
        "while the controller manager does not run, they contradict each other.",
        remedy="Run again. If it stays, look at kube-controller-manager.",
        mistaken_for="A Node that takes Pods, since it is Ready.",
        sources=(_TAINTS,),
    ),
)
