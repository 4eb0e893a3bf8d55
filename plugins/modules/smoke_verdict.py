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
  - A pass needs the reason C(Completed) with exit code 0, no restart, a live Pod that still asks for the GPU and was
    placed by a scheduler, as many GPUs in the log as it asked for, GPUs that the host knows, no word of an error
    anywhere in the log, and a control Pod without a limit that saw no GPU.
  - A Pod that was killed, evicted, deleted, lost with its node or ran into its deadline, and a log that could not be
    read, are V(unknown). They are neither a failure of the GPU nor a pass.
  - It judges one Pod (O(pod)), whoever made it, or many at once (O(pods)) in the shape that
    M(gpu.k8s.smoke_pods_info) returns.
  - The log of a Pod that frames its output by the lines C(gpu-k8s begin NONCE) and C(gpu-k8s end NONCE) can't be that
    of another one. Between them stand the rows of C(nvidia-smi --query-gpu=index,uuid,name --format=csv,noheader) or
    of C(nvidia-smi -L), and C(device /dev/nvidiaN) for each device node. For a Pod without such a frame
    O(pass_pattern) says what its log must hold.
  - A verdict that is not a pass does not fail the task.
author:
  - gpu.k8s contributors (@gpu-k8s)
extends_documentation_fragment:
  - gpu.k8s._attributes
  - gpu.k8s._attributes.info
options:
  pod:
    description:
      - The Pod as the API has it, such as an element of C(resources) of M(kubernetes.core.k8s_info). An empty one is a
        Pod that is not there, which is V(unknown).
    type: dict
  log:
    description: The whole log of its container, such as C(log) of M(kubernetes.core.k8s_log); without it no pass.
    type: str
  container:
    description: The container that counts, also among init containers. Without it the first one.
    type: str
  nonce:
    description: The nonce that frames the log.
    type: str
  pass_pattern:
    description: A regular expression. Without O(nonce) the log must match it.
    type: str
  fail_pattern:
    description: A regular expression for lines that mean an error, beside those that are known.
    type: str
  gpus:
    description: How many GPUs the Pod asks for. Without it, as many as its live limits say.
    type: int
  node:
    description: The Node that the Pod had to run on. Without it any Node will do.
    type: str
  host_uuids:
    description: The GPUs that the host's driver lists. Without it they are not compared.
    type: list
    elements: str
  control_pod:
    description:
      - A Pod that is the same and asks for no GPU. Without it the verdict is the Pod's alone, and nothing shows that
        the GPU came by allocation.
    type: dict
  control_log:
    description: The log of O(control_pod).
    type: str
  control_nonce:
    description: The nonce of O(control_pod).
    type: str
  pods:
    description: What became of the Pods of each node; RV(gpu.k8s.smoke_pods_info#module:evidence) has this shape.
    type: list
    elements: dict
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
      smoke_pods_more:
        description: Further Pods of this node, in the same shape.
        type: list
        elements: dict
        default: []
      control_pod:
        description: The Pod that asked for none, in the same shape. Without it there is no pass.
        type: dict
  resource:
    description: The extended resource that was asked for.
    type: str
    default: nvidia.com/gpu
"""

EXAMPLES = r"""
- name: Wait for somebody else's Pod
  kubernetes.core.k8s_info:
    kind: Pod
    namespace: default
    name: cuda-vectoradd
  register: vectoradd
  until: vectoradd.resources | map(attribute='status.phase') | intersect(['Succeeded', 'Failed']) | length > 0
  retries: 60
  delay: 2

- name: Read its log
  kubernetes.core.k8s_log:
    namespace: default
    name: cuda-vectoradd
  register: vectoradd_log

- name: Decide
  gpu.k8s.smoke_verdict:
    pod: "{{ vectoradd.resources | first | default({}) }}"
    log: "{{ vectoradd_log.log }}"
    pass_pattern: Test PASSED
  register: smoke

- name: Use the fact
  ansible.builtin.assert:
    that: smoke.passed
    fail_msg: "{{ smoke.status }}, {{ smoke.code }} ({{ smoke.layer }}): {{ smoke.why }}"
  # with an image whose driver was not injected: fail, TKT003 (toolkit): ... saw no nvidia-smi ...

- name: Decide on Pods that frame their log by a nonce, with a control
  gpu.k8s.smoke_verdict:
    pod: "{{ smoke_pod.resources | first | default({}) }}"
    log: "{{ smoke_log.log }}"
    nonce: 5f1c9a
    control_pod: "{{ control_pod.resources | first | default({}) }}"
    control_log: "{{ control_log.log }}"
    control_nonce: 77d0e2
    node: worker-1
"""

RETURN = r"""
passed:
  description: Whether the Pod passed; of O(pods), whether there was at least one and all passed.
  returned: always
  type: bool
  sample: true
status:
  description: V(pass), V(fail), V(busy) or V(unknown).
  returned: with O(pod)
  type: str
  sample: pass
code:
  description: The code of the finding that decides; empty on a pass.
  returned: with O(pod)
  type: str
  sample: SMK007
layer:
  description: The layer that this finding blames; empty on a pass.
  returned: with O(pod)
  type: str
  sample: toolkit
exit_code:
  description: The exit code of the container; null when it did not end.
  returned: with O(pod)
  type: int
  sample: 0
reason:
  description: The reason that the Pod, or else its container, gives.
  returned: with O(pod)
  type: str
  sample: Completed
gpus:
  description: The UUIDs of the GPUs, or MIG devices, in its log.
  returned: with O(pod)
  type: list
  elements: str
  sample: [GPU-4717e76a-4077-c20e-e9de-a2e77bb898cd]
why:
  description: The verdict in words.
  returned: with O(pod)
  type: str
  sample: exit code 0, and the log shows GPU-4717e76a-4077-c20e-e9de-a2e77bb898cd; the control saw none
placed:
  description: The status of checkpoint 5, whether a scheduler placed the Pod.
  returned: with O(pod)
  type: str
  sample: pass
proven:
  description: The status of checkpoint 6, whether exit code and log prove the GPU.
  returned: with O(pod)
  type: str
  sample: pass
findings:
  description: What keeps it from passing, and warnings, with code, message and remedy.
  returned: with O(pod)
  type: list
  elements: dict
  sample: []
verdicts:
  description: One verdict for each element of O(pods), in order; each with the name of its host, and all of the above.
  returned: with O(pods)
  type: list
  elements: dict
  contains:
    host:
      description: The name that was given.
      type: str
      returned: always
    passed:
      description: Whether the Pods were placed and have proven their GPUs.
      type: bool
      returned: always
"""

import re
import typing as t

from ansible.module_utils.basic import AnsibleModule

from ansible_collections.gpu.k8s.plugins.module_utils._judge.smoke_pod_alone import judge_pod, judge_pods

Params = dict[str, t.Any]


def what_is_wrong(params: Params) -> str:
    """Return what makes the options useless; empty when nothing does."""
    for name in ("pass_pattern", "fail_pattern"):
        try:
            re.compile(params[name] or "")
        except re.error as error:
            return f"{name} is no regular expression: {error}"
    if params["pod"] is not None and not (params["nonce"] or params["pass_pattern"]):
        return "pod: give nonce or pass_pattern; without either its log proves nothing"
    if params["control_pod"] and not params["control_nonce"]:
        return "control_pod: without control_nonce its log proves nothing"
    for pods in params["pods"] or ():
        for pod in (pods["smoke_pod"], *pods["smoke_pods_more"], pods["control_pod"]):
            if pod and not pod.get("nonce"):
                return f"pods: a Pod of {pods['host'] or 'a node'} has no nonce, so its log proves nothing"
    return ""


def main() -> None:
    pod = {"type": "dict"}
    module = AnsibleModule(
        argument_spec={
            "pod": pod,
            "log": {"type": "str"},
            "container": {"type": "str"},
            "nonce": {"type": "str"},
            "pass_pattern": {"type": "str", "no_log": False},
            "fail_pattern": {"type": "str"},
            "gpus": {"type": "int"},
            "node": {"type": "str"},
            "host_uuids": {"type": "list", "elements": "str"},
            "control_pod": pod,
            "control_log": {"type": "str"},
            "control_nonce": {"type": "str"},
            "pods": {
                "type": "list",
                "elements": "dict",
                "options": {
                    "host": {"type": "str", "default": ""},
                    "node": {"type": "str"},
                    "host_uuids": {"type": "list", "elements": "str"},
                    "smoke_pod": {**pod, "required": True},
                    "smoke_pods_more": {"type": "list", "elements": "dict", "default": []},
                    "control_pod": pod,
                },
            },
            "resource": {"type": "str", "default": "nvidia.com/gpu"},
        },
        mutually_exclusive=[("pod", "pods")],
        required_one_of=[("pod", "pods")],
        supports_check_mode=True,
    )
    wrong = what_is_wrong(module.params)
    if wrong:
        module.fail_json(msg=wrong)
    if module.params["pod"] is not None:
        module.exit_json(changed=False, **judge_pod(module.params))
    verdicts = [judge_pods(pods, module.params["resource"]) for pods in module.params["pods"]]
    passed = bool(verdicts) and all(verdict["passed"] for verdict in verdicts)
    module.exit_json(changed=False, passed=passed, verdicts=verdicts)


if __name__ == "__main__":
    main()
