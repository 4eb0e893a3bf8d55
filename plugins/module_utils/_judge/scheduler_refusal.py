# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the API means when it refuses a smoke Pod: it tells apart who refuses, since what to do differs."""

from __future__ import annotations

import re

from .._catalogue import found
from .._chain import Finding
from .._kube_errors import status_within

# The first that matches: webhooks and policies come first, since what they say is their authors' words.
# Sources: the admission plugins of kube-apiserver; each format was also seen on the lab, OpenShift's apart.
_KINDS = (
    (r"admission webhook .* denied the request", "SCH027"),
    (r"failed calling webhook|failed to call webhook", "SCH028"),
    (r"ValidatingAdmissionPolicy .* denied request", "SCH029"),
    (r"violates PodSecurity|security context constraint", "SCH026"),
    (r"must specify", "SCH022"),
    (r"exceeded quota|insufficient quota", "SCH021"),
    (r"RuntimeClass .* not found", "SCH015"),
    (r"no PriorityClass with name", "SCH018"),
    (r"(maximum|minimum) .* usage per (Container|Pod)|limit to request ratio per", "SCH024"),
    (r"because it is being terminated|namespaces? \S+ not found", "SCH020"),
    (r"looking up service account", "SCH032"),
    (r"User .* cannot ", "SCH030"),
    (r" is invalid: |quantities must match|strict decoding error", "SCH031"),
)
_LONGEST = 600


def refusal(text: str) -> Finding:
    """Return what a refusal means. ``text`` is the API's answer, as kubernetes.core.k8s or kubectl tells it."""
    said, http_code = _said(text)
    pointer, unknown_words = "smoke_pod.dry_run_error", "SCH031" if http_code == 422 else "SCH033"
    return known_refusal(text, pointer) or found(unknown_words, pointer, what=said[:_LONGEST])


def known_refusal(text: str, pointer: str) -> Finding | None:
    """Return what a refusal means, None when its words are not known: it may be no refusal then."""
    said, _http_code = _said(text)
    code = next((code for pattern, code in _KINDS if re.search(pattern, said, re.IGNORECASE)), None)
    return found(code, pointer, what=said[:_LONGEST]) if code else None


def _said(text: str) -> tuple[str, int | None]:
    """Take the message and the code out of a Status object, where the answer holds one."""
    status = status_within(text)
    return _one_line(str(status.get("message") or text)), status.get("code")


def _one_line(text: str) -> str:
    return " ".join(text.split())
