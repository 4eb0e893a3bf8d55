# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judge what a rehearsal left behind, and write and show the confusion matrix."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

from ansible.errors import AnsibleActionFail
from ansible.utils.display import Display

from ansible_collections.gpu.k8s.plugins.module_utils._rehearsal import Verification, entries, matrix, table
from ansible_collections.gpu.k8s.plugins.plugin_utils._controller_action import ControllerAction

Result = dict[str, t.Any]

display = Display()


class ActionModule(ControllerAction):
    """The last task of a rehearsal."""

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _checked, args = self.validate_argument_spec(
            {
                "folder": {"type": "path", "required": True},
                "nodes": {"type": "list", "elements": "str", "required": True},
                "rounds": {"type": "list", "elements": "dict", "required": True},
            }
        )
        folder, plan = Path(args["folder"]).expanduser(), args["rounds"]
        broken = [_verified(folder / one["name"]) for one in plan]
        document = matrix(entries(plan, args["nodes"], broken, _verified(folder / "mended")))
        (folder / "matrix.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        display.display("\n" + table(document) + f"\nmatrix: {folder / 'matrix.json'}\n")
        totals = {key: document[key] for key in ("faults", "right", "false_passes", "false_alarms")}
        passed = bool(document["faults"]) and document["right"] == document["faults"]
        return {"changed": False, "passed": passed, **totals}


def _verified(folder: Path) -> Verification:
    try:
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        return Verification(int((folder / "exit_status").read_text(encoding="utf-8")), report)
    except (OSError, ValueError) as error:
        raise AnsibleActionFail(f"{folder} holds no report: {error}. See verify.log in it.") from error
