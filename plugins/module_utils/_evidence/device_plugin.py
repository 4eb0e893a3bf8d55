# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the device plugin's probe saw on the node, typed: the kubelet, its sockets and its record of devices."""

from __future__ import annotations

import json
import re
import typing as t
from collections.abc import Mapping
from dataclasses import dataclass

from .device_plugin_log import PluginLog, read_logs
from .host import HostLook

RECENT = 120
"""Seconds after a start in which what a Node advertises may still be wrong, in both directions."""


def physical(device: str) -> str:
    """Return a device's id without what those of shared GPUs end in: ``::<replica>``, or on GKE ``/vgpu<replica>``."""
    return re.sub(r"(::|/vgpu)\d+$", "", device)


@dataclass(frozen=True)
class KubeletDevices:
    """The kubelet's side of a node. None: it could not be read.

    ``registered``: the device ids of each resource in the kubelet's checkpoint; a shared GPU has one for each replica.
    ``now`` and ``kubelet_started``: seconds since the epoch, by the node's clock.
    ``sockets``: the plugins' sockets, and whether the kubelet has an open connection to it.
    ``units``: the state of the services by which an OS image brings a plugin, of those that there are.
    """

    registered: Mapping[str, tuple[str, ...]] | None
    now: float | None
    kubelet_started: float | None
    folder: str | None
    listens: str | None
    sockets: Mapping[str, bool] | None
    logs: tuple[PluginLog, ...]
    units: Mapping[str, str]

    def ids(self, resource: str) -> tuple[str, ...] | None:
        """The ids of the devices behind a resource, each once, however often it is shared."""
        if self.registered is None:
            return None
        return tuple(dict.fromkeys(physical(device) for device in self.registered.get(resource, ())))

    @property
    def connected(self) -> bool | None:
        """Whether the kubelet is in touch with a plugin for GPUs at this moment; None where that can't be told."""
        if self.sockets is None:
            return None
        of_gpus = [open_ for name, open_ in self.sockets.items() if re.search("nvidia|gpu", name, re.IGNORECASE)]
        if of_gpus:
            return any(of_gpus)
        return None if any(self.sockets.values()) else False  # a plugin may give its socket any name

    @property
    def kubelet_is_young(self) -> bool:
        """Whether the kubelet has just started."""
        return self.now is not None and self.kubelet_started is not None and self.now - self.kubelet_started < RECENT


def read_kubelet_devices(look: HostLook) -> KubeletDevices:
    """Read the records of the device plugin's probe."""
    about = dict(line.partition(" ")[::2] for line in (look.stdout_of("kubelet_process") or "").splitlines())
    now = _number(about.get("now"))
    seconds = _number(about.get("seconds"))
    return KubeletDevices(
        registered=_registered(look.stdout_of("kubelet_checkpoint")),
        now=now,
        kubelet_started=None if now is None or seconds is None else now - seconds,
        folder=about.get("folder"),
        listens=about.get("listens"),
        # The sockets of another network namespace are not in sight: then not even the kubelet's own is.
        sockets=_sockets(look.stdout_of("plugin_connections")) if about.get("listens") else None,
        logs=read_logs(look),
        units=_units(look.stdout_of("plugin_units") or ""),
    )


def _number(text: str | None) -> float | None:
    return float(text) if text and text.strip().isdigit() else None


def _registered(text: str | None) -> Mapping[str, tuple[str, ...]] | None:
    if text is None:
        return None
    try:
        registered: dict[str, t.Any] = json.loads(text)["Data"]["RegisteredDevices"] or {}
        return {resource: tuple(str(device) for device in devices or ()) for resource, devices in registered.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _sockets(text: str | None) -> Mapping[str, bool] | None:
    if text is None:
        return None
    return {name: state == "connected" for name, _space, state in (line.partition(" ") for line in text.splitlines())}


def _units(text: str) -> Mapping[str, str]:
    units = {}
    for block in re.split(r"\n\s*\n", text):
        fields = dict(line.partition("=")[::2] for line in block.splitlines())
        if fields.get("LoadState") == "loaded" and fields.get("Id"):
            units[fields["Id"]] = fields.get("ActiveState", "")
    return units
