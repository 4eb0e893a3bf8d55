#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: debug_targets
short_description: Decide for which hosts a debug Pod is made
version_added: 0.1.0
description:
  - Finds the Node of each host that is reached by a debug Pod, and says of the others why no Pod is made for them.
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
"""

EXAMPLES = r"""
- name: Decide which debug Pods are made
  gpu.k8s.debug_targets:
    run: "{{ preflight_run }}"
  register: debug_pod_targets
"""

RETURN = r"""
taken:
  description: When this was taken, in UTC.
  returned: always
  type: str
  sample: "2026-11-30T10:50:01.123456+00:00"
pods:
  description: The Pods to make, with their name, host and Node.
  returned: always
  type: list
  elements: dict
not_made:
  description:
    - Why none is made for a host, by its name, as an error of RV(gpu.k8s.examine#module:look). In check mode, without
      kubectl or without the permissions, none is made at all.
  returned: always
  type: dict
"""
