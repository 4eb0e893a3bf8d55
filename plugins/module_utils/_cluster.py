# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ask a cluster who it is, what this identity may do, and for lists of its objects. Private to the collection."""

from __future__ import annotations

import typing as t
from concurrent.futures import ThreadPoolExecutor

from . import _kube
from ._access import Namespaces, Permission, applicable, namespaces_of, wants_of
from ._clock import utc_now
from ._kube import ApiError, Cluster
from ._kube_lists import LISTS

try:
    import jmespath
except ImportError as error:
    MISSING: str | None = str(error)
else:
    MISSING = _kube.MISSING

REVIEWERS = 8
"""Reviews that are under way at once."""


def answer(given: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return what gpu.k8s.cluster_info returns. ``given`` are its options."""
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
        given["cluster_uid"],
    )


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
    kubeconfig: str,
    context: str,
    timeout: float,
    names: list[str],
    namespace: str,
    review_for: dict[str, t.Any] | None = None,
    cluster_uid: str = "",
) -> dict[str, t.Any]:
    """Return the answers. A cluster that is not the one of ``cluster_uid`` is asked for nothing but its UID.

    ``review_for``: what the nodes are judged by, as the evidence has it; this identity's rights are asked for it.
    """
    answer: dict[str, t.Any] = {"taken": utc_now(), "error": None, "error_kind": None}
    try:
        cluster = Cluster(kubeconfig, context, timeout)
        answer["server"] = cluster.server
        answer["uid"] = read_uid(cluster)
        if cluster_uid and answer["uid"] != cluster_uid:
            return {**answer, "refused": _another(context, answer["uid"], cluster_uid)}
        answer["version"] = read_version(cluster)
    except ApiError as error:
        return {**answer, "error": str(error), "error_kind": error.kind}
    if review_for:
        answer["identity"] = read_identity(cluster)
        answer["access"] = review_access(cluster, namespaces_of(review_for), wants_of(review_for))
    answer["lists"] = {name: read_list(cluster, name, namespace) for name in names}
    return answer


def _another(context: str, uid: str | None, wanted: str) -> str:
    seen = f"has the kube-system UID {uid}" if uid else "does not let this identity read the UID of its kube-system"
    return (
        f"the cluster of context {context} {seen}, and gpu_k8s_cluster_uid={wanted} names another. Nothing else was"
        " asked of it. Mend gpu_k8s_context or gpu_k8s_cluster_uid"
        " (`kubectl get ns kube-system -o jsonpath={.metadata.uid}`)"
    )


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


def review_access(cluster: Cluster, namespaces: Namespaces, wants: list[str]) -> dict[str, t.Any]:
    permissions = applicable(wants)
    with ThreadPoolExecutor(REVIEWERS) as reviewers:
        allowed = list(reviewers.map(lambda one: may(cluster, one, namespaces), permissions))
    answers = list(zip(permissions, allowed, strict=True))
    return {
        "asked": len(permissions),
        "denied": [permission.row() for permission, answer in answers if answer is False],
        "not_known": [permission.row() for permission, answer in answers if answer is None],
    }


def may(cluster: Cluster, permission: Permission, namespaces: Namespaces) -> bool | None:
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": permission.review(namespaces)},
    }
    try:
        review = cluster.get(cluster.authorization.create_self_subject_access_review, body=body)
    except ApiError:
        return None
    answer = (review.get("status") or {}).get("allowed")
    return answer if isinstance(answer, bool) else None
