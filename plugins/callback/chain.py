# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The stdout callback gpu.k8s.chain: a line a layer while it is verified, and nothing about what is fine."""

from __future__ import annotations

DOCUMENTATION = r"""
name: chain
type: stdout
short_description: A line a layer while it is verified, and nothing about what is fine
version_added: 0.1.0
author:
  - gpu.k8s contributors (@gpu-k8s)
description:
  - Shows of a run of the playbook C(gpu.k8s.verify) how far each layer is, and at once who is not fine.
  - Of other playbooks it shows the name of each task that does something, and which hosts were changed.
  - Warnings, deprecations, errors, failed and unreachable hosts, diffs, retries and the messages of
    M(ansible.builtin.debug) are shown as P(ansible.builtin.default#callback) shows them. The recap names only hosts
    with a failed task.
  - On a terminal the last line is written over while hosts answer. In a pipe, a file and AWX there is a line a layer.
  - With C(-v) and more, everything is shown as P(ansible.builtin.default#callback) shows it.
  - It changes nothing but the output.
extends_documentation_fragment:
  - default_callback
  - result_format_callback
requirements:
  - E(ANSIBLE_STDOUT_CALLBACK=gpu.k8s.chain), or C(stdout_callback) in the section C(defaults) of the configuration
"""

EXAMPLES = r"""
# ANSIBLE_STDOUT_CALLBACK=gpu.k8s.chain ansible-playbook gpu.k8s.verify -i inventory -e gpu_k8s_context=my-cluster
#
# preflight      my-cluster is https://192.0.2.1:6443 (v1.37.2, ...), asked as admin
#   node2: FAIL DRV004 A GPU is lost to the driver
# driver         3 of 3 hosts, 1 not fine
"""

import copy
import os
import shutil
import sys
import typing as t

from ansible import constants
from ansible.playbook.task_include import TaskInclude
from ansible.plugins.callback.default import CallbackModule as Default
from ansible.utils.display import Display

from ansible_collections.gpu.k8s.plugins.module_utils._render import progress

Lines = list[str]

_HOST_LAYERS = {"gpu.k8s.examine": None, "gpu.k8s.registration": "device_plugin"}
"""The actions that look at a host; the layer of the first is its argument."""

_READ = ("device_plugin", "scheduler")
"""The layers that are told of by what gpu.k8s.advertised read for them."""

_ROLES = ("preflight", "debug_pod", "driver", "toolkit", "device_plugin", "scheduler", "smoke_pod", "report")
_SPEAKS = ("gpu.k8s.debug_pods_info", "gpu.k8s.smoke_pods_info", "gpu.k8s.report")
"""The actions that show something while they run."""

_DEBUG = "ansible.builtin.debug"
_FAIL = "ansible.builtin.fail"
_VALIDATE = "ansible.builtin.validate_argument_spec"

display = Display()


class CallbackModule(Default):
    """The default callback, less what is fine, and with a line a layer."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "gpu.k8s.chain"
    _display: t.Any

    def __init__(self) -> None:
        super().__init__()
        self._screen = _Screen(self._display)
        self._display = self._screen
        self._layers = progress.HostLayers()
        self._changed: Lines = []

    # ---- plays and tasks

    def v2_playbook_on_play_start(self, play: t.Any) -> None:
        if display.verbosity:
            super().v2_playbook_on_play_start(play)
            return
        self._play = play
        self._end_of_task()
        self._say(self._layers.ended())

    def v2_playbook_on_task_start(self, task: t.Any, is_conditional: bool) -> None:
        if display.verbosity:
            super().v2_playbook_on_task_start(task, is_conditional)
            return
        self._start(task)

    def v2_playbook_on_handler_task_start(self, task: t.Any) -> None:
        if display.verbosity:
            super().v2_playbook_on_handler_task_start(task)
            return
        self._start(task)

    def _start(self, task: t.Any) -> None:
        self._end_of_task()
        if task.resolved_action in _HOST_LAYERS:
            self._screen.over(self._layers.going_on())
        elif task.resolved_action in _SPEAKS:
            self._screen.over("")
        else:
            self._screen.over(task.get_name())

    def _end_of_task(self) -> None:
        if self._changed:
            self._say(progress.changed(self._changed))
            self._changed = []

    def _print_task_banner(self, task: t.Any) -> None:
        if display.verbosity:
            super()._print_task_banner(task)
            return
        self._end_of_task()
        self._display.display(task.get_name())
        self._last_task_banner = task._uuid

    # ---- results

    def v2_runner_on_ok(self, result: t.Any) -> None:
        task = result.task
        if display.verbosity or (task.resolved_action == _DEBUG and not _role(task)):
            super().v2_runner_on_ok(result)
            return
        self._handle_warnings_and_exception(result)
        if task.resolved_action in _HOST_LAYERS:
            layer = _HOST_LAYERS[task.resolved_action] or task.args["layer"]
            self._say(self._layers.answered(layer, result.host.get_name(), result.result))
            self._screen.over(self._layers.going_on())
        elif _role(task):
            self._say(self._of_the_cluster(result))
        elif not isinstance(task, TaskInclude) and task.resolved_action != _VALIDATE:
            if self._last_task_banner != task._uuid:
                self._print_task_banner(task)
            if result.result.get("changed"):
                self._changed.append(self.host_label(result))

    def _of_the_cluster(self, result: t.Any) -> Lines:
        action, role, told = result.task.resolved_action, _role(result.task), result.result
        if action == "gpu.k8s.begin" and not told.get("refused"):
            self._layers = progress.HostLayers(len(told["hosts"]))
        if action == _DEBUG:
            return progress.of_layer(role, str(told["msg"]))
        if action == "gpu.k8s.advertised" and role in _READ:
            return progress.read(role, told)
        if action == "gpu.k8s.smoke_targets":
            return progress.not_tried(told)
        if action == "gpu.k8s.smoke_verdict":
            return progress.tried(told)
        return []

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        role = _role(result.task)
        if display.verbosity or not role or result.task.resolved_action != _FAIL:
            super().v2_runner_on_failed(result, ignore_errors)
        else:  # this is no accident: the message is the answer
            self._say(progress.of_layer(role, result.result["msg"]), constants.COLOR_ERROR)

    def v2_runner_on_skipped(self, result: t.Any) -> None:
        if display.verbosity:
            super().v2_runner_on_skipped(result)
        else:
            self._handle_warnings_and_exception(result)

    def v2_runner_item_on_ok(self, result: t.Any) -> None:
        if display.verbosity or result.task.resolved_action == _DEBUG:
            super().v2_runner_item_on_ok(result)
        else:
            self._handle_warnings_and_exception(result)

    def v2_runner_item_on_skipped(self, result: t.Any) -> None:
        if display.verbosity:
            super().v2_runner_item_on_skipped(result)
        else:
            self._handle_warnings_and_exception(result)

    def v2_playbook_on_include(self, included_file: t.Any) -> None:
        if display.verbosity:
            super().v2_playbook_on_include(included_file)

    # ---- the end

    def v2_playbook_on_no_hosts_remaining(self) -> None:
        if display.verbosity:
            super().v2_playbook_on_no_hosts_remaining()

    def v2_playbook_on_stats(self, stats: t.Any) -> None:
        if not display.verbosity:
            self._end_of_task()
            self._say(self._layers.ended())
            self._screen.over("")
            stats = copy.copy(stats)
            stats.processed = {host: 1 for host in stats.processed if stats.failures.get(host) or stats.dark.get(host)}
        if stats.processed or self.get_option("show_custom_stats"):
            super().v2_playbook_on_stats(stats)

    def _say(self, lines: Lines, colour: str | None = None) -> None:
        for line in lines:
            self._display.display(line, color=colour)


def _role(task: t.Any) -> str:
    """Return the role of this collection that the task belongs to; empty for anything else."""
    role = str(task.get_name()).partition(" : ")[0].removeprefix("gpu.k8s.")
    return role if role in _ROLES and task.get_name().startswith("gpu.k8s.") else ""


class _Screen:
    """Ansible's display, and on a terminal a last line that is written over."""

    def __init__(self, wrapped: t.Any) -> None:
        self._wrapped = wrapped
        self._last = ""
        # Under ansible-runner, as in AWX, the terminal is not a person's.
        self._is_terminal = sys.stdout.isatty() and "ORIGINAL_STDOUT_CALLBACK" not in os.environ

    def __getattr__(self, name: str) -> t.Any:
        self.over("")
        return getattr(self._wrapped, name)

    def over(self, text: str) -> None:
        """Write over the last line; whatever is shown next is shown in its place."""
        text = text[: shutil.get_terminal_size().columns - 1]
        if self._is_terminal and text != self._last:
            self._wrapped.display(f"\r{text.ljust(len(self._last))}\r", newline=False, screen_only=True)
            sys.stdout.flush()
            self._last = text
