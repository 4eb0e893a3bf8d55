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
    description:
      - The Namespace of the smoke Pods, that V(namespace), V(resource_quotas) and V(limit_ranges) are read of.
    type: str
    default: default
  review_for:
    description:
      - The way in which smoke Pods will ask for GPUs. With it, the cluster is asked who this is, and one
        SelfSubjectAccessReview is made for each permission of C(docs/permissions.md). Their number does not depend on
        the size of the cluster.
    type: str
    choices: [device_plugin, dra]
  after:
    description:
      - The result of an earlier task of this module. A cluster that did not answer it is not asked again, so that one
        that hangs is waited for once; the answer is then the same.
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

import typing as t
from concurrent.futures import ThreadPoolExecutor

try:
    import jmespath
except ImportError:
    jmespath = None

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ansible_collections.gpu.k8s.plugins.module_utils._access import Permission, applicable
from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._kube import MISSING, ApiError, Cluster
from ansible_collections.gpu.k8s.plugins.module_utils._kube_args import KUBE_ARGS
from ansible_collections.gpu.k8s.plugins.module_utils._kube_lists import LISTS

REVIEWERS = 8
"""Reviews that are under way at once."""


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


def read_cluster(
    kubeconfig: str, context: str, timeout: float, names: list[str], namespace: str, review_for: str | None = None
) -> dict[str, t.Any]:
    answer: dict[str, t.Any] = {"taken": utc_now(), "error": None, "error_kind": None}
    try:
        cluster = Cluster(kubeconfig, context, timeout)
        answer["server"] = cluster.server
        answer["version"] = read_version(cluster)
        answer["uid"] = read_uid(cluster)
    except ApiError as error:
        return {**answer, "error": str(error), "error_kind": error.kind}
    if review_for:
        answer["identity"] = read_identity(cluster)
        answer["access"] = review_access(cluster, namespace, review_for)
    answer["lists"] = {name: read_list(cluster, name, namespace) for name in names}
    return answer


def read_version(cluster: Cluster) -> str:
    version = cluster.get(cluster.version.get_code).get("gitVersion")
    if not version:
        raise ApiError(f"{cluster.server} answers, but not as a Kubernetes API does", kind="not_kubernetes")
    return str(version)


def read_uid(cluster: Cluster) -> str | None:
    try:
        namespace = cluster.get(cluster.core.read_namespace, "kube-system")
    except ApiError as error:
        if error.status != 403:
            raise
        if cluster.anonymous:  # to grant rights to nobody in particular would be the wrong remedy
            raise ApiError(
                "the context's user has no credentials, and without any it is forbidden", 403, "credentials"
            ) from error
        return None
    uid = (namespace.get("metadata") or {}).get("uid")
    return uid if isinstance(uid, str) else None


def read_identity(cluster: Cluster) -> str | None:
    """Kubernetes 1.28 and later tell every user; one without a name there has none in the report."""
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    try:
        review = cluster.get(cluster.authentication.create_self_subject_review, body=body)
    except ApiError:
        return None
    user = (review.get("status") or {}).get("userInfo") or {}
    return user.get("username")


def review_access(cluster: Cluster, namespace: str, ask: str) -> dict[str, t.Any]:
    permissions = applicable(ask)
    with ThreadPoolExecutor(REVIEWERS) as reviewers:
        allowed = list(reviewers.map(lambda one: may(cluster, one, namespace), permissions))
    answers = list(zip(permissions, allowed, strict=True))
    return {
        "asked": len(permissions),
        "denied": [permission.row() for permission, answer in answers if answer is False],
        "not_known": [permission.row() for permission, answer in answers if answer is None],
    }


def may(cluster: Cluster, permission: Permission, namespace: str) -> bool | None:
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": permission.review(namespace)},
    }
    try:
        review = cluster.get(cluster.authorization.create_self_subject_access_review, body=body)
    except ApiError:
        return None
    answer = (review.get("status") or {}).get("allowed")
    return answer if isinstance(answer, bool) else None


def answer(given: dict[str, t.Any]) -> dict[str, t.Any]:
    earlier = given["after"] or {}
    if earlier.get("error"):
        return {"taken": utc_now()} | {key: earlier.get(key) for key in ("error", "error_kind", "server")}
    return read_cluster(
        given["kubeconfig"],
        given["context"],
        given["request_timeout"],
        given["read"],
        given["namespace"],
        given["review_for"],
    )


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            **KUBE_ARGS,
            "read": {"type": "list", "elements": "str", "choices": list(LISTS), "default": []},
            "namespace": {"default": "default"},
            "review_for": {"choices": ["device_plugin", "dra"]},
            "after": {"type": "dict"},
        },
        supports_check_mode=True,
    )
    if MISSING:
        module.fail_json(msg=missing_required_lib("kubernetes"), exception=MISSING)
    if jmespath is None:
        module.fail_json(msg=missing_required_lib("jmespath"))
    module.exit_json(changed=False, **answer(module.params))


if __name__ == "__main__":
    main()
