# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the reader of a hand-over is told about its redaction."""

from __future__ import annotations

import typing as t

from .redact import Redacted

_KEPT = (
    "Models, numbers, bus addresses and states of GPUs; versions of drivers, kernels, runtimes and Kubernetes.",
    "Times, exit codes, counts, sizes and the words of error messages.",
    "Names of NVIDIA's and Kubernetes' own labels, taints, images, DaemonSets and Namespaces.",
    "Content digests (sha256) of images and the ids of containers.",
)
_NOT_REDACTED = (
    "A host, Namespace or user whose name is a common word of the tools, or shorter than three letters, keeps it "
    "inside of free text (logs, events, error messages); in fields that hold nothing else it is replaced.",
    "Values of labels that are numbers, versions or common words.",
    "Names that stand in free text alone, and in no field and no form that a rule knows.",
    "Parts of names in output that was cut off in their middle.",
)
_CLEAR = "Everything: this hand-over was written with gpu_k8s_redact=false and holds the site's real names."


def redaction(redacted: Redacted | None) -> dict[str, t.Any]:
    """Return it as the hand-over's page takes it; None: nothing was redacted."""
    if redacted is None:
        return {"redacted": False, "replaced": {}, "kept": [_CLEAR], "not_redacted": []}
    return {
        "redacted": True,
        "replaced": dict(redacted.replaced),
        "kept": list(_KEPT),
        "not_redacted": list(_NOT_REDACTED),
    }
