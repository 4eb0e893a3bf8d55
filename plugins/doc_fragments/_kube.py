# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """How a module reaches the cluster. Private to the collection."""

    DOCUMENTATION = r"""
options:
  kubeconfig:
    description:
      - The kubeconfig file, by path. Credentials are never passed in another way.
    type: path
    default: ~/.kube/config
  context:
    description:
      - The context of the kubeconfig to use. The file's current context is never used.
    type: str
    required: true
  request_timeout:
    description:
      - Seconds that one request to the API may take.
    type: float
    default: 15.0
"""
