#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: registration
short_description: Examine the kubelet's devices on a node, when they have settled
version_added: 0.1.0
description:
  - Examines the layer V(device_plugin) of a host as M(gpu.k8s.examine) does. If its kubelet or device plugin has just
    started and the two have not found each other yet, the host is examined again until they have.
  - It changes nothing on the node.
author:
  - gpu.k8s contributors (@gpu-k8s)
extends_documentation_fragment:
  - gpu.k8s._attributes
  - gpu.k8s._attributes.info
notes:
  - This is an action plugin. It respects C(become) and every connection plugin that passes standard input.
options:
  kubelet_folder:
    description: The kubelet's root directory, where the kubelet itself can't be asked.
    type: str
    default: /var/lib/kubelet
  deadline:
    description: Seconds that one command may take on the node.
    type: int
    default: 20
  budget:
    description: Seconds that all commands of one examination may take together.
    type: int
    default: 60
  access:
    description:
      - How the host is reached, as O(gpu.k8s.examine#module:access) says. With V(none) the Node is judged by what the
        API says alone.
    type: str
    choices: [ssh, debug_pod, none]
    default: ssh
  after:
    description: The result of the layer below. If that layer is broken or its host did not answer, nothing is asked.
    type: dict
  settle:
    description: Seconds to wait at most. With V(0) the host is examined once.
    type: int
    default: 60
"""

EXAMPLES = r"""
- name: Examine the kubelet's devices
  gpu.k8s.registration:
    after: "{{ driver_result }}"
  register: device_plugin_result
  # device_plugin_result.waited is 0.3 where nothing has just started
"""

RETURN = r"""
taken:
  description: When this was taken, in UTC.
  returned: always
  type: str
  sample: "2026-11-30T10:50:01.123456+00:00"
look:
  description: The evidence, as in RV(gpu.k8s.examine#module:look).
  returned: always
  type: dict
waited:
  description: Seconds that all of it took.
  returned: always
  type: float
"""
