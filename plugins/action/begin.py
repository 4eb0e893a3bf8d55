# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Begin a run: check what the user set, put the last run's report away, and see that an end is made of it."""

from __future__ import annotations

import difflib
import getpass
import json
import os
import secrets
import socket
import subprocess
import sys
import typing as t
from importlib import metadata
from pathlib import Path

import yaml
from ansible import constants
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.release import __version__ as ansible_version

from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.kubernetes_taints import check_tolerate
from ansible_collections.gpu.k8s.plugins.module_utils._judge.expectation import check_expectations
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction, bad_input
from ansible_collections.gpu.k8s.plugins.plugin_utils._journal import open_journal
from ansible_collections.gpu.k8s.plugins.plugin_utils._report_folder import JOURNAL, put_away, say

Result = dict[str, t.Any]

_COLLECTION = Path(__file__).parents[2]

_AT_LEAST = {
    "gpu_k8s_smoke_gpus": 1,
    "gpu_k8s_deadline": 1,
    "gpu_k8s_probe_budget": 1,
    "gpu_k8s_output_limit": 1024,
}
_MORE_THAN_0 = ("gpu_k8s_smoke_timeout", "gpu_k8s_api_timeout")


class ActionModule(ControllerAction):
    """The first task of a run."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {
                "pattern": {"required": True},
                "hosts": {"type": "list", "elements": "str", "required": True},
                "limited_to": {"type": "list", "elements": "str"},
                "inputs": {"type": "dict", "default": {}},
                "report_folder": {"type": "path", "required": True},
                "kubeconfig": {"type": "path", "default": ""},
                "context": {"default": ""},
                "expect": {"type": "dict", "required": True},
            }
        )
        folder = Path(args["report_folder"]).expanduser().absolute()
        put_away(folder)
        say(folder, "not proven")  # until the report says otherwise
        expect, wrong = _read_expect(args["expect"])
        hosts = [h for h in args["hosts"] if args["limited_to"] is None or h in args["limited_to"]]
        wrong += self._wrong_inputs(args["inputs"], task_vars or {})
        if not hosts:
            wrong.append(_nobody(args))
        if wrong:
            return bad_input(folder, "; ".join(wrong))
        run = {
            "id": secrets.token_hex(4),
            "started": utc_now(),
            "hosts": hosts,
            "pattern": args["pattern"],
            "by": f"{getpass.getuser()}@{socket.gethostname()}",
            "versions": _versions(),
            "check_mode": bool(self._task.check_mode),
            "report_folder": str(folder),
            "journal": str(folder / JOURNAL),
            "expect": expect,
        }
        cluster = {"kubeconfig": args["kubeconfig"], "context": args["context"]}
        _keep_watch(folder, open_journal(folder, run, cluster))
        return {"changed": False, "refused": "", **run}

    def _wrong_inputs(self, inputs: Result, variables: Result) -> list[str]:
        """Refuse what would be ignored or misread later. ``inputs``: the argument spec of the user's variables."""
        names = sorted(name for name in variables if name.startswith("gpu_k8s_"))
        wrong = [_unknown(name, list(inputs)) for name in names if name not in inputs] if inputs else []
        given = {name: self._templar.template(variables[name]) for name in names if name in inputs}
        checked = ArgumentSpecValidator(inputs).validate(given)
        wrong += checked.error_messages
        if not checked.error_messages:
            number = {name: value for name, value in checked.validated_parameters.items() if value is not None}
            wrong += [f"{n} must be at least {least}" for n, least in _AT_LEAST.items() if number.get(n, least) < least]
            wrong += [f"{name} must be more than 0" for name in _MORE_THAN_0 if number.get(name, 1) <= 0]
        return wrong


def _read_expect(expect: Result) -> tuple[Result, list[str]]:
    """Return what the nodes are judged by, and what the user wrote wrongly there: later it would count for nothing."""
    tolerate, own = expect.get("tolerate") or [], expect.get("own") or []
    if isinstance(tolerate, str):  # as Ansible reads a list from the command line
        tolerate = [entry.strip() for entry in tolerate.split(",")]
    wrong = [
        *(f"gpu_k8s_tolerate: {problem}" for problem in check_tolerate(tolerate)),
        *(f"gpu_k8s_expect: {problem}" for problem in check_expectations(own)),
    ]
    return {**expect, "tolerate": tolerate, "own": own}, wrong


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    guess = f" Did you mean {near[0]}?" if near else ""
    return f"{name} is no variable of gpu.k8s, so it would be ignored.{guess}"


def _nobody(args: Result) -> str:
    why = f"gpu_k8s_hosts={args['pattern']!r} matches no host of the inventory"
    if args["hosts"]:
        why = f"--limit leaves none of the hosts of gpu_k8s_hosts={args['pattern']!r}"
    return f"{why}, so nothing can be examined. Set gpu_k8s_hosts to a group or pattern of the inventory (-i)"


def _versions() -> dict[str, str]:
    manifest, galaxy = _COLLECTION / "MANIFEST.json", _COLLECTION / "galaxy.yml"
    if manifest.exists():
        own = json.loads(manifest.read_text(encoding="utf-8"))["collection_info"]["version"]
    else:
        own = yaml.safe_load(galaxy.read_text(encoding="utf-8"))["version"]
    try:
        kubernetes = metadata.version("kubernetes")
    except metadata.PackageNotFoundError:
        kubernetes = "not installed"
    return {"gpu.k8s": str(own), "ansible-core": ansible_version, "kubernetes": kubernetes}


def _keep_watch(folder: Path, marker: Path) -> None:
    """See that an end is made of the run if it makes none itself.

    Nothing of a playbook runs after Ctrl-C. So a process of its own waits for the end of ansible-playbook, whose child
    this worker is, and winds up what is then unfinished: by Ansible again, with the same configuration.
    """
    root = _COLLECTION.parents[2]
    paths = os.pathsep.join(dict.fromkeys([str(root), *map(str, constants.COLLECTIONS_PATHS)]))
    environment = {
        **os.environ,
        **({"ANSIBLE_CONFIG": str(constants.CONFIG_FILE)} if constants.CONFIG_FILE else {}),
        "ANSIBLE_COLLECTIONS_PATH": paths,
        "ANSIBLE_STDOUT_CALLBACK": "default",
        "GPU_K8S_WATCH": str(_COLLECTION / "roles/preflight/files/watch.sh"),
        "GPU_K8S_RUN": str(os.getppid()),
        "GPU_K8S_MARKER": str(marker),
        "GPU_K8S_LOG": str(folder / "wind-up.log"),
        "GPU_K8S_PYTHON": sys.executable,
        "GPU_K8S_PLAYBOOK": str(_COLLECTION / "playbooks/wind_up.yml"),
        "GPU_K8S_VARIABLES": json.dumps({"gpu_k8s_report_folder": str(folder)}),
    }
    subprocess.Popen(
        ["/bin/sh", "-c", '. "$GPU_K8S_WATCH"'],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
