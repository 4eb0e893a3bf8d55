#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: compare
short_description: Say what changed between two runs, node by node
version_added: 0.1.0
description:
  - Judges the evidence of two runs anew, by the same rules, and compares them. Writes C(comparison.json) and
    C(comparison.md), of mode 0600, and shows the changes on the terminal.
  - It does not fail for what it finds. RV(passed) says whether every node is as good as before.
author:
  - gpu.k8s contributors (@gpu-k8s)
extends_documentation_fragment:
  - gpu.k8s._attributes
attributes:
  check_mode:
    support: full
    details: The comparison is written in check mode as well; it is an answer and no change of a node.
  diff_mode:
    support: none
  idempotent:
    support: full
notes:
  - This is an action plugin. It runs on the controller and asks neither host nor cluster.
options:
  before:
    description: The report folder of the earlier run, or another folder with its evidence.
    type: path
    required: true
  after:
    description: The same of the later run.
    type: path
    required: true
  report_folder:
    description: The folder on the controller that the comparison is written to.
    type: path
    required: true
  gate:
    description: With V(none) nothing closes the gate; with any other value a node that is worse or gone does.
    type: str
    choices: [usable, chosen, broken, none]
    default: usable
"""

EXAMPLES = r"""
- name: Compare
  gpu.k8s.compare:
    before: before-the-upgrade
    after: gpu-k8s-report
    report_folder: gpu-k8s-report
  register: compare_result
  # compare_result.worse: [gpu-07]
"""

RETURN = r"""
summary:
  description:
    - The number of nodes by what can be said of them, V(worse), V(gone), V(not_compared), V(better), V(changed),
      V(new) or V(same).
  returned: always
  type: dict
  sample: {worse: 1, gone: 0, not_compared: 0, better: 0, changed: 0, new: 0, same: 31}
worse:
  description: The hosts that are worse or gone, and those of which nothing could be compared.
  returned: always
  type: list
  elements: str
  sample: [gpu-07]
passed:
  description: Whether the gate is open.
  returned: always
  type: bool
why:
  description: Why the gate is closed, in one line; empty when it is open.
  returned: always
  type: str
"""
