#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: install_plan
short_description: Decide what is installed where, or why nothing is
version_added: 0.1.0
description:
  - Judges the evidence of verifying, and decides for each host and for the cluster what would be installed, what is
    kept, and what can only be decided later.
  - Nothing that others installed is replaced. An owner, a sign of production, or something that can't be told is a
    refusal. All refusals are told at once; with one nothing is to be done.
  - It changes nothing in the cluster or on a host. C(docs/installing.md) tells what each refusal means.
author:
  - gpu.k8s contributors (@gpu-k8s)
extends_documentation_fragment:
  - gpu.k8s._attributes
  - gpu.k8s._attributes.info
notes:
  - This is an action plugin. It runs on the controller and reads what the roles of this collection registered.
options:
  run:
    description: The run, as M(gpu.k8s.begin) returned it.
    type: dict
    required: true
  context:
    description: The kubeconfig context, whose name may tell of production.
    type: str
    default: ''
  way:
    description: How to install. Empty is refused.
    type: str
    choices: ['', components, operator]
    default: ''
  components:
    description: What to install, for O(way=components). Empty is refused.
    type: list
    elements: str
    choices: [driver, toolkit, device_plugin]
    default: []
  disposable:
    description: Whether the user says that the cluster may be lost.
    type: bool
    default: false
  cluster_uid:
    description: The UID of the Namespace C(kube-system) of the cluster that is meant.
    type: str
    default: ''
  driver_module:
    description: The kernel module of the driver; V(auto) is by the PCI device ids of a host's GPUs.
    type: str
    choices: [auto, open, proprietary]
    default: auto
  driver_packages:
    description: The packages of the driver. They are handed on as they are.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
- name: Decide what is installed
  gpu.k8s.install_plan:
    run: "{{ preflight_run }}"
    way: components
    components: [toolkit, device_plugin]
    disposable: true
    cluster_uid: 0d9f3a2c-5f0e-4a4e-9f2b-0f5a3d1f9d10
  register: install_plan
"""

RETURN = r"""
refused:
  description: All refusals in one text; empty where nothing stands against the plan.
  returned: always
  type: str
refusals:
  description: The refusals.
  returned: always
  type: list
  elements: dict
  contains:
    what:
      description: What it is about, such as a host's component.
      returned: always
      type: str
    saw:
      description: What was seen.
      returned: always
      type: str
    must_be:
      description: What would have to be true.
      returned: always
      type: str
hosts:
  description:
    - The steps of each host, lowest component first, each with C(component), C(does) (C(install), C(keep) or C(later))
      and C(because). That of a driver to install has C(module) and C(packages).
  returned: always
  type: dict
cluster:
  description: The steps of the cluster in the same shape. That of the device plugin has C(nodes).
  returned: always
  type: list
  elements: dict
operator_values:
  description: The Helm values of the GPU Operator.
  returned: always
  type: dict
text:
  description: The plan, or the refusals, in lines for a person.
  returned: always
  type: str
"""
