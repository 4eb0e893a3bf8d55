# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a node is, in a few words: for the head of a report, and to see what an upgrade changed."""

from __future__ import annotations

import typing as t
from collections import Counter
from collections.abc import Mapping

from .driver import Gpu, read_driver
from .host import read_look
from .toolkit_config import read_versions

_INFO = {
    "kernel": "kernelVersion",
    "os": "osImage",
    "kubelet": "kubeletVersion",
    "container_runtime": "containerRuntimeVersion",
}


def facts_of(evidence: Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the facts of a node; None is what was not seen.

    ``gpus`` (int), ``models`` (list of str, each with its number: ``4x NVIDIA H100 80GB HBM3``; those that are cut are
    told apart: ``1x NVIDIA H100 80GB HBM3 in 7 MIG devices``), ``uuids`` (sorted), ``driver``, ``toolkit``,
    ``kernel``, ``os``, ``kubelet``, ``container_runtime`` (versions, as each tells its own), ``capacity`` and
    ``allocatable`` (str, of the resource that the run asked for).
    """
    kubernetes = evidence.get("kubernetes") or {}
    status = (kubernetes.get("node") or {}).get("status") or {}
    info = status.get("nodeInfo") or {}
    resource = (evidence.get("expect") or {}).get("resource", "nvidia.com/gpu")
    host = _of_the_host(evidence)
    return {
        **host,
        **{name: info.get(field) or host.get(name) for name, field in _INFO.items()},
        **{name: (status.get(name) or {}).get(resource) for name in ("capacity", "allocatable")},
    }


def _of_the_host(evidence: Mapping[str, t.Any]) -> dict[str, t.Any]:
    """A strange transcript must not keep the verdicts from being told, so what can't be read is not seen."""
    facts: dict[str, t.Any] = dict.fromkeys(("gpus", "models", "uuids", "driver", "toolkit", "kernel"))
    try:
        if look := read_look(evidence.get("driver")):
            driver = read_driver(look)
            # where there is no such module (WSL), nvidia-smi names the driver
            named = driver.everywhere("driver_version").values()
            facts["driver"] = driver.module_version or next(iter(named), None)
            facts["kernel"] = driver.kernel_release
            if driver.gpus is not None:
                models = Counter(_model(gpu) for gpu in driver.gpus)
                facts["gpus"] = len(driver.gpus)
                facts["models"] = [f"{count}x {model}" for model, count in sorted(models.items())]
                facts["uuids"] = sorted(gpu.uuid for gpu in driver.gpus)
        if look := read_look(evidence.get("toolkit")):
            versions = read_versions(look)
            facts["toolkit"] = versions.get("nvidia-ctk") or versions.get("nvidia-container-runtime")
    except Exception:  # judge_node names it (PRE006)
        return facts
    return facts


def _model(gpu: Gpu) -> str:
    return f"{gpu.name} in {gpu.mig_devices} MIG devices" if gpu.mig_devices else gpu.name
