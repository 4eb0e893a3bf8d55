# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare two runs by their evidence, and write and show what changed."""

from __future__ import annotations

import typing as t
from dataclasses import asdict
from pathlib import Path

from ansible.errors import AnsibleActionFail
from ansible.utils.display import Display

from ansible_collections.gpu.k8s.plugins.module_utils._compare import SCHEMA, Comparison, compare
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._render.comparison import markdown, names, terminal
from ansible_collections.gpu.k8s.plugins.module_utils._render.document import Document, document
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction
from ansible_collections.gpu.k8s.plugins.plugin_utils._evidence_files import NoEvidenceError, read_evidence
from ansible_collections.gpu.k8s.plugins.plugin_utils._report_folder import EVIDENCE, write, write_json

Result = dict[str, t.Any]

_HINT = "Set it to the report folder of a verification."

display = Display()


class ActionModule(ControllerAction):
    """Judges both runs anew: a change of the rules must not be taken for a change of the nodes."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {
                "before": {"type": "path", "required": True},
                "after": {"type": "path", "required": True},
                "report_folder": {"type": "path", "required": True},
                "gate": {"choices": ["usable", "chosen", "broken", "none"], "default": "usable"},
            }
        )
        before, after = (_folder(f"gpu_k8s_{name}", args[name]) for name in ("before", "after"))
        if _places(before) & _places(after):
            raise AnsibleActionFail(f"gpu_k8s_before and gpu_k8s_after are the same run, in {after}. {_HINT}")
        folder = Path(args["report_folder"]).expanduser().absolute()
        found = compare(_judged("gpu_k8s_before", before), _judged("gpu_k8s_after", after))
        write_json(folder / "comparison.json", {"schema": SCHEMA, **asdict(found)})
        write(folder / "comparison.md", markdown(found))
        display.display(f"\n{terminal(found)}\nreport: {folder / 'comparison.md'}\n")
        why = _why_closed(found) if args["gate"] != "none" else ""
        return {
            "changed": False,
            "summary": dict(found.summary),
            "worse": list(found.worse),
            "passed": not why,
            "why": why,
            "ansible_stats": {"data": {"gpu_k8s_worse": list(found.worse)}, "per_host": False, "aggregate": False},
        }


def _folder(variable: str, given: str) -> Path:
    if not given:
        raise AnsibleActionFail(f"{variable} is not set. {_HINT}")
    return Path(given).expanduser().absolute()


def _places(folder: Path) -> set[Path]:
    """Where the evidence may be: in the folder itself, or below it."""
    return {folder.resolve(), (folder / EVIDENCE).resolve()}


def _judged(variable: str, folder: Path) -> Document:
    try:
        run, cluster, evidence = read_evidence(folder)
        return document(run, cluster, evidence, [judge_node(one) for one in evidence])
    except (NoEvidenceError, OSError) as error:
        raise AnsibleActionFail(f"{variable}: {error}. {_HINT}") from None
    except (KeyError, TypeError, AttributeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise AnsibleActionFail(f"{variable}: the evidence in {folder} is not whole ({why}). {_HINT}") from error


def _why_closed(found: Comparison) -> str:
    if not found.worse:
        return ""
    return (
        f"{len(found.worse)} of {len(found.nodes)} nodes are not known to be as good as before: {names(found.worse)}."
    )
