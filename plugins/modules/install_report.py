#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: install_report
short_description: Write down what an installation came to
version_added: 0.1.0
description:
  - Holds what the role did against the plan, and writes C(install.json) and C(install.md) into the report folder.
  - A step that nobody said to be done is not done.
author:
  - gpu.k8s contributors (@gpu-k8s)
extends_documentation_fragment:
  - gpu.k8s._attributes
attributes:
  check_mode:
    support: full
    details: The report is written, and says what would be done.
  diff_mode:
    support: none
  idempotent:
    support: full
notes:
  - This is an action plugin. It runs on the controller and reads what the role kept as C(install_done) on hosts and as
    C(install_cluster_done) on localhost.
options:
  run:
    description: The run, as M(gpu.k8s.begin) returned it.
    type: dict
    required: true
  plan:
    description: The plan, as M(gpu.k8s.install_plan) returned it.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Write down what was done
  gpu.k8s.install_report:
    run: "{{ preflight_run }}"
    plan: "{{ install_plan }}"
  register: install_result
"""

RETURN = r"""
failed_steps:
  description: The steps that failed or were not reached, in words; empty when all is done.
  returned: always
  type: list
  elements: str
  sample: ["node1: toolkit failed (Install the package: no such package)"]
text:
  description: What was done, what was not, and how to go on or back, in lines for a person.
  returned: always
  type: str
"""
