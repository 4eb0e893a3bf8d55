# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The words that are nobody's: those of NVIDIA's and Kubernetes' own software, and of this collection."""

from __future__ import annotations

import re

from .._catalogue import CATALOGUE


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TOOL_WORDS = _words(
    """
    a100 agent amd amd64 arm64 azure b200 base busybox cache claim class cluster cni com component config container
    containerd containers control controller core cri crio critical ctk ctr cuda cudart cudnn daemon daemonset dcgm
    default devel device discovery dns docker dra driver drivers ds eks exporter feature flannel gce gdrcopy gds gfd
    gib gke gpu gpus gpushare h100 h200 habana hami init installer instance intel io istio job k3s k8s kata kernel kube
    kubelet kubernetes kubevirt l4 l40s lab latest lease library linux main manager master medium metrics microk8s mig
    mps namespace network nfd node nodes nvdp nvidia object oci operator peermem persistenced plugin pod pods policy
    proxy pull quota ray rdma resource rke2 rocm runc runtime sample samples sandbox scheduler server service shared
    sharing sidecar slice slices small smi smoke sriov state status system t4 talos toolkit tools topology ubi8 ubi9
    ubuntu ubuntu20 ubuntu22 ubuntu24 v100 validation validator vectoradd version vfio vgpu vm volcano worker workers
    x86
    """
)

# Of the transcripts, of the files that the probes read, and of every site; in a text they name nothing for sure.
_EVERYDAY_WORDS = _words(
    """
    accelerator active admin all allocatable annotations app apps arch begin bin bridge build bus capacity cat cdi
    cgroup checksum code command conditions connected data dead debug dedicated defines deny dev device distribution
    dma dpkg effect enabled end env error etc exec exists exit false file files firmware folder found fs gcc get gid
    gmt group handler hbm high hook host http https id idle ids inactive info inotify irq items ko label labels level
    lib listens loaded local log logs low mask message metadata mib minor missing mode module modules mount msg no none
    null nvml nvrm opt os other owner path pci phase plugins pool process prod program purpose query queue reason
    record records registered reserved role running sbin seconds set sku smp socket spec started stderr stdout sys
    table taints tcp team tenant test there tier time tmp training true tty type udp uid unix unknown user usr utc uuid
    uvm value values var verification warning web xid yes zone
    """
)

_CATALOGUE_WORDS = frozenset(
    word.lower()
    for entry in CATALOGUE.values()
    for text in (entry.title, entry.message, entry.meaning, entry.remedy)
    for word in re.findall(r"[^\W\d_]+", text)
)

_COMMON = _TOOL_WORDS | _EVERYDAY_WORDS | _CATALOGUE_WORDS

_PIECES = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"v?\d[\d.]*[a-z]?\d*|\d+g\d*|true|false|yes|no|on|off", re.IGNORECASE)
# What controllers append to the names of Pods: of a ReplicaSet and its Pod, of a DaemonSet's Pod, an index.
_GENERATED = re.compile(r"(-[bcdf-hj-np-tv-z2456789]{6,10})?-[a-z0-9]{5}$|-\d+$")

_OFFICIAL = re.compile(
    r"(^|\.)(kubernetes\.io|k8s\.io|x-k8s\.io|nvidia\.com|gpu\.k8s|cloud\.google\.com|gke\.io|eks\.amazonaws\.com"
    r"|k8s\.aws|amazonaws\.com|kubernetes\.azure\.com|azure\.com|oraclecloud\.com|openshift\.io|microk8s\.io|k3s\.io"
    r"|rke2\.io|rke\.cattle\.io|cattle\.io|karpenter\.sh|cert-manager\.io|istio\.io|helm\.sh|fluxcd\.io|argoproj\.io"
    r"|projectcalico\.org|cilium\.io|amd\.com|intel\.com|volcano\.sh|kubevirt\.io|kubeflow\.org|ray\.io|docker\.io"
    r"|docker\.com|ghcr\.io|quay\.io|gcr\.io|googleapis\.com|github\.com|cluster\.local|localhost|google\.internal"
    r"|compute\.internal|ec2\.internal|containerd\.(v1|cri)|redhat\.com|ubuntu\.com|debian\.org|w3\.org)$"
)

_NAMESPACES = re.compile(
    r"default|kube-(system|public|node-lease)|(nvidia-)?gpu-operator|nvidia(-[a-z]+){0,3}|node-feature-discovery"
    r"|gke-managed-[a-z-]+|gmp-system|openshift-[a-z-]+|dra-driver|volcano-system|kubevirt|cattle-system"
)

_IDENTITY_IN_LABEL = re.compile(r"hostname|zone|region|pool|group|cluster|instance$|subnet|agent|owner|project|network")
_OFFICIAL_WITHOUT_DOMAIN = re.compile(
    r"controller-revision-hash|pod-template-(hash|generation)|\w+(By|Of)ClusterAutoscaler|gke-no-default-[a-z-]+"
    r"|ephemeral-storage|hugepages-\w+"
)


def is_number(text: str) -> bool:
    """Whether it is a number, a version or a switch: it names nobody."""
    return _NUMBER.fullmatch(text) is not None


def is_of_tools(name: str) -> bool:
    """Whether a name is put together of well-known software's words alone, so that it names nobody."""
    stem = _GENERATED.sub("", name)
    return all(piece.lower() in _TOOL_WORDS or is_number(piece) for piece in _PIECES.findall(stem))


_OWN = "gpu-k8s"
"""How this collection's Pods call themselves in their logs, and what the documented ServiceAccount is called."""


def is_common(name: str) -> bool:
    """Whether a text full of this name would be full of it anyway."""
    pieces = _PIECES.findall(name)
    if len(name) < 3 or name.isdigit() or name.lower() == _OWN:
        return True
    return len(pieces) == 1 and bool(_COMMON & {name.lower(), _singular(name)})


def _singular(name: str) -> str:
    return re.sub(r"^(nvidia|eth|sd|tty)\d+$", "driver", name.lower().removesuffix("s"))


def is_official(domain: str) -> bool:
    """Whether it is a domain of well-known software or of a vendor, which sets labels by it."""
    return _OFFICIAL.search(domain) is not None


def is_official_key(key: str) -> bool:
    """Whether a label, taint or resource without a domain is one that well-known software sets."""
    return _OFFICIAL_WITHOUT_DOMAIN.fullmatch(key) is not None


def is_public_namespace(name: str) -> bool:
    return _NAMESPACES.fullmatch(name) is not None


def names_somebody(key: str, value: str) -> bool:
    """Whether a label's value is people's own: of a label of theirs, or one that says where the Node is."""
    domain, slash, name = key.rpartition("/")
    if is_number(value) or is_of_tools(value) or is_common(value) or is_official_key(key):
        return False
    return not (slash and is_official(domain)) or _IDENTITY_IN_LABEL.search(name) is not None
