#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: rehearsal
short_description: Judge what a rehearsal left behind
version_added: 0.1.0
description:
  - Compares what was verified while each fault was there with what should have been found, writes
    C(matrix.json), and shows the confusion matrix on the terminal.
author:
  - gpu.k8s contributors (@gpu-k8s)
extends_documentation_fragment:
  - gpu.k8s._attributes
attributes:
  check_mode:
    support: full
    details: The matrix is written in check mode as well.
  diff_mode:
    support: none
  idempotent:
    support: full
notes:
  - This is an action plugin. It runs on the controller.
options:
  folder:
    description:
      - The folder that holds C(report.json) and C(exit_status) of each round below the round's name, and those of the
        verification after all of them below C(mended).
    type: path
    required: true
  nodes:
    description: All nodes that were verified.
    type: list
    elements: str
    required: true
  rounds:
    description: The rounds, as the filter P(gpu.k8s.rehearsal_rounds#filter) plans them.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Judge the rehearsal
  gpu.k8s.rehearsal:
    folder: build/rehearsal
    nodes: [node1, node2, node3]
    rounds:
      - name: gpu_lost
        settings: {}
        faults:
          - name: gpu_lost
            node: node3
            everywhere: false
            expect: {layer: driver, status: fail, code: DRV004}
"""

RETURN = r"""
passed:
  description: Whether there was a fault and every one was found as expected, with nobody else blamed.
  returned: always
  type: bool
faults:
  description: Number of faults.
  returned: always
  type: int
right:
  description: Number of faults that were found as expected.
  returned: always
  type: int
false_passes:
  description: Number of times that something broken was called usable.
  returned: always
  type: int
false_alarms:
  description: Number of times that something sound was not called usable.
  returned: always
  type: int
"""
