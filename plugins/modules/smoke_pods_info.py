#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: smoke_pods_info
short_description: Follow smoke Pods to their end and read what they left
version_added: 0.1.0
description:
  - Follows all Pods of a run with one watch until each has ended, is beyond hope, or the time is up.
  - While it waits it shows every few seconds how many are done and what the others wait for.
  - Then reads the logs of those that ran, and the events of those that did not.
  - It concludes nothing. What the API refuses is part of the answer; the task does not fail for it.
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
    description: The Pods to follow, as RV(gpu.k8s.smoke_targets#module:pods) has them.
    type: list
    elements: dict
    required: true
  refused:
    description: Why the API would not take the Pods, so that none was created.
    type: str
    default: ""
  created:
    description:
      - The result of the M(kubernetes.core.k8s) task that made the Pods, in the order of O(pods); what it made before
        them (a claim template) is theirs as well. Its errors become part of the evidence.
    type: dict
    default: {}
  earlier:
    description:
      - RV(evidence) of the attempt before. What O(pods) says anew takes its place, and the old one is kept beside it.
    type: list
    elements: dict
    default: []
  timeout:
    description: Seconds to wait for all Pods.
    type: float
    default: 120.0
  grace:
    description: Seconds after which a Pod is given up that waits for something hopeless, such as a missing image.
    type: float
    default: 20.0
  log_bytes:
    description: Bytes of a log that are read at most.
    type: int
    default: 65536
"""

EXAMPLES = r"""
- name: Follow the smoke Pods
  gpu.k8s.smoke_pods_info:
    context: gpu-cluster
    namespace: default
    run_id: "{{ preflight_run.id }}"
    pods: "{{ smoke_pod_targets.pods }}"
  register: smoke_pod_followed
"""

RETURN = r"""
evidence:
  description: What became of the Pods, for each host in order.
  returned: always
  type: list
  elements: dict
  contains:
    host:
      description: The host that the Pods were made for.
      type: str
      returned: always
    node:
      description: Its Node.
      type: str
      returned: always
    host_uuids:
      description: The GPUs that the host's driver lists; null when they are not known.
      type: list
      elements: str
      returned: always
    smoke_pod:
      description: The Pod that asked for GPUs, with its nonce, log and events.
      type: dict
      returned: always
    smoke_pods_more:
      description: The others, where every GPU is tried.
      type: list
      elements: dict
      returned: always
    control_pod:
      description: The Pod that asked for none, in the same shape.
      type: dict
      returned: always
again:
  description:
    - The Pods that came to no end of their own (killed, evicted, deleted, refused by the kubelet in a moment of
      change), by new names; worth another try. Empty when this was one.
  returned: always
  type: list
  elements: dict
taken:
  description: When this was taken, in UTC.
  returned: always
  type: str
  sample: "2026-11-30T10:50:01.123456+00:00"
waited:
  description: Seconds that were waited for the Pods.
  returned: always
  type: float
"""
