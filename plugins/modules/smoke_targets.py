#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: smoke_targets
short_description: Decide for which hosts a smoke Pod is worth trying
version_added: 0.1.0
description:
  - Judges what the lower layers left behind, and names the hosts whose Node can be tried.
  - It creates nothing.
author:
  - gpu.k8s contributors (@gpu-k8s)
extends_documentation_fragment:
  - gpu.k8s._attributes
  - gpu.k8s._attributes.info
notes:
  - This is an action plugin. It runs on the controller and reads what the roles of this collection registered.
options:
  run:
    description: The run, as M(gpu.k8s.begin) returned it.
    type: dict
    required: true
  runtime_class:
    description: The Pods' RuntimeClass. V(auto) is C(nvidia) where there is one, else none.
    type: str
    default: auto
  claim_templates:
    description: The ResourceClaimTemplates of this collection that are there, to find those of earlier runs.
    type: list
    elements: dict
    default: []
"""

EXAMPLES = r"""
- name: Decide where to try a smoke Pod
  gpu.k8s.smoke_targets:
    run: "{{ preflight_run }}"
  register: smoke_pod_targets
"""

RETURN = r"""
taken:
  description: When this was taken, in UTC.
  returned: always
  type: str
  sample: "2026-11-30T10:50:01.123456+00:00"
pods:
  description:
    - The Pods to make, those of one Node in a row and its control last, with name, nonce, Node, what they must tolerate
      and how many GPUs they ask for.
  returned: always
  type: list
  elements: dict
not_tried:
  description: Why a host is not tried, by its name.
  returned: always
  type: dict
runtime_class:
  description: The RuntimeClass to use; empty for none.
  returned: always
  type: str
left_over:
  description: Pods that an earlier run of this collection left behind.
  returned: always
  type: list
  elements: dict
left_over_claims:
  description: ResourceClaimTemplates that an earlier run of this collection left behind.
  returned: always
  type: list
  elements: dict
"""
