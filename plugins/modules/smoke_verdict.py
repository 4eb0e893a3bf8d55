#!/usr/bin/python
# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: smoke_verdict
short_description: Turn a smoke Pod's exit code and log into a pass or fail fact
version_added: 0.1.0
description:
  - Decides whether a Pod really got the GPUs that it asked for. Exit code B(and) log must both say so.
  - A pass needs the reason C(Completed) with exit code 0, no restart, both lines with the Pod's own nonce, as many
    GPUs as it asked for, GPUs that the host knows, no word of an error in the log, and a control Pod without a limit
    that saw no GPU.
  - A Pod that was killed, evicted, lost with its node or ran into its deadline, and a log that could not be read, are
    V(unknown). They are neither a failure of the GPU nor a pass.
  - It also works in other playbooks, for a Pod whose command frames its output by the lines
    C(gpu-k8s begin NONCE) and C(gpu-k8s end NONCE), and prints between them the rows of
    C(nvidia-smi --query-gpu=index,uuid,name --format=csv,noheader) and C(device /dev/nvidiaN) for each device node.
  - A verdict that is not a pass does not fail the task.
author:
  - gpu.k8s contributors (@gpu-k8s)
extends_documentation_fragment:
  - gpu.k8s._attributes
  - gpu.k8s._attributes.info
options:
  pods:
    description: What became of the Pods of each node; RV(gpu.k8s.smoke_pods_info#module:evidence) has this shape.
    type: list
    elements: dict
    required: true
    suboptions:
      host:
        description: The name to call it by in the verdict.
        type: str
        default: ""
      node:
        description: The Node that the Pods had to run on. Without it any Node will do.
        type: str
      host_uuids:
        description: The GPUs that the host's driver lists. Without it they are not compared.
        type: list
        elements: str
      smoke_pod:
        description:
          - The Pod that asked for GPUs, C(pod) being the object as the API has it, C(log) its whole log, C(nonce) the
            nonce, and C(asked) the number of GPUs. C(log_error), C(events) and C(create_error) may say more.
        type: dict
        required: true
      control_pod:
        description: The Pod that asked for none, in the same shape. Without it there is no pass.
        type: dict
  resource:
    description: The extended resource that was asked for.
    type: str
    default: nvidia.com/gpu
"""

EXAMPLES = r"""
- name: Read the Pods that were made before
  kubernetes.core.k8s_info:
    kind: Pod
    namespace: default
    label_selectors: [app=gpu-smoke]
  register: pods

- name: Decide on the first of them and its control
  gpu.k8s.smoke_verdict:
    pods:
      - host: worker-1
        smoke_pod:
          pod: "{{ pods.resources[0] }}"
          log: "{{ smoke_log.log }}"
          nonce: 5f1c9a
          asked: 1
        control_pod:
          pod: "{{ pods.resources[1] }}"
          log: "{{ control_log.log }}"
          nonce: 77d0e2
  register: smoke
  # smoke.passed is true only when the Pod has proven its GPU
"""

RETURN = r"""
passed:
  description: Whether there was at least one smoke Pod and all of them passed.
  returned: always
  type: bool
  sample: true
verdicts:
  description: One verdict for each element of O(pods), in order.
  returned: always
  type: list
  elements: dict
  contains:
    host:
      description: The name that was given.
      type: str
      returned: always
    passed:
      description: Whether the Pod was placed and has proven its GPU.
      type: bool
      returned: always
    placed:
      description: The status of checkpoint 5, V(pass), V(fail), V(busy) or V(unknown).
      type: str
      returned: always
    proven:
      description: The status of checkpoint 6, V(pass), V(fail), V(busy) or V(unknown).
      type: str
      returned: always
    findings:
      description: What keeps it from passing, with code, message and remedy.
      type: list
      elements: dict
      returned: always
"""

import typing as t
from dataclasses import asdict

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpu.k8s.plugins.module_utils._chain import status_of
from ansible_collections.gpu.k8s.plugins.module_utils._judge.smoke_pod import judge_smoke_pod


def verdict_of(pods: dict[str, t.Any], resource: str) -> dict[str, t.Any]:
    placed, proven = judge_smoke_pod(
        pods["smoke_pod"], pods.get("control_pod"), pods.get("node"), resource, pods.get("host_uuids")
    )
    findings = dict.fromkeys((*placed.findings, *proven.findings))
    statuses = [status_of(placed), status_of(proven)]
    return {
        "host": pods.get("host") or "",
        "passed": statuses == ["pass", "pass"],
        "placed": statuses[0],
        "proven": statuses[1],
        "findings": [asdict(finding) for finding in findings],
    }


def main() -> None:
    pod = {"type": "dict"}
    module = AnsibleModule(
        argument_spec={
            "pods": {
                "type": "list",
                "elements": "dict",
                "required": True,
                "options": {
                    "host": {"type": "str", "default": ""},
                    "node": {"type": "str"},
                    "host_uuids": {"type": "list", "elements": "str"},
                    "smoke_pod": {**pod, "required": True},
                    "control_pod": pod,
                },
            },
            "resource": {"type": "str", "default": "nvidia.com/gpu"},
        },
        supports_check_mode=True,
    )
    for pods in module.params["pods"]:
        for which in ("smoke_pod", "control_pod"):
            if pods.get(which) and not pods[which].get("nonce"):
                module.fail_json(
                    msg=f"pods: {which} of {pods['host'] or 'a node'} has no nonce, so its log proves nothing"
                )
    verdicts = [verdict_of(pods, module.params["resource"]) for pods in module.params["pods"]]
    passed = bool(verdicts) and all(verdict["passed"] for verdict in verdicts)
    module.exit_json(changed=False, passed=passed, verdicts=verdicts)


if __name__ == "__main__":
    main()
