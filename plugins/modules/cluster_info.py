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
  - An API that does not answer or refuses is an answer too. It is returned in RV(error) or in the list's own
    C(error); the task does not fail for it.
  - Every request has a time-out. The current context and in-cluster credentials are never used.
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
    default: []
  namespace:
    description: The Namespace that V(namespace), V(resource_quotas) and V(limit_ranges) are read of.
    type: str
    default: default
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

import typing as t

try:
    import jmespath
except ImportError:
    jmespath = None

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._kube import MISSING, ApiError, Cluster
from ansible_collections.gpu.k8s.plugins.module_utils._kube_args import KUBE_ARGS
from ansible_collections.gpu.k8s.plugins.module_utils._kube_lists import LISTS


def read_list(cluster: Cluster, name: str, namespace: str) -> dict[str, t.Any]:
    wanted = LISTS[name]
    method = getattr(getattr(cluster, wanted.api), wanted.method)
    args = (*wanted.args, namespace) if wanted.namespaced else wanted.args
    try:
        items = [cluster.get(method, *args)] if wanted.one else cluster.list(method, *args, **wanted.query)
    except ApiError as error:
        if wanted.optional and error.status == 404:
            return {"items": [], "error": None}
        return {"items": None, "error": str(error)}
    if wanted.keep:
        items = [item for item in items if jmespath.search(wanted.keep, item)]
    return {"items": [jmespath.search(wanted.projection, item) for item in items], "error": None}


def read_cluster(kubeconfig: str, context: str, timeout: float, names: list[str], namespace: str) -> dict[str, t.Any]:
    answer: dict[str, t.Any] = {"taken": utc_now(), "error": None}
    try:
        cluster = Cluster(kubeconfig, context, timeout)
        answer["server"] = cluster.server
        answer["version"] = cluster.get(cluster.version.get_code)["gitVersion"]
    except ApiError as error:
        return {**answer, "error": str(error)}
    try:
        answer["uid"] = cluster.get(cluster.core.read_namespace, "kube-system")["metadata"]["uid"]
    except ApiError as error:
        if error.status != 403:
            return {**answer, "error": str(error)}
        answer["uid"] = None
    answer["lists"] = {name: read_list(cluster, name, namespace) for name in names}
    return answer


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            **KUBE_ARGS,
            "read": {"type": "list", "elements": "str", "choices": list(LISTS), "default": []},
            "namespace": {"default": "default"},
        },
        supports_check_mode=True,
    )
    if MISSING:
        module.fail_json(msg=missing_required_lib("kubernetes"), exception=MISSING)
    if jmespath is None:
        module.fail_json(msg=missing_required_lib("jmespath"))
    given = module.params
    answer = read_cluster(
        given["kubeconfig"], given["context"], given["request_timeout"], given["read"], given["namespace"]
    )
    module.exit_json(changed=False, **answer)


if __name__ == "__main__":
    main()
