# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Send a layer's probe over the host's own connection, read its transcript, and judge it."""

from __future__ import annotations

import secrets
import typing as t
from dataclasses import asdict

from ansible.errors import AnsibleConnectionFailure, AnsibleError
from ansible.plugins.action import ActionBase

from ansible_collections.gpu.k8s.plugins.module_utils._chain import Judgement, status_of
from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.host import read_look
from ansible_collections.gpu.k8s.plugins.module_utils._image import full_reference
from ansible_collections.gpu.k8s.plugins.module_utils._judge.driver import judge_driver
from ansible_collections.gpu.k8s.plugins.module_utils._judge.toolkit import judge_toolkit
from ansible_collections.gpu.k8s.plugins.module_utils._probe import script
from ansible_collections.gpu.k8s.plugins.module_utils._transcript import TranscriptError, parse

Result = dict[str, t.Any]


class ActionModule(ActionBase):
    """One task, one layer, one host. A host that can't be examined is an answer, not a failure."""

    TRANSFERS_FILES = False
    _supports_check_mode = True
    _supports_async = False
    _requires_connection = True

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {
                "layer": {"required": True, "choices": ["driver", "toolkit", "device_plugin"]},
                "image": {"default": ""},
                "runtime_handler": {"default": "nvidia"},
                "kubelet_folder": {"default": "/var/lib/kubelet"},
                "deadline": {"type": "int", "default": 20},
                "output_limit": {"type": "int", "default": 65536},
                "after": {"type": "dict"},
            }
        )
        image = full_reference(args["image"]) if args["image"] else ""
        look = self._blocked(args["after"]) or self._look(args, image)
        host = str((task_vars or {}).get("inventory_hostname", "this host"))
        judgement = self._judge(args["layer"], look, host, image, args["runtime_handler"])
        return {"changed": False, "taken": utc_now(), "look": look, **_verdict(judgement)}

    @staticmethod
    def _blocked(lower: Result | None) -> Result | None:
        """Don't ask a host again that did not answer, nor build upon a layer that is broken."""
        if not lower:
            return None
        error = (lower.get("look") or {}).get("error")
        if error and error["kind"] in ("unreachable", "refused"):
            return {"records": {}, "error": error}
        if lower.get("status") == "fail":
            return {"records": {}, "error": {"kind": "blocked", "reason": "the driver layer below it is broken"}}
        return None

    def _look(self, args: Result, image: str) -> Result:
        settings = {
            "deadline": args["deadline"],
            "output_limit": args["output_limit"],
            "image": image or None,
            "runtime_handler": args["runtime_handler"],
            "kubelet_folder": args["kubelet_folder"],
            "nonce": secrets.token_hex(8),
        }
        probe = script(args["layer"], settings)
        try:
            answer = self._low_level_execute_command("/bin/sh -s", in_data=probe.encode())
        except AnsibleConnectionFailure as error:
            return _no_look("unreachable", str(error))
        except AnsibleError as error:
            return _no_look("refused", str(error))
        try:
            return {"records": parse(answer["stdout"]), "error": None}
        except TranscriptError as error:
            if error.records:
                return {"records": error.records, "error": {"kind": "incomplete", "reason": str(error)}}
            said = (answer.get("stderr") or answer["stdout"] or "").strip().splitlines()
            return _no_look("no_transcript", f"{error}; the host said: {said[-1] if said else 'nothing'}")

    @staticmethod
    def _judge(layer: str, look: Result, host: str, image: str, handler: str) -> Judgement | None:
        read = read_look(look)
        if read is None or layer == "device_plugin":  # the Node that it is compared with is not known here
            return None
        return judge_driver(read, host) if layer == "driver" else judge_toolkit(read, image, handler)


def _no_look(kind: str, reason: str) -> Result:
    return {"records": {}, "error": {"kind": kind, "reason": " ".join(reason.split())}}


def _verdict(judgement: Judgement | None) -> Result:
    if judgement is None:
        return {}
    return {
        "status": status_of(judgement),
        "seen": judgement.seen,
        "findings": [asdict(finding) | {"evidence": list(finding.evidence)} for finding in judgement.findings],
    }
