# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the actions that run on the controller share. Private to the collection."""

from __future__ import annotations

import typing as t
from pathlib import Path

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from ._journal import close_journal
from ._report_folder import say


class ControllerAction(ActionBase):
    """Runs in a play on localhost, asks no host for anything, and does the same in check mode."""

    TRANSFERS_FILES = False
    _supports_check_mode = True
    _supports_async = False
    _requires_connection = False


def need_library(missing: str | None) -> None:
    """Raise AnsibleActionFail with the remedy if a library could not be imported; ``missing`` is what Python said."""
    if missing:
        raise AnsibleActionFail(
            f"The Python that runs ansible-playbook lacks a library: {missing}. "
            "Install what the collection's meta/ee-requirements.txt lists there."
        )


def bad_input(folder: Path, why: str) -> dict[str, t.Any]:
    """Say that the user has to change something, where a machine finds it. The role's next task fails with it."""
    close_journal(folder)
    say(folder, "bad_input")
    stats = {"data": {"gpu_k8s_conclusion": "bad_input"}, "per_host": False, "aggregate": False}
    return {"changed": False, "refused": f"Not proven: {why.rstrip('.')}.", "ansible_stats": stats}
