# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plan the rounds of a rehearsal."""

from __future__ import annotations

import typing as t
from collections.abc import Callable

from ansible_collections.gpu.k8s.plugins.module_utils._rehearsal import rounds

DOCUMENTATION = r"""
name: rehearsal_rounds
short_description: Plan which faults are rehearsed together
version_added: 0.1.0
description:
  - Puts faults into rounds. The faults of one round are there at the same time, each on a node of its own, while one
    node at least stays whole, another one in each round. A fault that hits every node has a round for itself.
author:
  - gpu.k8s contributors (@gpu-k8s)
options:
  _input:
    description:
      - The faults, with C(name), C(expect), C(settings) if they are verified with settings of their own,
        C(waits) if that takes its whole time, and C(everywhere) if they hit all nodes.
    type: list
    elements: dict
    required: true
  nodes:
    description: The nodes that may be broken.
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
- name: Show the rounds
  ansible.builtin.debug:
    msg: "{{ faults | gpu.k8s.rehearsal_rounds(nodes=['node1', 'node2', 'node3']) }}"
"""

RETURN = r"""
_value:
  description: The rounds, with C(name), C(settings) and C(faults); each of these has C(node) besides.
  type: list
  elements: dict
"""


class FilterModule:
    """The filter, by its name."""

    def filters(self) -> dict[str, Callable[..., t.Any]]:
        """Return what Ansible loads."""
        return {"rehearsal_rounds": rounds}
