#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: advertised
short_description: Read what the Nodes say of themselves, when it has settled
version_added: 0.1.0
description:
  - Reads lists from a cluster as M(gpu.k8s.cluster_info) does. If a Node tells of something that is about to change,
    because it, its kubelet or its device plugin has just started, they are read again until that is over.
  - The number of requests does not depend on the number of Nodes.
author:
  - gpu.k8s contributors (@gpu-k8s)
extends_documentation_fragment:
  - gpu.k8s._kube
  - gpu.k8s._attributes
  - gpu.k8s._attributes.info
notes:
  - This is an action plugin. It reads what the host layers of this collection registered, and expects its own result to
    be registered as the roles of this collection do it.
options:
  run:
    description: The run, as M(gpu.k8s.begin) returned it.
    type: dict
    required: true
  read:
    description: The lists to read, as in O(gpu.k8s.cluster_info#module:read).
    type: list
    elements: str
    required: true
  namespace:
    description: The Namespace of the smoke Pods, as in O(gpu.k8s.cluster_info#module:namespace).
    type: str
    default: ""
  wait_for:
    description:
      - What has to settle. V(devices) are what the Nodes advertise.
      - V(taints) are those that follow a condition of the Node. Some are taken away seconds after it became Ready.
    type: str
    choices: [devices, taints]
    default: devices
  settle:
    description: Seconds to wait at most. With V(0) everything is read once.
    type: int
    default: 60
  after:
    description: The result of an earlier M(gpu.k8s.cluster_info); a cluster that did not answer it is not asked again.
    type: dict
"""

EXAMPLES = r"""
- name: Read what the Nodes advertise
  gpu.k8s.advertised:
    context: gpu-cluster
    run: "{{ preflight_run }}"
    read: [nodes, pods]
  register: device_plugin_cluster
  # device_plugin_cluster.waited is 0.4 where nothing has just started
"""

RETURN = r"""
taken:
  description: When this was taken, in UTC.
  returned: always
  type: str
  sample: "2026-11-30T10:50:01.123456+00:00"
error:
  description: Why nothing could be read; null when the API answered.
  returned: always
  type: str
lists:
  description: The lists that were asked for, as in RV(gpu.k8s.cluster_info#module:lists).
  returned: when the API answered
  type: dict
waited:
  description: Seconds that all of it took.
  returned: always
  type: float
"""
