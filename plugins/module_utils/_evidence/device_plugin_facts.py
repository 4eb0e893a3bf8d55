# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All that checkpoint 3 is judged by, of one Node: what it advertises, the kubelet, the plugin, and the host's GPUs."""

from __future__ import annotations

import re
import typing as t
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .device_plugin import RECENT, KubeletDevices, physical, read_kubelet_devices
from .device_plugin_claims import Claimable, read_claimable
from .device_plugin_log import PluginLog
from .device_plugin_workload import Workload, read_workload, seconds_of
from .driver import DriverFacts
from .host import HostLook, read_look
from .kubernetes import NodeFacts

_MIG_LINE = re.compile(r"^\s+MIG (?P<profile>\S+) .*\(UUID: (?P<uuid>MIG-[^)]+)\)", re.MULTILINE)


@dataclass(frozen=True)
class PluginFacts:
    """``driver`` is None when the host's driver layer was not looked at.

    ``read_at``: when the API was read, in seconds since the epoch.
    """

    node: NodeFacts
    resource: str
    by_claim: bool
    driver: DriverFacts | None
    mig_devices: tuple[tuple[str, str], ...]
    kubelet: KubeletDevices
    workload: Workload
    claimable: Claimable
    read_at: float | None

    @property
    def ids(self) -> tuple[str, ...] | None:
        """The ids of the physical devices behind the resource, in the kubelet's record."""
        return self.kubelet.ids(self.resource)

    @property
    def replicas(self) -> int:
        """How often each device is handed out (time-slicing, MPS)."""
        shared = (self.kubelet.registered or {}).get(self.resource) or ()
        if self.ids and any(physical(device) != device for device in shared):
            return max(1, len(shared) // len(self.ids))
        if self.kubelet.registered is None or not shared:
            told = self.node.labels.get("nvidia.com/gpu.replicas") or ""
            return max(1, int(told)) if told.isdigit() else 1
        return 1

    @property
    def host_devices(self) -> int | None:
        """How many devices of this resource the host has; None where that can't be said."""
        gpus = None if self.driver is None else self.driver.gpus
        if gpus is None:
            return None
        name = self.resource.removesuffix(".shared")
        if name.startswith("nvidia.com/mig-"):
            profiles = Counter(profile.replace("+", ".") for profile, _uuid in self.mig_devices)
            return profiles[name.removeprefix("nvidia.com/mig-")]
        if name != "nvidia.com/gpu":
            return None
        if not any(gpu.mig_devices for gpu in gpus):
            return len(gpus)
        return {
            "none": len(gpus),
            "single": len(self.mig_devices),
            "mixed": sum(1 for gpu in gpus if not gpu.mig_devices),
        }.get(self.node.labels.get("nvidia.com/mig.strategy") or "")

    @property
    def host_uuids(self) -> Sequence[str] | None:
        """The UUIDs of the host's GPUs and MIG devices."""
        if self.driver is None or self.driver.gpus is None:
            return None
        return [*(gpu.uuid for gpu in self.driver.gpus), *(uuid for _profile, uuid in self.mig_devices)]

    @property
    def logs(self) -> tuple[PluginLog, ...]:
        """The logs of the plugin's Pods and services; of Pods that the cluster does not know any more, none."""
        pods = self.workload.pods
        names = None if pods is None else {pod.name for pod in pods}
        return tuple(
            log
            for log in self.kubelet.logs
            if log.source == "service"
            or (names is None and "device-plugin" in log.source)
            or log.source in (names or ())
        )

    @property
    def registered_since(self) -> bool | None:
        """Whether a plugin has registered since the kubelet started: by the open connection, or by its own word."""
        if self.kubelet.connected:
            return True
        begun = self.kubelet.kubelet_started
        said = [at for log in self.logs for at, _what in log.says("registered")]
        if begun is not None and any(at is not None and at >= begun - 1 for at in said):
            return True
        return self.kubelet.connected

    @property
    def just_started(self) -> str | None:
        """What has just begun on this node, so that what it advertises may still change; None for nothing."""
        if self.kubelet.kubelet_is_young:
            return "The kubelet started"
        ready = self.node.condition("Ready")
        if ready and ready.status == "True" and self._is_recent(seconds_of(ready.since)):
            return "The Node became Ready"
        pods = (*(self.workload.pods or ()), *(self.workload.claim_pods or ()))
        return next((f"The Pod {pod.name} started" for pod in pods if self._is_recent(pod.started)), None)

    def _is_recent(self, at: float | None) -> bool:
        """By the node's clock; where the host was not looked at, by the one that read the API."""
        now = self.read_at if self.kubelet.now is None else self.kubelet.now
        return at is not None and now is not None and abs(now - at) < RECENT


def read_plugin(evidence: Mapping[str, t.Any], node: NodeFacts, driver: DriverFacts | None) -> PluginFacts:
    """Read what a node's evidence holds of checkpoint 3."""
    expect, kubernetes = evidence["expect"], evidence["kubernetes"]
    look = read_look(evidence.get("device_plugin")) or HostLook()
    driver_look = read_look(evidence.get("driver"))
    listing = (driver_look.stdout_of("nvidia_smi_list") if driver_look else None) or ""
    return PluginFacts(
        node=node,
        resource=expect["resource"],
        by_claim=expect.get("smoke_ask") == "dra",
        driver=driver,
        mig_devices=tuple((line["profile"], line["uuid"]) for line in _MIG_LINE.finditer(listing)),
        kubelet=read_kubelet_devices(look),
        workload=read_workload(kubernetes),
        claimable=read_claimable(kubernetes),
        read_at=seconds_of(kubernetes.get("read_at")),
    )
