# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The arguments of every module that talks to the API; documented in plugins/doc_fragments/_kube.py."""

from __future__ import annotations

import typing as t

KUBE_ARGS: dict[str, t.Any] = {
    "kubeconfig": {"type": "path", "default": "~/.kube/config"},
    "context": {"type": "str", "required": True},
    "request_timeout": {"type": "float", "default": 15.0},
}
