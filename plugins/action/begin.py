# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Begin a run: check who is to be examined, put the last run's report away, and give the run an id."""

from __future__ import annotations

import difflib
import secrets
import typing as t
from pathlib import Path

from ansible.errors import AnsibleActionFail

from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.kubernetes_taints import check_tolerate
from ansible_collections.gpu.k8s.plugins.module_utils._judge.expectation import check_expectations
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction

Result = dict[str, t.Any]


class ActionModule(ControllerAction):
    """The first task of a run."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {
                "pattern": {"required": True},
                "hosts": {"type": "list", "elements": "str", "required": True},
                "limited_to": {"type": "list", "elements": "str"},
                "variables": {"type": "list", "elements": "str", "default": []},
                "known_variables": {"type": "list", "elements": "str", "default": []},
                "report_folder": {"type": "path", "required": True},
                "expect": {"type": "dict", "required": True},
            }
        )
        folder = Path(args["report_folder"]).expanduser()
        _put_away(folder)
        for name in args["variables"]:
            if name not in args["known_variables"]:
                raise AnsibleActionFail(_unknown(name, args["known_variables"]))
        expect = _checked_expect(args["expect"])
        hosts = [h for h in args["hosts"] if args["limited_to"] is None or h in args["limited_to"]]
        if not hosts:
            raise AnsibleActionFail(_nobody(args))
        return {
            "changed": False,
            "id": secrets.token_hex(4),
            "started": utc_now(),
            "hosts": hosts,
            "report_folder": str(folder),
            "expect": expect,
        }


def _checked_expect(expect: Result) -> Result:
    """Refuse what the user wrote wrongly before any host is touched: later it would count for nothing."""
    tolerate, own = expect.get("tolerate") or [], expect.get("own") or []
    if isinstance(tolerate, str):  # as Ansible reads a list from the command line
        tolerate = [entry.strip() for entry in tolerate.split(",")]
    wrong = [
        *(f"gpu_k8s_tolerate: {problem}" for problem in check_tolerate(tolerate)),
        *(f"gpu_k8s_expect: {problem}" for problem in check_expectations(own)),
    ]
    if wrong:
        raise AnsibleActionFail(f"Not proven: {'; '.join(wrong)}.")
    return {**expect, "tolerate": tolerate, "own": own}


def _put_away(folder: Path) -> None:
    """What the last run found must not be taken for what this one finds, should it end early."""
    for old in (folder / "report.json", folder / "missing-permissions.yml", *folder.glob("evidence/*.json")):
        old.unlink(missing_ok=True)


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    guess = f" Did you mean {near[0]}?" if near else ""
    return f"Not proven: {name} is no variable of gpu.k8s, so it would be ignored.{guess}"


def _nobody(args: Result) -> str:
    why = f"gpu_k8s_hosts={args['pattern']!r} matches no host of the inventory"
    if args["hosts"]:
        why = f"--limit leaves none of the hosts of gpu_k8s_hosts={args['pattern']!r}"
    return (
        f"Not proven: {why}, so nothing can be examined. Set gpu_k8s_hosts to a group or pattern of the inventory (-i)."
    )
