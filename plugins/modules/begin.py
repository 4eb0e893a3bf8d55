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
  - Checks the user's variables and that there is somebody to examine, gives the run an id, and removes the last run's
    reports and evidence from the report folder, so that they can't be mistaken for this run's.
  - Does not fail for what the user has to set otherwise. RV(refused) says it; the role's next task fails with it.
  - Starts a process that waits for the end of ansible-playbook. If that comes before the report, it runs
    C(playbooks/wind_up.yml), which removes the run's Pods and reports what was seen until then.
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
  inputs:
    description:
      - The argument spec of the user's variables, those that begin with C(gpu_k8s_). Any other such name is refused,
        since it would be ignored silently.
    type: dict
    default: {}
  report_folder:
    description: The folder on the controller that reports are written to.
    type: path
    required: true
  kubeconfig:
    description: The kubeconfig file of the cluster, for winding up.
    type: path
    default: ""
  context:
    description: Its context, for winding up.
    type: str
    default: ""
  debug_namespace:
    description: The Namespace of the debug Pods. It must be set where a host is reached by one.
    type: str
    default: ""
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
refused:
  description: What has to be set otherwise before anything is examined. Empty if nothing is.
  returned: always
  type: str
id:
  description: The run's id; it is part of the names of everything that the run creates.
  returned: unless RV(refused)
  type: str
  sample: 3fa81c2e
started:
  description: When the run began, in UTC.
  returned: unless RV(refused)
  type: str
  sample: "2026-11-30T10:50:01.123456+00:00"
hosts:
  description: The hosts to examine.
  returned: unless RV(refused)
  type: list
  elements: str
debug_hosts:
  description: Those of them that are reached by a debug Pod, by their variable C(gpu_k8s_host_access).
  returned: unless RV(refused)
  type: list
  elements: str
expect:
  description: What the nodes are judged by, as it was given; with O(debug_namespace) if there are RV(debug_hosts).
  returned: unless RV(refused)
  type: dict
report_folder:
  description: The report folder, as an absolute path.
  returned: unless RV(refused)
  type: str
journal:
  description: The folder in which the tasks of the run keep what they register, until the report is written.
  returned: unless RV(refused)
  type: str
pattern:
  description: O(pattern).
  returned: unless RV(refused)
  type: str
by:
  description: Who runs this and where, as C(user@host).
  returned: unless RV(refused)
  type: str
versions:
  description: The versions of C(gpu.k8s), C(ansible-core) and C(kubernetes).
  returned: unless RV(refused)
  type: dict
check_mode:
  description: Whether this is a run in check mode.
  returned: unless RV(refused)
  type: bool
"""
