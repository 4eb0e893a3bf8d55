#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_info
short_description: Read what the judge needs from a Kubernetes cluster
version_added: 0.1.0
description:
  - Says which cluster answers through a named kubeconfig context, and reads lists of its objects, page by page.
  - Only the fields that are judged are kept, so that a thousand Nodes stay small.
  - If asked, says who this is to the cluster, and what of all that this collection needs is denied to this identity.
  - An API that does not answer or refuses is an answer too. It is returned in RV(error) or in the list's own
    C(error); the task does not fail for it.
  - Every request has a time-out. The current context and in-cluster credentials are never used.
notes:
  - This is an action plugin. It runs on the controller, whose Python needs the libraries.
author:
  - gpu.k8s contributors (@gpu-k8s)
requirements:
  - kubernetes >= 29.0.0
  - jmespath >= 1.0.0
extends_documentation_fragment:
  - gpu.k8s._kube
  - gpu.k8s._attributes
  - gpu.k8s._attributes.info
options:
  read:
    description:
      - The lists to read.
      - V(pods) are those that may hold a GPU, in all namespaces. V(smoke_pods) are the Pods that this collection made.
      - From V(namespaces) on they tell whether others use the cluster, and are read for installing alone.
    type: list
    elements: str
    choices:
      - nodes
      - pods
      - smoke_pods
      - daemon_sets
      - daemon_set_events
      - resource_slices
      - device_classes
      - cluster_policies
      - nvidia_drivers
      - runtime_classes
      - priority_classes
      - namespace
      - resource_quotas
      - limit_ranges
      - namespaces
      - deployments
      - stateful_sets
      - all_daemon_sets
      - cron_jobs
      - all_pods
      - services
      - persistent_volume_claims
    default: []
  namespace:
    description:
      - The Namespace of the smoke Pods, that V(namespace), V(resource_quotas) and V(limit_ranges) are read of.
    type: str
    default: default
  review_for:
    description:
      - What the nodes are judged by (C(expect) of M(gpu.k8s.begin)). With it, the cluster is asked who this is, and one
        SelfSubjectAccessReview is made for each permission of C(docs/permissions.md) that such a run needs. Their
        number does not depend on the size of the cluster.
    type: dict
  after:
    description:
      - The result of an earlier task of this module. A cluster that did not answer it is not asked again, so that one
        that hangs is waited for once; the answer is then the same.
    type: dict
  cluster_uid:
    description:
      - The UID of the Namespace C(kube-system) of the cluster that is meant. A cluster that has another one, or does
        not let it be read, is asked for nothing else, and RV(refused) says so.
    type: str
    default: ""
  run:
    description:
      - The run, as M(gpu.k8s.begin) returned it. With it, an empty O(context) is refused in RV(refused), so that the
        role can stop with a word for machines.
    type: dict
"""

EXAMPLES = r"""
- name: Ask which cluster this is, and for its Nodes
  gpu.k8s.cluster_info:
    kubeconfig: ~/.kube/config
    context: gpu-cluster
    read: [nodes]
  register: cluster
  # cluster.error is null when it answered; cluster.lists.nodes['items'] are its Nodes
"""

RETURN = r"""
refused:
  description: Why nothing was asked, and what has to be set.
  returned: when O(run) is given and the context is not, or when O(cluster_uid) is that of another cluster
  type: str
taken:
  description: When this was taken, in UTC.
  returned: always
  type: str
  sample: "2026-11-30T10:50:01.123456+00:00"
error:
  description: Why nothing could be read; null when the API answered.
  returned: always
  type: str
  sample: "https://192.0.2.1:6443 does not answer: [Errno 111] Connection refused"
error_kind:
  description:
    - What is wrong with the way to the API. V(credentials) were refused, the server's certificate is V(not_trusted),
      or what answers is V(not_kubernetes). Null for everything else.
  returned: always
  type: str
  sample: credentials
server:
  description: The API server's address.
  returned: when the context could be loaded
  type: str
  sample: https://192.0.2.1:6443
version:
  description: The API server's version.
  returned: when the API answered
  type: str
  sample: v1.37.2
uid:
  description: The UID of the Namespace kube-system, which identifies the cluster; null when it may not be read.
  returned: when the API answered
  type: str
  sample: 0d9f3a2c-5f0e-4a4e-9f2b-0f5a3d1f9d10
identity:
  description: The name that this user has in the cluster; null when the cluster does not say.
  returned: when the API answered and O(review_for) is given
  type: str
  sample: system:serviceaccount:gpu-k8s:gpu-k8s
access:
  description: What the reviews of this identity's permissions came to.
  returned: when the API answered and O(review_for) is given
  type: dict
  contains:
    asked:
      description: How many permissions were reviewed.
      type: int
      returned: always
    denied:
      description: Those that are denied, each with C(verb), C(group), C(resource), C(subresource) and C(scope).
      type: list
      elements: dict
      returned: always
    not_known:
      description: Those whose review failed, in the same shape.
      type: list
      elements: dict
      returned: always
lists:
  description: The lists that were asked for, by name.
  returned: when the API answered
  type: dict
  contains:
    nodes:
      description: One list; the others have the same shape.
      type: dict
      returned: when it was asked for
      contains:
        items:
          description: The objects, less the fields that nobody judges; null when the list could not be read.
          type: list
          elements: dict
          returned: always
        error:
          description: Why the list could not be read.
          type: str
          returned: always
"""
