#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: begin
short_description: Begin a verification run
version_added: 0.1.0
description:
  - Checks that there is somebody to examine, gives the run an id, and removes the last run's report and evidence from
    the report folder, so that they can't be mistaken for this run's.
  - Fails when no host is left, since a run without hosts proves nothing.
author:
  - gpu.k8s contributors (@gpu-k8s)
extends_documentation_fragment:
  - gpu.k8s._attributes
attributes:
  check_mode:
    support: full
    details: The old report is removed in check mode as well, since a new one is written.
  diff_mode:
    support: none
  idempotent:
    support: N/A
    details: Each run has an id of its own.
notes:
  - This is an action plugin. It runs on the controller.
options:
  pattern:
    description: The host pattern that the user chose, for messages.
    type: str
    required: true
  hosts:
    description: The hosts of the inventory that it matches.
    type: list
    elements: str
    required: true
  limited_to:
    description: The hosts that C(--limit) allows; without it there is no limit.
    type: list
    elements: str
  variables:
    description: The names of the user's variables that begin with C(gpu_k8s_).
    type: list
    elements: str
    default: []
  known_variables:
    description: The names that mean something. Any other is refused, since it would be ignored silently.
    type: list
    elements: str
    default: []
  report_folder:
    description: The folder on the controller that reports are written to.
    type: path
    required: true
  expect:
    description: What the nodes are judged by; it becomes part of the evidence of each.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Begin the run
  gpu.k8s.begin:
    pattern: gpu_nodes
    hosts: "{{ query('ansible.builtin.inventory_hostnames', 'gpu_nodes') }}"
    report_folder: gpu-k8s-report
    expect: {resource: nvidia.com/gpu, runtime_handler: nvidia, smoke_gpus: 1}
  register: preflight_run
"""

RETURN = r"""
id:
  description: The run's id; it is part of the names of everything that the run creates.
  returned: always
  type: str
  sample: 3fa81c2e
started:
  description: When the run began, in UTC.
  returned: always
  type: str
  sample: "2026-11-30T10:50:01.123456+00:00"
hosts:
  description: The hosts to examine.
  returned: always
  type: list
  elements: str
expect:
  description: What the nodes are judged by, as it was given.
  returned: always
  type: dict
report_folder:
  description: The report folder, with C(~) resolved.
  returned: always
  type: str
"""
