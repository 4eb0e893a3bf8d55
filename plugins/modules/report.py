#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: report
short_description: Judge all nodes, write the reports, and show the chain
version_added: 0.1.0
description:
  - Judges the evidence of every node, writes it and the verdicts to files of mode 0600, and shows six marks a node on
    the terminal.
  - One word for machines is in the file C(conclusion) of the report folder and in the custom stat
    C(gpu_k8s_conclusion), beside C(gpu_k8s_summary) and C(gpu_k8s_broken).
  - It does not fail for a verdict. RV(passed) says whether the gate is open.
author:
  - gpu.k8s contributors (@gpu-k8s)
extends_documentation_fragment:
  - gpu.k8s._attributes
attributes:
  check_mode:
    support: full
    details: The report is written in check mode as well; it is the run's answer and no change of a node.
  diff_mode:
    support: none
  idempotent:
    support: full
notes:
  - This is an action plugin. It runs on the controller and reads what the roles of this collection registered.
options:
  run:
    description:
      - The run, as M(gpu.k8s.begin) returned it. One of O(run), O(evidence_folder) and O(unfinished) is needed.
    type: dict
  ended_early:
    description: Why the run came to no end of its own. Such a run is never usable or waived, and its gate is closed.
    type: str
    default: ""
  context:
    description: The kubeconfig context that was asked, for the report.
    type: str
    default: ""
  evidence_folder:
    description:
      - A folder with saved evidence to judge again, without any host or cluster. Files are JSON or YAML. A report
        folder will do as well.
    type: path
  unfinished:
    description: Report the run in O(report_folder) that was interrupted, out of its journal.
    type: bool
    default: false
  report_folder:
    description: The folder on the controller that the reports are written to.
    type: path
    required: true
  formats:
    description: Which reports to write beside C(report.json). Default is all.
    type: list
    elements: str
    choices: [html, junit, prometheus, handover]
  metrics_file:
    description:
      - A second copy of the metrics on the controller, of mode 0644, for the textfile collector of node_exporter. Its
        name must end in C(.prom), and its folder must exist. If it can't be written, there is a warning.
    type: path
  redact:
    description:
      - Whether the hand-over carries pseudonyms instead of names, addresses, serials and UUIDs. Which stands for which
        is in C(pseudonyms.json) of the report folder.
      - The hand-over is not written, with a warning, if the redacted evidence would lead to other verdicts, or if an
        original were left.
    type: bool
    default: true
  gate:
    description:
      - What closes the gate. V(usable) wants every node usable. V(chosen) wants every layer that was looked at to pass
        on every node. V(broken) wants no node broken, and lets those pass that are waived or not proven. V(none) keeps
        it open for every verdict.
    type: str
    choices: [usable, chosen, broken, none]
    default: usable
"""

EXAMPLES = r"""
- name: Report
  gpu.k8s.report:
    run: "{{ preflight_run }}"
    report_folder: gpu-k8s-report
  register: report_result
"""

RETURN = r"""
conclusion:
  description: One word for all nodes, V(usable), V(broken), V(not proven) or V(waived).
  returned: always
  type: str
passed:
  description: Whether the gate is open.
  returned: always
  type: bool
why:
  description: Why the gate is closed, in one line; empty when it is open.
  returned: always
  type: str
summary:
  description: The number of nodes by conclusion.
  returned: always
  type: dict
report:
  description: The path of the report.
  returned: always
  type: str
"""
