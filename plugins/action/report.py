# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judge all nodes, write the reports, and show the chain."""

from __future__ import annotations

import typing as t
from collections.abc import Callable, Mapping
from pathlib import Path

import yaml
from ansible.parsing.yaml.dumper import AnsibleDumper
from ansible.utils.display import Display

from ansible_collections.gpu.k8s.plugins.module_utils._access import (
    denied,
    manifests,
    namespaces_of,
    permissions_of,
    subject_of,
    wants_of,
)
from ansible_collections.gpu.k8s.plugins.module_utils._chain import NodeVerdict, one_word
from ansible_collections.gpu.k8s.plugins.module_utils._clock import utc_now
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.gpu_nodes import nodes_without_host
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.registered import (
    chosen_layers,
    cluster_read,
    evidence_of_all,
)
from ansible_collections.gpu.k8s.plugins.module_utils._gate import why_closed
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._render.document import Document, document
from ansible_collections.gpu.k8s.plugins.module_utils._render.html import page
from ansible_collections.gpu.k8s.plugins.module_utils._render.junit import suites
from ansible_collections.gpu.k8s.plugins.module_utils._render.prometheus import metrics
from ansible_collections.gpu.k8s.plugins.module_utils._render.terminal import chain
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction, bad_input
from ansible_collections.gpu.k8s.plugins.plugin_utils._evidence_files import (
    NoEvidenceError,
    read_evidence,
    save_evidence,
)
from ansible_collections.gpu.k8s.plugins.plugin_utils._handover import NotHandedOverError, write_handover
from ansible_collections.gpu.k8s.plugins.plugin_utils._journal import close_journal, read_journal
from ansible_collections.gpu.k8s.plugins.plugin_utils._paint import painted
from ansible_collections.gpu.k8s.plugins.plugin_utils._report_folder import (
    EVIDENCE,
    MISSING_PERMISSIONS,
    say,
    write,
    write_json,
)

Result = dict[str, t.Any]
Found = tuple[Result, Result, list[Result]]

FORMATS: Mapping[str, tuple[str, Callable[[Document], str]]] = {
    "html": ("report.html", page),
    "junit": ("junit.xml", suites),
    "prometheus": ("metrics.prom", metrics),
}
"""The reports that a user can do without: the file's name and what renders it."""

ALL_FORMATS = [*FORMATS, "handover"]
"""The hand-over is a folder, and made of the evidence as well (_handover.py)."""

display = Display()


class ActionModule(ControllerAction):
    """The last task of a run."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {
                "run": {"type": "dict"},
                "context": {"default": ""},
                "ended_early": {"default": ""},
                "evidence_folder": {"type": "str"},
                "unfinished": {"type": "bool", "default": False},
                "report_folder": {"type": "path", "required": True},
                "formats": {"type": "list", "elements": "str", "choices": ALL_FORMATS, "default": ALL_FORMATS},
                "redact": {"type": "bool", "default": True},
                "metrics_file": {"type": "path"},
                "gate": {"choices": ["usable", "chosen", "broken", "none"], "default": "usable"},
            },
            mutually_exclusive=[("run", "evidence_folder", "unfinished")],
            required_one_of=[("run", "evidence_folder", "unfinished")],
        )
        folder = Path(args["report_folder"]).expanduser().absolute()
        try:
            run, cluster, evidence = self._found(args, folder, task_vars or {})
        except NoEvidenceError as error:
            refused = bad_input(folder, str(error))
            return {**refused, "passed": False, "why": refused["refused"]}
        verdicts = [judge_node(one) for one in evidence]
        told = document(run, cluster, evidence, verdicts)
        rules = _write_rules(folder, run, cluster, evidence)
        write_json(folder / "report.json", told)
        for name in args["formats"]:
            if name in FORMATS:
                _write_report(folder, *FORMATS[name], told)
        if args["metrics_file"]:
            _publish_metrics(Path(args["metrics_file"]).expanduser().absolute(), told)
        say(folder, told["conclusion"])
        close_journal(folder)
        file = "report.html" if "html" in args["formats"] else "report.json"
        _show(told, f"report: {folder / file}")
        if "handover" in args["formats"] and not run.get("redacted"):
            _hand_over(folder, (run, cluster, evidence), verdicts, args["redact"])
        display.display(f"rules that grant what is missing: {rules}\n" if rules else "")
        self._warn_of_pods_left(args, task_vars or {})
        why = why_closed(args["gate"], verdicts, run["chosen"], run["ended_early"])
        return {
            "changed": False,
            "conclusion": told["conclusion"],
            "summary": told["summary"],
            "passed": not why,
            "why": why,
            "report": str(folder / "report.json"),
            "ansible_stats": {"data": _stats(told), "per_host": False, "aggregate": False},
        }

    def _found(self, args: Result, folder: Path, variables: Result) -> Found:
        """Return run, cluster and the evidence of each node. What is new is saved before it is judged."""
        if args["evidence_folder"] is not None:
            if not args["evidence_folder"]:
                raise NoEvidenceError("Set gpu_k8s_evidence_folder to a folder with saved evidence")
            return read_evidence(Path(args["evidence_folder"]).expanduser())
        if args["unfinished"]:
            run, about, hostvars = _unfinished(folder)
            found = _gathered(run | {"ended_early": "it was interrupted"}, about["context"], hostvars)
        else:
            run = args["run"] | {"ended_early": args["ended_early"] or None}
            found = _gathered(run, args["context"], variables["hostvars"])
        save_evidence(folder / EVIDENCE, *found)
        return found

    @staticmethod
    def _warn_of_pods_left(args: Result, task_vars: Result) -> None:
        """A clean-up that failed is told; the Pods end themselves at their deadline."""
        deleted = task_vars["hostvars"]["localhost"].get("smoke_pod_deleted") if args["run"] else None
        if deleted and "result" not in deleted:
            display.warning(
                f"The smoke Pods may still be there ({deleted.get('msg', 'no answer')}). The next run removes them, "
                f"or: kubectl delete pods --all-namespaces -l gpu.k8s/run={args['run']['id']}"
            )


def _write_report(folder: Path, file: str, render: Callable[[Document], str], told: Document) -> None:
    """A report that can't be made of strange evidence must not hide the verdict from the others."""
    (folder / file).unlink(missing_ok=True)
    try:
        write(folder / file, render(told))
    except Exception as error:
        display.warning(f"{folder / file} was not written: {type(error).__name__}: {error}")


def _hand_over(folder: Path, found: Found, verdicts: list[NodeVerdict], redacting: bool) -> None:
    """What can't be handed over safely is not, and the verdicts stand all the same."""
    try:
        page = write_handover(folder, *found, verdicts, redacting)
    except NotHandedOverError as error:
        display.warning(f"The hand-over was not written: {error}.")
    except Exception as error:
        display.warning(f"The hand-over was not written: {type(error).__name__}: {error}")
    else:
        display.display(f"hand-over: {page}")


def _publish_metrics(path: Path, told: Document) -> None:
    """Put a copy where node_exporter, which is somebody else, may read it. Its folder is not ours to make."""
    try:
        if not path.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {path.parent}")
        write(path, metrics(told), mode=0o644)
    except OSError as error:
        display.warning(f"gpu_k8s_metrics_file: {path} was not written: {error}")


def _unfinished(folder: Path) -> tuple[Result, Result, dict[str, Result]]:
    try:
        return read_journal(folder)
    except (OSError, ValueError) as error:
        raise NoEvidenceError(f"There is no unfinished run in {folder}: {error}") from error


def _gathered(begun: Result, context: str, hostvars: t.Any) -> Found:
    """Put together what the tasks of this run registered."""
    chosen = chosen_layers(begun, hostvars)
    evidence = evidence_of_all(begun, hostvars, begun["check_mode"])
    read = cluster_read(hostvars["localhost"], begun["started"]) or {}
    told = ("id", "started", "hosts", "pattern", "by", "versions", "check_mode", "ended_early")
    run = {name: begun[name] for name in told}
    run |= {"finished": utc_now(), "chosen": chosen}
    cluster: Result = {"context": context if read else ""}
    cluster |= {key: read.get(key) for key in ("server", "version", "uid", "identity", "error")}
    cluster["nodes_without_host"] = nodes_without_host(read, evidence)
    expect = begun["expect"]
    denied_here = denied(read.get("access"), wants_of(expect), chosen)
    cluster["missing_permissions"] = [permission.told(namespaces_of(expect)) for permission in denied_here]
    return run, cluster, evidence


def _show(told: Document, where: str) -> None:
    """Show the chain, in colours on the screen and without them in the log."""
    display.display(f"\n{chain(told, painted)}\n{where}", screen_only=True)
    display.display(f"\n{chain(told)}\n{where}", log_only=True)


def _write_rules(folder: Path, run: Result, cluster: Result, evidence: list[Result]) -> Path | None:
    """Write the Roles that grant what is missing. Their names are this run's: applied, they replace no others."""
    missing = permissions_of(cluster.get("missing_permissions") or [])
    if not missing:
        return None
    namespaces, subject = namespaces_of(evidence[0]["expect"]), subject_of(cluster["identity"])
    objects = manifests(missing, f"gpu-k8s-missing-{run['id']}", namespaces, subject)
    path = folder / MISSING_PERMISSIONS
    write(path, yaml.dump_all(objects, Dumper=AnsibleDumper, explicit_start=True, sort_keys=False))
    return path


def _stats(told: Document) -> Result:
    """What a workflow that runs this playbook can branch on (``set_stats``, AWX's artifacts)."""
    broken = [
        {"host": node["host"], "layer": node["first_broken_layer"], "code": node["deciding"]["code"]}
        for node in told["nodes"]
        if node["conclusion"] == "broken"
    ]
    return {
        "gpu_k8s_conclusion": one_word(told["conclusion"]),
        "gpu_k8s_summary": told["summary"],
        "gpu_k8s_broken": broken,
    }
