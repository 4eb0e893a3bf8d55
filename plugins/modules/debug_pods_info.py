#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: debug_pods_info
short_description: Follow debug Pods until they run
version_added: 0.1.0
description:
  - Follows all debug Pods of a run with one watch until each runs, is beyond hope, or the time is up.
  - While it waits it shows every few seconds how many run and what the others wait for.
  - What the API or a kubelet refuses is part of the answer; the task does not fail for it.
notes:
  - This is an action plugin. It runs on the controller.
author:
  - gpu.k8s contributors (@gpu-k8s)
requirements:
  - kubernetes >= 29.0.0
extends_documentation_fragment:
  - gpu.k8s._kube
  - gpu.k8s._attributes
  - gpu.k8s._attributes.info
options:
  namespace:
    description: The Namespace of the Pods.
    type: str
    required: true
  run_id:
    description: The value of the Pods' label C(gpu.k8s/run).
    type: str
    required: true
  pods:
    description: The Pods to follow, as RV(gpu.k8s.debug_targets#module:pods) has them.
    type: list
    elements: dict
    required: true
  not_made:
    description: Why there is none for other hosts, as RV(gpu.k8s.debug_targets#module:not_made) has it.
    type: dict
    default: {}
  created:
    description: The result of the M(kubernetes.core.k8s) task that made the Pods, in the order of O(pods).
    type: dict
    default: {}
  timeout:
    description: Seconds to wait for all Pods.
    type: float
    default: 60.0
  grace:
    description: Seconds after which a Pod is given up that waits for something hopeless, such as a missing image.
    type: float
    default: 10.0
"""

EXAMPLES = r"""
- name: Wait until the debug Pods run
  gpu.k8s.debug_pods_info:
    context: gpu-cluster
    namespace: gpu-k8s-debug
    run_id: "{{ preflight_run.id }}"
    pods: "{{ debug_pod_targets.pods }}"
    not_made: "{{ debug_pod_targets.not_made }}"
    created: "{{ debug_pod_created }}"
  register: debug_pod_opened
"""

RETURN = r"""
taken:
  description: When this was taken, in UTC.
  returned: always
  type: str
  sample: "2026-11-30T10:50:01.123456+00:00"
run_id:
  description: The run that the Pods belong to.
  returned: always
  type: str
kubeconfig:
  description: The kubeconfig file that leads to the Pods.
  returned: always
  type: str
context:
  description: The context of that kubeconfig.
  returned: always
  type: str
namespace:
  description: The Namespace of the Pods.
  returned: always
  type: str
hosts:
  description: Of each host C(pod), the name of its Pod, and C(error), why it can't be used; null where it can.
  returned: always
  type: dict
"""
