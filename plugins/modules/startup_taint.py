#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: startup_taint
short_description: Take the startup taint from usable Nodes, and put it back on broken ones
version_added: 0.1.0
description:
  - Judges every host of the run, and writes to its Node what that came to. The taint
    V(gpu.k8s/unverified:NoSchedule) is taken from a Node that is usable; with C(gpu_k8s_startup_taint=hold) it is put
    on one that is broken. The label C(gpu.k8s/verified) and the annotation C(gpu.k8s/verification) tell of the run.
  - Nothing else of a Node is touched. Each change is one JSON patch that fails if what it rests on was changed by
    somebody else meanwhile; the Node is then read anew.
  - A Node that is not proven to be the host is left alone, and so is every Node when not all layers were looked at,
    unless it is broken.
  - What the API refuses is an answer, and does not fail the task; the report then says that the Node was not released.
author:
  - gpu.k8s contributors (@gpu-k8s)
requirements:
  - kubernetes >= 29.0.0
extends_documentation_fragment:
  - gpu.k8s._kube
  - gpu.k8s._attributes
attributes:
  check_mode:
    support: full
    details: Nothing is written. One line says what would be.
  idempotent:
    support: partial
    details: Label and annotation tell of the latest run, so that each writes them.
  diff_mode:
    support: none
notes:
  - This is an action plugin. It runs on the controller and reads what the roles of this collection registered.
options:
  run:
    description: The run, as M(gpu.k8s.begin) returned it.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Release the Nodes that are usable
  gpu.k8s.startup_taint:
    kubeconfig: ~/.kube/config
    context: gpu-cluster
    run: "{{ preflight_run }}"
  register: startup_taint_result
  # startup_taint_result.outcomes.node1.taint is "absent" for a Node that was released
"""

RETURN = r"""
taken:
  description: When this was taken, in UTC.
  returned: always
  type: str
  sample: "2026-11-30T10:50:01.123456+00:00"
outcomes:
  description:
    - What became of each host's Node, by the host's name. C(wanted) is V(release), V(hold), V(mark) (the taint stays as
      it is) or V(leave) (nothing is written); C(why) says why. C(taint) is V(present), V(absent) or V(unknown) now,
      C(changed) whether this run took it away or put it there, and C(error) why the Node is not as it was wanted.
  returned: always
  type: dict
  sample:
    node1: {wanted: release, why: it is usable, taint: absent, changed: true, error: null}
"""
