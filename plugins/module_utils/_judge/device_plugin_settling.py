# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether what a Node advertises may still change by itself, because something started a moment ago."""

from __future__ import annotations

from collections.abc import Sequence

from .._catalogue import found
from .._chain import Finding
from .._evidence.device_plugin import RECENT, KubeletDevices
from .._evidence.device_plugin_facts import PluginFacts

_TRANSIENT = ("DPL001", "DPL002", "DPL003", "DPL017", "DPL018", "DPL025", "DPL034")
_STARTING = ("ContainerCreating", "PodInitializing", "Pending", "Running")
_HOPELESS = ("no_devices", "no_library", "driver_error", "no_config", "no_mps", "uneven_mig", "denied")

NOT_SETTLED = "DPL020"


def settled(facts: PluginFacts, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, or that it is too early for them.

    A cause that does not go away by itself stays what it is, however young the plugin. What looks healthy is not
    believed before a plugin has registered with the kubelet that runs now.
    """
    started = facts.just_started
    if started is None:
        return list(findings)
    deciding = next((finding for finding in findings if finding.status == "fail"), None)
    if deciding is None:
        too_early = facts.kubelet.kubelet_is_young and facts.registered_since is False
        seen = "no plugin has registered with it yet"
    else:
        too_early = deciding.code in _TRANSIENT or (deciding.code == "DPL016" and _is_starting(facts))
        seen = deciding.message.rstrip(".")
    if not too_early:
        return list(findings)
    pointers = ("device_plugin.kubelet_process", "kubernetes.node.status")
    return [found(NOT_SETTLED, *pointers, what=started, node=facts.node.name, seen=seen)]


def _is_starting(facts: PluginFacts) -> bool:
    return any(pod.waits in _STARTING for pod in facts.workload.pods or ())


def is_registering(kubelet: KubeletDevices) -> bool:
    """Whether it is worth while to look at the host again: a plugin is there, something is new, and it isn't connected.

    A plugin that says what is wrong will not register, however long one waits.
    """
    if kubelet.connected is not False or kubelet.now is None:
        return False
    if any(log.last(saying) for log in kubelet.logs for saying in _HOPELESS):
        return False
    if kubelet.kubelet_is_young:
        return bool(kubelet.logs or kubelet.sockets or kubelet.units)
    begun = [log.began for log in kubelet.logs if not log.last("unregistered")]
    return any(at is not None and kubelet.now - at < RECENT for at in begun)
