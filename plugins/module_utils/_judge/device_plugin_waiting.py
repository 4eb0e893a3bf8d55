# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether it is worth while to ask the API again for what a Node advertises."""

from __future__ import annotations

import typing as t
from collections.abc import Mapping

from .._evidence.device_plugin import read_kubelet_devices
from .._evidence.host import HostLook, read_look
from .device_plugin_settling import NOT_SETTLED
from .node import judge_checkpoints


def is_about_to_advertise(evidence: Mapping[str, t.Any]) -> bool:
    """Whether the Node's numbers are too young to be believed, and the kubelet may already know better ones.

    While no plugin is connected to the kubelet, the API has nothing to learn; a DRA driver writes there by itself.
    """
    alone = {**evidence, "chosen": ["device_plugin"]}
    third = next(judgement for judgement in judge_checkpoints(alone) if judgement.checkpoint == 3)
    if not any(finding.code == NOT_SETTLED for finding in third.findings):
        return False
    if evidence["expect"].get("smoke_ask") == "dra":
        return True
    return read_kubelet_devices(read_look(evidence.get("device_plugin")) or HostLook()).connected is not False
