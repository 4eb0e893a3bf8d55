# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a Node offers by Dynamic Resource Allocation (DRA), typed: its ResourceSlices and the DeviceClasses."""

from __future__ import annotations

import typing as t
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .kubernetes_objects import listed

Object = Mapping[str, t.Any]


@dataclass(frozen=True)
class Claimable:
    """None: it could not be read. ``devices`` are those of the newest generation of each pool of this Node.

    ``extended``: the names of extended resources that a DeviceClass stands for.
    """

    slices: int | None
    slices_error: str
    devices: tuple[Object, ...]
    classes: int | None
    extended: tuple[str, ...]

    @property
    def usable(self) -> tuple[Object, ...]:
        """The devices that no taint keeps from being allocated."""
        repelling = ("NoSchedule", "NoExecute")
        return tuple(d for d in self.devices if not any(x.get("effect") in repelling for x in d.get("taints") or ()))

    @property
    def uuids(self) -> tuple[str, ...]:
        return tuple(str(device["uuid"]) for device in self.devices if device.get("uuid"))


def read_claimable(kubernetes: Object) -> Claimable:
    """Read the slices, which are this Node's alone, and the DeviceClasses of a node's evidence."""
    slices, classes = listed(kubernetes, "resource_slices"), listed(kubernetes, "device_classes")
    error = ((kubernetes.get("objects") or {}).get("resource_slices") or {}).get("error")
    return Claimable(
        slices=None if slices is None else len(slices),
        slices_error=str(error or "they were not read"),
        devices=tuple(_newest_devices(slices or ())),
        classes=None if classes is None else len(classes),
        extended=tuple(
            str(name) for one in classes or () if (name := (one.get("spec") or {}).get("extendedResourceName"))
        ),
    )


def _newest_devices(slices: Sequence[Object]) -> list[Object]:
    pools = [(one.get("spec") or {}, (one.get("spec") or {}).get("pool") or {}) for one in slices]
    newest: dict[t.Any, int] = {}
    for spec, pool in pools:
        key = (spec.get("driver"), pool.get("name"))
        newest[key] = max(newest.get(key, 0), int(pool.get("generation") or 0))
    return [
        device
        for spec, pool in pools
        if int(pool.get("generation") or 0) == newest[spec.get("driver"), pool.get("name")]
        for device in spec.get("devices") or ()
    ]
