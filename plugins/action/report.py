# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judge all nodes, write the report, and show the chain."""

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path

import yaml
from ansible.errors import AnsibleActionFail
from ansible.parsing.yaml.dumper import AnsibleDumper
from ansible.utils.display import Display

from ansible_collections.gpu.k8s.plugins.module_utils._access import denied, manifests, permissions_of, subject_of
from ansible_collections.gpu.k8s.plugins.module_utils._evidence import SCHEMA
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.gpu_nodes import nodes_without_host
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.registered import (
    chosen_layers,
    cluster_read,
    evidence_of_all,
)
from ansible_collections.gpu.k8s.plugins.module_utils._gate import why_closed
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._judge.owner import owners
from ansible_collections.gpu.k8s.plugins.module_utils._render.document import document
from ansible_collections.gpu.k8s.plugins.module_utils._render.terminal import chain
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction

Result = dict[str, t.Any]

display = Display()


class ActionModule(ControllerAction):
    """The last task of a run."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {
                "run": {"type": "dict"},
                "context": {"default": ""},
                "evidence_folder": {"type": "path"},
                "report_folder": {"type": "path", "required": True},
                "gate": {"choices": ["usable", "chosen", "none"], "default": "usable"},
            },
            mutually_exclusive=[("run", "evidence_folder")],
            required_one_of=[("run", "evidence_folder")],
        )
        folder = Path(args["report_folder"]).expanduser()
        if args["evidence_folder"]:
            run, cluster, evidence = _saved(Path(args["evidence_folder"]).expanduser())
            rules = None
        else:
            run, cluster, evidence = self._gathered(args, (task_vars or {})["hostvars"])
            _save(folder / "evidence", run, cluster, evidence)
            rules = _write_rules(folder, args["run"], cluster)
        verdicts = [judge_node(one) for one in evidence]
        told = document(run, cluster, verdicts, [owners(one) for one in evidence])
        _write_json(folder / "report.json", told)
        display.display("\n" + chain(told, verdicts) + f"\nreport: {folder / 'report.json'}")
        display.display(f"rules that grant what is missing: {rules}\n" if rules else "")
        why = why_closed(args["gate"], verdicts, run["chosen"])
        self._warn_of_pods_left(args, task_vars or {})
        return {
            "changed": False,
            "conclusion": told["conclusion"],
            "summary": told["summary"],
            "passed": not why,
            "why": why,
            "report": str(folder / "report.json"),
        }

    @staticmethod
    def _warn_of_pods_left(args: Result, task_vars: Result) -> None:
        """A clean-up that failed is told; the Pods end themselves at their deadline."""
        deleted = task_vars["hostvars"]["localhost"].get("smoke_pod_deleted") if args["run"] else None
        if deleted and "result" not in deleted:
            display.warning(
                f"The smoke Pods may still be there ({deleted.get('msg', 'no answer')}). The next run removes them, "
                f"or: kubectl delete pods --all-namespaces -l gpu.k8s/run={args['run']['id']}"
            )

    def _gathered(self, args: Result, hostvars: t.Any) -> tuple[Result, Result, list[Result]]:
        check_mode, started = bool(self._task.check_mode), args["run"]["started"]
        evidence = evidence_of_all(args["run"], hostvars, check_mode)
        read = cluster_read(hostvars["localhost"], started) or {}
        run = {
            "id": args["run"]["id"],
            "started": started,
            "chosen": chosen_layers(args["run"], hostvars),
            "check_mode": check_mode,
        }
        cluster = {"context": args["context"] if read else ""}
        cluster |= {key: read.get(key) for key in ("server", "version", "uid", "identity", "error")}
        cluster["nodes_without_host"] = nodes_without_host(read, evidence)
        expect = args["run"]["expect"]
        denied_here = denied(read.get("access"), expect["smoke_ask"], run["chosen"])
        cluster["missing_permissions"] = [permission.told(expect["smoke_namespace"]) for permission in denied_here]
        return run, cluster, evidence


def _write_rules(folder: Path, run: Result, cluster: Result) -> Path | None:
    """Write the Roles that grant what is missing. Their names are this run's: applied, they replace no others."""
    missing = permissions_of(cluster["missing_permissions"])
    if not missing:
        return None
    namespace, subject = run["expect"]["smoke_namespace"], subject_of(cluster["identity"])
    objects = manifests(missing, f"gpu-k8s-missing-{run['id']}", namespace, subject)
    path = folder / "missing-permissions.yml"
    _write(path, yaml.dump_all(objects, Dumper=AnsibleDumper, explicit_start=True, sort_keys=False))
    return path


def _save(folder: Path, run: Result, cluster: Result, evidence: list[Result]) -> None:
    _write_json(folder / "cluster.json", {"schema": SCHEMA, "run": run, "cluster": cluster})
    for one in evidence:
        _write_json(folder / f"node-{one['host'].replace('/', '_')}.json", one)


def _saved(folder: Path) -> tuple[Result, Result, list[Result]]:
    """Read saved evidence. Raises AnsibleActionFail with the remedy when there is none that can be judged."""
    files = sorted(folder.glob("node-*.json"))
    try:
        about = json.loads((folder / "cluster.json").read_text(encoding="utf-8"))
        evidence = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    except (OSError, ValueError) as error:
        raise AnsibleActionFail(f"Not proven: the evidence in {folder} can't be read: {error}") from error
    if not evidence:
        raise AnsibleActionFail(f"Not proven: {folder} holds no node-*.json, so there is nothing to judge.")
    for one in [about, *evidence]:
        if one.get("schema") != SCHEMA:
            raise AnsibleActionFail(
                f"The evidence in {folder} has schema {one.get('schema')!r}; this version of gpu.k8s reads {SCHEMA}."
            )
    return about["run"], about["cluster"], evidence


def _write_json(path: Path, content: Result) -> None:
    _write(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _write(path: Path, text: str) -> None:
    """Write as a whole or not at all, readable by its owner only."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    part.replace(path)
