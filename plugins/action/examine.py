# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Send a layer's probe over the host's own connection, read its transcript, and judge it."""

from __future__ import annotations

import secrets
import signal
import typing as t
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from ansible.errors import AnsibleActionFail, AnsibleConnectionFailure, AnsibleError
from ansible.plugins.action import ActionBase

from ansible_collections.gpu.k8s.plugins.module_utils._chain import Judgement, status_of
from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._debug_pod import ENTER, Obstacle, not_entered
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.host import read_look
from ansible_collections.gpu.k8s.plugins.module_utils._image import full_reference
from ansible_collections.gpu.k8s.plugins.module_utils._judge.driver import judge_driver
from ansible_collections.gpu.k8s.plugins.module_utils._judge.driver_expected import version_bounds
from ansible_collections.gpu.k8s.plugins.module_utils._judge.toolkit import judge_toolkit
from ansible_collections.gpu.k8s.plugins.module_utils._probe import script
from ansible_collections.gpu.k8s.plugins.module_utils._transcript import TranscriptError, parse
from ansible_collections.gpu.k8s.plugins.plugin_utils._debug_pod_connection import connection_into
from ansible_collections.gpu.k8s.plugins.plugin_utils._journal import kept

Result = dict[str, t.Any]

_PATIENCE = 60
"""Seconds beyond the probe's budget before a host is given up: to log in, and for the probe to clean up."""

_PULL = 300
"""Seconds that come on top of the budget when the image may be pulled: what the toolkit's probe gives the pull."""


class _SilentError(BaseException):
    """The host was given up. Not an Exception, which a connection plugin may take for a reason to try again."""


class ActionModule(ActionBase):
    """One task, one layer, one host. A host that can't be examined is an answer, not a failure."""

    TRANSFERS_FILES = False
    _supports_check_mode = True
    _supports_async = False
    _requires_connection = True
    _pod: str | None = None
    """The debug Pod that the host is entered through."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {
                "layer": {"required": True, "choices": ["driver", "toolkit", "device_plugin"]},
                "image": {"default": ""},
                "pull": {"type": "bool", "default": False},
                "runtime_handler": {"default": "nvidia"},
                "kubelet_folder": {"default": "/var/lib/kubelet"},
                "deadline": {"type": "int", "default": 20},
                "budget": {"type": "int", "default": 60},
                "output_limit": {"type": "int", "default": 65536},
                "expected_gpus": {"type": "int", "default": 0},
                "expected_driver": {"default": ""},
                "expected_model": {"default": ""},
                "access": {"choices": ["ssh", "debug_pod", "none"], "default": "ssh"},
                "waive": {"type": "list", "elements": "str", "choices": ["driver", "toolkit"], "default": []},
                "after": {"type": "dict"},
            }
        )
        image = full_reference(args["image"]) if args["image"] else ""
        expect = _expectations(args)
        look = _not_to_be_had(args) or self._blocked(args["after"])
        if look is None and args["access"] == "debug_pod":
            look = {**(self._enter_pod(task_vars or {}) or self._look(args, image)), "way": "debug_pod"}
        look = look or self._look(args, image)
        if expect:
            look["expect"] = expect
        host = str((task_vars or {}).get("inventory_hostname", "this host"))
        judgement = self._judge(args["layer"], look, host, image, args["runtime_handler"])
        return kept(self, task_vars, {"changed": False, "taken": utc_now(), "look": look, **_verdict(judgement)})

    @staticmethod
    def _blocked(lower: Result | None) -> Result | None:
        """Don't ask a host again that did not answer, nor build upon a layer that is broken."""
        if not lower:
            return None
        error = (lower.get("look") or {}).get("error")
        if error and error["kind"] in ("unreachable", "refused", "no_pod"):
            return {"records": {}, "error": error}
        if lower.get("status") == "fail":
            return {"records": {}, "error": {"kind": "blocked", "reason": "the driver layer below it is broken"}}
        return None

    def _enter_pod(self, variables: Result) -> Result | None:
        """Take the host's debug Pod for the connection; return the look where there is none.

        What gpu.k8s.debug_pods_info registered, roles/debug_pod/tasks/pods.yml names.
        """
        local = variables["hostvars"]["localhost"]
        run, opened = local.get("preflight_run") or {}, local.get("debug_pod_opened") or {}
        here = (opened.get("hosts") or {}).get(variables["inventory_hostname"])
        if here is None or opened.get("run_id") != run.get("id"):
            return _no_pod(Obstacle("not_made", "this run opened no debug Pod for this host"))
        if here["error"]:
            return {"records": {}, "error": here["error"]}
        try:
            self._connection = connection_into(self, opened, here["pod"])
        except AnsibleError as error:
            return _no_pod(Obstacle("no_kubectl", str(error)))
        self._pod = here["pod"]
        return None

    def _look(self, args: Result, image: str) -> Result:
        budget = args["budget"] + (_PULL if args["pull"] else 0)
        settings = {
            "deadline": args["deadline"],
            "budget": budget,
            "output_limit": args["output_limit"],
            "image": image or None,
            "pull": "yes" if args["pull"] else None,
            "runtime_handler": args["runtime_handler"],
            "kubelet_folder": args["kubelet_folder"],
            "nonce": secrets.token_hex(8),
        }
        probe = script(args["layer"], settings)
        try:
            with _patience(budget + _PATIENCE):
                return self._transcript(probe)
        except _SilentError as error:
            return _no_look("unreachable", str(error))

    def _transcript(self, probe: str) -> Result:
        try:
            answer = self._low_level_execute_command(ENTER if self._pod else "/bin/sh -s", in_data=probe.encode())
        except AnsibleConnectionFailure as error:
            return _no_look("unreachable", str(error))
        except AnsibleError as error:
            return _no_look("refused" if self._become_is_to_blame() else "unreachable", str(error))
        try:
            return {"records": parse(answer["stdout"]), "error": None}
        except TranscriptError as error:
            if error.records is not None:
                return {"records": error.records, "error": {"kind": "incomplete", "reason": str(error)}}
            if self._pod:
                return _no_pod(not_entered(answer["rc"], answer["stderr"]))
            said = (answer.get("stderr") or answer["stdout"] or "").strip().splitlines()
            kind = "refused" if self._become_is_to_blame() else "no_transcript"
            return _no_look(kind, f"{error}; the host said: {said[-1] if said else 'nothing'}")

    def _become_is_to_blame(self) -> bool:
        """The shell that did not start with privilege escalation starts without it."""
        if not self._connection.become:
            return False
        word = secrets.token_hex(8)
        try:
            return word in self._low_level_execute_command(f"echo {word}", sudoable=False)["stdout"]
        except AnsibleError:
            return False

    @staticmethod
    def _judge(layer: str, look: Result, host: str, image: str, handler: str) -> Judgement | None:
        read = read_look(look)
        if read is None or layer == "device_plugin":  # the Node that it is compared with is not known here
            return None
        try:
            return judge_driver(read, host) if layer == "driver" else judge_toolkit(read, image, handler)
        except Exception:  # the evidence must not be lost; the report says what the judge tripped over (PRE006)
            return None


def _not_to_be_had(args: Result) -> Result | None:
    """The look that is not taken: since the user does without it, or since there is no way to the host."""
    if args["layer"] in args["waive"]:
        return _no_look("waived", "gpu_k8s_waive names it")
    if args["access"] == "none":
        return _no_look("no_access", "gpu_k8s_host_access is none")
    return None


@contextmanager
def _patience(seconds: int) -> Iterator[None]:
    """Give up after so many seconds, unless the task has a time-out of its own.

    A node that loses its power or network in the middle sends nothing, not even an end.
    """
    if signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def give_up(*_args: object) -> t.NoReturn:
        raise _SilentError(f"the host went silent: no answer within {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _expectations(args: Result) -> Result:
    """What the user expects of this host's driver, of what was set."""
    expect = {name: args[f"expected_{name}"] for name in ("gpus", "driver", "model") if args[f"expected_{name}"]}
    try:
        version_bounds(expect.get("driver", "0"))
    except ValueError as error:
        raise AnsibleActionFail(f"gpu_k8s_expected_driver: {error}") from error
    return expect


def _no_look(kind: str, reason: str) -> Result:
    return {"records": {}, "error": {"kind": kind, "reason": " ".join(reason.split())}}


def _no_pod(obstacle: Obstacle) -> Result:
    return {"records": {}, "error": obstacle.as_error()}


def _verdict(judgement: Judgement | None) -> Result:
    if judgement is None:
        return {}
    return {
        "status": status_of(judgement),
        "seen": judgement.seen,
        "findings": [asdict(finding) | {"evidence": list(finding.evidence)} for finding in judgement.findings],
    }
