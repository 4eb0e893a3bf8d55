# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the smoke Pods' Namespace allows: the Namespace itself, its ResourceQuotas and LimitRanges.

None of this says anything about a Node: it keeps the proof from being made.
"""

from __future__ import annotations

import typing as t
from collections.abc import Iterator, Mapping

from .._catalogue import found
from .._chain import Finding
from .._evidence.kubernetes_objects import Asked, Object, listed
from .._evidence.kubernetes_quantity import quantity

_PODS = 2  # the smoke Pod and its control
# Scopes of a quota that smoke Pods are in: they have a deadline. Of others the dry run tells.
_OUR_SCOPES = {"Terminating"}


def namespace_takes_pods(kubernetes: Mapping[str, t.Any], asked: Asked) -> Iterator[Finding]:
    """The Namespace takes the smoke Pods."""
    yield from _namespace_there(kubernetes, asked)
    for quota in listed(kubernetes, "resource_quotas") or ():
        yield from _quota_suffices(quota, asked)
        yield from _quota_counts(quota, asked)
    for limit_range in listed(kubernetes, "limit_ranges") or ():
        yield from _limits_fit(limit_range, asked)


def _namespace_there(kubernetes: Mapping[str, t.Any], asked: Asked) -> Iterator[Finding]:
    namespaces = listed(kubernetes, "namespace")
    if namespaces is None:
        return
    if not namespaces:
        yield found("SCH020", "kubernetes.objects.namespace", what=f"There is no Namespace {asked.namespace}.")
    elif (namespaces[0].get("status") or {}).get("phase") == "Terminating":
        what = f"The Namespace {asked.namespace} is being deleted."
        yield found("SCH020", "kubernetes.objects.namespace", what=what)


def _quota_suffices(quota: Object, asked: Asked) -> Iterator[Finding]:
    """What is left of each amount is as much as the Pods take (SCH021)."""
    spec, status = quota.get("spec") or {}, quota.get("status") or {}
    if spec.get("scopeSelector") or not set(spec.get("scopes") or ()) <= _OUR_SCOPES:
        return
    hard, used = status.get("hard") or {}, status.get("used") or {}
    for key in hard:
        most, now, takes = quantity(hard[key]), quantity(used.get(key)), _takes(key, asked)
        if takes and most is not None and now is not None and most - now < takes:
            name = (quota.get("metadata") or {}).get("name")
            what = f"ResourceQuota {name} allows {key}={hard[key]}, and {used[key]} are used."
            yield found("SCH021", "kubernetes.objects.resource_quotas", what=what)


def _takes(key: str, asked: Asked) -> float:
    if key == f"requests.{asked.resource}" and not asked.by_claim:
        return asked.amount
    if key == f"{asked.device_class}.deviceclass.resource.k8s.io/devices" and asked.by_claim:
        return asked.amount
    if key in ("pods", "count/pods"):
        return _PODS
    # How little the Pods need of these, their template says; an amount that is used up has no room for it.
    if key.removeprefix("requests.").removeprefix("limits.") in ("cpu", "memory"):
        return 0.001
    return 0


def _quota_counts(quota: Object, asked: Asked) -> Iterator[Finding]:
    """Of extended resources only ``requests.`` is counted; other spellings are accepted and never match (SCH023)."""
    vendor = asked.resource.partition("/")[0] + "/"
    for key in (quota.get("spec") or {}).get("hard") or {}:
        if key.removeprefix("limits.").startswith(vendor):
            name = (quota.get("metadata") or {}).get("name")
            right = f"requests.{key.removeprefix('limits.')}"
            yield found("SCH023", "kubernetes.objects.resource_quotas", name=name, key=key, right=right)


def _limits_fit(limit_range: Object, asked: Asked) -> Iterator[Finding]:
    name = (limit_range.get("metadata") or {}).get("name")
    pointer = "kubernetes.objects.limit_ranges"
    for limits in (limit_range.get("spec") or {}).get("limits") or ():
        most, least = (quantity((limits.get(kind) or {}).get(asked.resource)) for kind in ("max", "min"))
        given = [(limits.get(kind) or {}).get(asked.resource) for kind in ("default", "defaultRequest")]
        if not asked.by_claim and most is not None and most < asked.amount:
            what = f"LimitRange {name} allows at most {most} {asked.resource} per {limits.get('type')}."
            yield found("SCH024", pointer, what=what)
        if least is not None and least > (0 if asked.by_claim else asked.amount):
            what = f"LimitRange {name} demands at least {least} {asked.resource} per {limits.get('type')}."
            yield found("SCH024", pointer, what=what)
        if any(amount is not None and quantity(amount) for amount in given):
            yield found("SCH025", pointer, name=name, namespace=asked.namespace, resource=asked.resource)
