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
  - Then reads the logs of those that ran, and the events of those that did not.
  - It judges nothing. What the API refuses is part of the answer; the task does not fail for it.
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
  targets:
    description: The nodes that were given Pods, as RV(gpu.k8s.smoke_targets#module:targets) has them.
    type: list
    elements: dict
    required: true
  created:
    description:
      - The result of the M(kubernetes.core.k8s) task that made the Pods, smoke and control Pod of each target in
        turn. Its errors become part of the evidence.
    type: dict
    default: {}
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
    targets: "{{ smoke_pod_targets.targets }}"
  register: smoke_pod_followed
"""

RETURN = r"""
evidence:
  description: What became of the Pods, for each target in order.
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
    control_pod:
      description: The Pod that asked for none, in the same shape.
      type: dict
      returned: always
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

import time
import typing as t

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._follow import Follower, read_remains
from ansible_collections.gpu.k8s.plugins.module_utils._kube import MISSING, ApiError, Cluster
from ansible_collections.gpu.k8s.plugins.module_utils._kube_args import KUBE_ARGS

Params = dict[str, t.Any]


def creation_errors(created: Params, names: list[str]) -> dict[str, str]:
    """Why a Pod was not created, by name: from the results of kubernetes.core.k8s, in the order of its definitions."""
    results = (created.get("result") or {}).get("results")
    if results is None:  # one Pod alone, or the task failed as a whole
        error = (created.get("error") or {}).get("msg") or (created.get("msg") if not created.get("method") else None)
        return dict.fromkeys(names, str(error)) if error else {}
    refused = {name: result["error"] for name, result in zip(names, results, strict=True) if result.get("error")}
    return {name: str(error.get("msg")) for name, error in refused.items()}


def follow(params: Params) -> Params:
    names = [target[which]["name"] for target in params["targets"] for which in ("smoke", "control")]
    errors = creation_errors(params["created"], names)
    began = time.monotonic()
    remains: dict[str, t.Any] = {}
    unseen = None
    try:
        cluster = Cluster(params["kubeconfig"], params["context"], params["request_timeout"])
        follower = Follower(cluster, params["namespace"], f"gpu.k8s/run={params['run_id']}")
        wanted = [name for name in names if name not in errors]
        pods = follower.follow(wanted, params["timeout"], params["grace"])
        unseen = follower.error
        remains = read_remains(cluster, pods, params["log_bytes"])
    except ApiError as error:
        unseen = str(error)
    waited = round(time.monotonic() - began, 1)

    def evidence_of(target: Params, which: str) -> Params:
        name = target[which]["name"]
        nothing: Params = {"pod": None, "log": None, "log_error": None, "log_cut_off": False, "events": []}
        return {
            "nonce": target[which]["nonce"],
            "asked": target["asked"] if which == "smoke" else 0,
            "namespace": params["namespace"],
            "create_error": errors.get(name) or (unseen if name not in remains else None),
            "seconds": waited,
            **remains.get(name, nothing),
        }

    evidence = [
        {
            "host": target["host"],
            "node": target["node"],
            "host_uuids": target["host_uuids"],
            "smoke_pod": evidence_of(target, "smoke"),
            "control_pod": evidence_of(target, "control"),
        }
        for target in params["targets"]
    ]
    return {"taken": utc_now(), "evidence": evidence, "waited": waited}


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            **KUBE_ARGS,
            "namespace": {"type": "str", "required": True},
            "run_id": {"type": "str", "required": True},
            "targets": {"type": "list", "elements": "dict", "required": True},
            "created": {"type": "dict", "default": {}},
            "timeout": {"type": "float", "default": 120.0},
            "grace": {"type": "float", "default": 20.0},
            "log_bytes": {"type": "int", "default": 65536},
        },
        supports_check_mode=True,
    )
    if MISSING:
        module.fail_json(msg=missing_required_lib("kubernetes"), exception=MISSING)
    module.exit_json(changed=False, **follow(module.params))


if __name__ == "__main__":
    main()
