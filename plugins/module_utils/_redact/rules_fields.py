# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The fields of the evidence whose values are names for sure."""

from __future__ import annotations

from .originals import (
    as_it_is,
    of_identity,
    of_image,
    of_label,
    of_label_key,
    of_login,
    of_machine,
    of_namespace,
    of_pattern,
    of_provider_id,
    of_server,
    of_toleration,
    of_workload,
)
from .rules import FieldRule

FIELD_RULES: tuple[FieldRule, ...] = (
    FieldRule("inventory_name", ("run hosts", "host", "node_name", "kubernetes hosts"), of_machine("host")),
    FieldRule(
        "node_name",
        (
            "node metadata name",
            "spec nodeName",
            "cluster nodes_without_host",
            "labels kubernetes.io/hostname",
            "nodeSelector kubernetes.io/hostname",
            "matchFields values",
            "pool name",
        ),
        of_machine("node"),
    ),
    FieldRule("node_address", ("addresses address",), of_machine("host")),
    FieldRule("provider_id", ("spec providerID",), of_provider_id),
    FieldRule("cluster_context", ("cluster context",), as_it_is("context")),
    FieldRule("api_server", ("cluster server",), of_server),
    FieldRule("identity", ("cluster identity", "kubernetes identity"), of_identity),
    FieldRule("controller", ("run by",), of_login),
    FieldRule("host_pattern", ("run pattern",), of_pattern),
    FieldRule(
        "namespace",
        (
            "metadata namespace",
            "involvedObject namespace",
            "missing_permissions namespace",
            "smoke_pod namespace",
            "smoke_pods_more namespace",
            "control_pod namespace",
            "expect smoke_namespace",
            "expect debug_namespace",
            "objects namespace items metadata name",
            "labels kubernetes.io/metadata.name",
        ),
        of_namespace,
    ),
    FieldRule("pod", ("kubernetes pods metadata name",), of_workload("pod")),
    FieldRule(
        "workload",
        ("metadata owner name", "daemon_sets items metadata name", "involvedObject name"),
        of_workload("workload"),
    ),
    FieldRule(
        "container",
        ("containers name", "initContainers name", "containerStatuses name", "initContainerStatuses name"),
        of_workload("container"),
    ),
    FieldRule(
        "object",
        (
            "resource_quotas items metadata name",
            "limit_ranges items metadata name",
            "priority_classes items metadata name",
            "cluster_policies items metadata name",
            "nvidia_drivers items metadata name",
            "device_classes items metadata name",
            "resource_slices items metadata name",
            "resourceClaims name",
            "resourceClaims resourceClaimName",
            "resourceClaims resourceClaimTemplateName",
            "expect smoke_priority_class",
            "expect smoke_device_class",
            "spec priorityClassName",
        ),
        of_workload("object"),
    ),
    FieldRule("image", ("image", "imageID", "expect smoke_cuda_image"), of_image),
    FieldRule(
        "label_value",
        (
            "labels *",
            "annotations *",
            "nodeSelector *",
            "matchLabels *",
            "matchExpressions values",
            "taints value",
            "tolerations value",
        ),
        of_label,
    ),
    FieldRule(
        "label_key",
        (
            "labels ~",
            "annotations ~",
            "nodeSelector ~",
            "matchLabels ~",
            "capacity ~",
            "allocatable ~",
            "matchExpressions key",
            "taints key",
            "tolerations key",
            "expect resource",
        ),
        of_label_key,
    ),
    FieldRule("toleration", ("expect tolerate",), of_toleration),
)
