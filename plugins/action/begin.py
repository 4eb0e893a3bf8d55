# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Begin a run: check what the user set, put the last run's report away, and see that an end is made of it."""

from __future__ import annotations

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
from ansible.release import __version__ as ansible_version

from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction, bad_input
from ansible_collections.gpu.k8s.plugins.plugin_utils._inputs import (
    Hosts,
    read_expect,
    wrong_environment,
    wrong_for_debug_pods,
    wrong_variables,
)
from ansible_collections.gpu.k8s.plugins.plugin_utils._journal import open_journal
from ansible_collections.gpu.k8s.plugins.plugin_utils._report_folder import JOURNAL, put_away, say

Result = dict[str, t.Any]

_COLLECTION = Path(__file__).parents[2]


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
                "debug_namespace": {"default": ""},
                "expect": {"type": "dict", "required": True},
            }
        )
        folder = Path(args["report_folder"]).expanduser().absolute()
        put_away(folder)
        say(folder, "not proven")  # until the report says otherwise
        variables, inputs = task_vars or {}, args["inputs"]
        expect, wrong = read_expect(args["expect"])
        hosts = [h for h in args["hosts"] if args["limited_to"] is None or h in args["limited_to"]]
        wrong += wrong_variables(inputs, variables, self._templar.template)
        of_hosts = Hosts(hosts, variables, self._templar.template)
        wrong += of_hosts.wrong(inputs)
        debug_hosts = of_hosts.reached_by("debug_pod")
        if debug_hosts:
            wrong += wrong_for_debug_pods(args["debug_namespace"], args["context"])
            expect["debug_namespace"] = args["debug_namespace"]
        if args["context"]:
            wrong += wrong_environment(os.environ)
        if not hosts:
            wrong.append(_nobody(args))
        if wrong:
            return bad_input(folder, "; ".join(wrong))
        run = {
            "id": secrets.token_hex(4),
            "started": utc_now(),
            "hosts": hosts,
            "debug_hosts": debug_hosts,
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
