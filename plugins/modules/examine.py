#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: examine
short_description: Examine one host layer of a node, and judge it
version_added: 0.1.0
description:
  - Sends a POSIX shell script over the host's own connection, reads back a transcript of what its commands said, and
    judges it. The node needs a shell; it needs no Python.
  - The script changes nothing on the node. The V(toolkit) layer's experiment starts two short containers apart from
    Kubernetes and removes them.
  - A host that can't be examined is an answer (RV(look.error)) and does not fail the task.
author:
  - gpu.k8s contributors (@gpu-k8s)
extends_documentation_fragment:
  - gpu.k8s._attributes
  - gpu.k8s._attributes.info
notes:
  - This is an action plugin. It respects C(become) and every connection plugin that passes standard input.
options:
  layer:
    description: The layer to examine.
    type: str
    choices: [driver, toolkit, device_plugin]
    required: true
  image:
    description: The image of the experiment's containers. It must be on the node. Only for V(toolkit).
    type: str
    default: ""
  pull:
    description: Whether the image may be pulled if it is not on the node. Only for V(toolkit).
    type: bool
    default: false
  runtime_handler:
    description: The runtime handler that hands out GPUs. Only for V(toolkit).
    type: str
    default: nvidia
  kubelet_folder:
    description: The kubelet's root directory. Only for V(device_plugin).
    type: str
    default: /var/lib/kubelet
  deadline:
    description: Seconds that one command may take on the node.
    type: int
    default: 20
  budget:
    description:
      - Seconds that all commands together may take. What did not end by then is missing from the evidence, which then
        proves nothing. What the probe cleans up comes on top, and 300 seconds if the image may be pulled.
      - A host that has said nothing a minute after that is given up.
    type: int
    default: 60
  output_limit:
    description: Bytes that are kept of one command's output.
    type: int
    default: 65536
  expected_gpus:
    description: The number of GPUs that this host has to have; V(0) for any. Only for V(driver).
    type: int
    default: 0
  expected_driver:
    description:
      - The driver that this host has to have, as a version (V(550), V(550.163.01)) or a range (V(>=550,<580)); empty
        for any. As many numbers are compared as are given. Only for V(driver).
    type: str
    default: ""
  expected_model:
    description: What the name of every GPU of this host has to contain; empty for anything. Only for V(driver).
    type: str
    default: ""
  access:
    description:
      - How the host is reached. V(ssh) stands for the host's own connection, whichever it is. V(debug_pod) stands for a
        Pod on the host's Node, which M(gpu.k8s.debug_pods_info) must have found running. With V(none) the host is not
        looked at, and the layer is not proven.
    type: str
    choices: [ssh, debug_pod, none]
    default: ssh
  waive:
    description:
      - The layers that the user does without. They are not looked at, whatever O(access) says, and their status is
        V(waived), which is no pass.
    type: list
    elements: str
    choices: [driver, toolkit]
    default: []
  after:
    description: The result of the layer below. If that layer is broken or its host did not answer, nothing is asked.
    type: dict
"""

EXAMPLES = r"""
- name: Examine the driver
  gpu.k8s.examine:
    layer: driver
  register: driver_result
  # driver_result.status is "pass" when the driver recognises every GPU on the bus
"""

RETURN = r"""
status:
  description: The layer's status as far as the host alone can tell.
  returned: for the layers driver and toolkit
  type: str
  sample: pass
seen:
  description: The proof in words; null unless the status is V(pass).
  returned: for the layers driver and toolkit
  type: str
  sample: 4 of 4 GPUs (NVIDIA H100 80GB HBM3), driver 550.163.01
findings:
  description: What keeps the layer from passing.
  returned: for the layers driver and toolkit
  type: list
  elements: dict
taken:
  description: When this was taken, in UTC.
  returned: always
  type: str
  sample: "2026-11-30T10:50:01.123456+00:00"
look:
  description: The evidence.
  returned: always
  type: dict
  contains:
    records:
      description: What each command printed, its exit code, and the seconds that it took, by name.
      returned: always
      type: dict
    error:
      description: Why there is no whole transcript; null when there is.
      returned: always
      type: dict
    way:
      description: V(debug_pod) if the host was to be reached by one.
      returned: when O(access=debug_pod)
      type: str
"""
