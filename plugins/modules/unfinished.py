#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: unfinished
short_description: Find the run that came to no end, and what it may have created
version_added: 0.1.0
description:
  - Reads the journal that a run keeps in its report folder until its report is written.
  - Fails when there is none, that is when the run came to its end.
author:
  - gpu.k8s contributors (@gpu-k8s)
extends_documentation_fragment:
  - gpu.k8s._attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
  idempotent:
    support: full
notes:
  - This is an action plugin. It runs on the controller.
options:
  report_folder:
    description: The report folder of the run.
    type: path
    required: true
"""

EXAMPLES = r"""
- name: Find the run that came to no end
  gpu.k8s.unfinished:
    report_folder: gpu-k8s-report
  register: unfinished
"""

RETURN = r"""
id:
  description: The run's id, which is the value of the label C(gpu.k8s/run) of all that it created.
  returned: success
  type: str
  sample: 5d0cbe45
kubeconfig:
  description: The kubeconfig file that the run used.
  returned: success
  type: str
context:
  description: The context of it.
  returned: success
  type: str
created:
  description: The kinds of object that the run may have created, and where. Empty if it did not come to that.
  returned: success
  type: list
  elements: dict
  sample: [{api_version: v1, kind: Pod, namespace: default}]
"""
