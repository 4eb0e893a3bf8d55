# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What this identity may not do, and which checkpoints are not proven for that."""

from __future__ import annotations

import typing as t
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from .._access import Permission, denied, in_words, namespaces_of, wants_of
from .._catalogue import found
from .._chain import LAYERS, Finding, Judgement, Layer

# Findings that say no more than that something was not read or tried: a missing permission says why.
_CONSEQUENCES = ("PRE005", "PRE020", "SMK015", "SMK041")


def with_permissions(
    layer: Layer, evidence: Mapping[str, t.Any], judgements: Iterable[Judgement]
) -> Iterator[Judgement]:
    """Add what the layer's judge can't know: that a permission it requires is missing (PRE007)."""
    missing = _finding(evidence) if _required(evidence, (layer,)) else None
    for judgement in judgements:
        if missing is None or judgement.skipped is not None or judgement.waived is not None:
            yield judgement
        else:
            others = (finding for finding in judgement.findings if finding.code not in _CONSEQUENCES)
            yield replace(judgement, findings=(missing, *others))


def _required(evidence: Mapping[str, t.Any], layers: Iterable[str]) -> list[Permission]:
    access = (evidence.get("kubernetes") or {}).get("access")
    by_pod = any((evidence.get(layer) or {}).get("way") == "debug_pod" for layer in LAYERS)
    return [
        permission
        for permission in denied(access, wants_of(evidence["expect"]), layers)
        if permission.required and (by_pod or permission.when != "debug_pod")  # another host of the run may need it
    ]


def _finding(evidence: Mapping[str, t.Any]) -> Finding:
    """One for all layers of the run: an administrator is asked once."""
    permissions = _required(evidence, evidence["chosen"])
    return found(
        "PRE007",
        "kubernetes.access",
        who=evidence["kubernetes"].get("identity") or "this identity",
        verbs=in_words(permissions, namespaces_of(evidence["expect"])),
        reasons="; ".join(dict.fromkeys(permission.needed_for for permission in permissions)),
    )
