# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The container runtime that serves the kubelet: what it has loaded, and what is on disk."""

from __future__ import annotations

import re
import tomllib
import typing as t
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from .host import HostLook

_CONTAINERD_LIKE = ("/containerd", "/k0s/", "/microk8s/")


@dataclass(frozen=True)
class DiskConfig:
    """What containerd would load if it were started now."""

    handlers: Mapping[str, str]
    default: str | None
    disabled: tuple[str, ...]


@dataclass(frozen=True)
class RuntimeFacts:
    """The runtime of one host. None: it could not be read.

    ``kind`` is ``containerd``, ``crio``, ``docker`` or ``none``. ``handlers`` are those that the running daemon has
    loaded, with their binaries. ``files``: configuration files and whether they define the wanted handler.
    """

    kind: str | None
    distribution: str | None
    socket: str
    socket_there: bool | None
    config_file: str
    user: str | None
    missing_tools: tuple[str, ...]
    version: tuple[int, ...] | None
    handlers: Mapping[str, str] | None
    settings: Mapping[str, tuple[str, ...]]
    on_disk: DiskConfig | None
    files: Mapping[str, str]
    kubelet: Mapping[str, str]

    @property
    def name(self) -> str:
        return {"crio": "CRI-O", "docker": "Docker"}.get(self.kind or "", "containerd")

    @property
    def service(self) -> str:
        """What to restart."""
        by_distribution = {
            "k3s": "k3s (or k3s-agent)",
            "rke2": "rke2-server (or rke2-agent)",
            "microk8s": "snap.microk8s.daemon-containerd",
            "k0s": "k0scontroller (or k0sworker)",
        }
        return by_distribution.get(self.distribution or "", self.kind or "containerd")

    def nvidia_handlers(self) -> tuple[str, ...]:
        """The loaded handlers that run NVIDIA's wrapper."""
        return tuple(name for name, binary in (self.handlers or {}).items() if is_wrapper(binary))

    def handler_in_use(self, wanted: str) -> str | None:
        """The wanted handler, else the default one where NVIDIA's wrapper is the default."""
        if wanted in (self.handlers or {}):
            return wanted
        return next((name for name in self.nvidia_handlers() if name == self.default), None)

    @property
    def default(self) -> str | None:
        return next(iter(self.settings.get("default_runtime", ())), None)

    def defining_files(self) -> tuple[str, ...]:
        """The files of this kind of runtime that define the wanted handler."""
        return tuple(file for file, word in self.files.items() if word == "defines" and self._is_own_kind(file))

    def _is_own_kind(self, file: str) -> bool:
        if self.kind == "crio":
            return file.startswith("/etc/crio/")
        if self.kind == "docker":
            return file.startswith("/etc/docker/")
        return any(part in file for part in _CONTAINERD_LIKE)

    def is_near(self, file: str) -> bool:
        """Whether the file lies beside or below the file that the daemon reads."""
        return self.kind != "containerd" or PurePosixPath(self.config_file).parent in PurePosixPath(file).parents


def is_wrapper(binary: str) -> bool:
    return PurePosixPath(binary).name.startswith("nvidia-container-runtime")


def read_runtime(look: HostLook) -> RuntimeFacts:
    """Read what the probe found out about the runtime."""
    described = _pairs(look.stdout_of("runtime"))
    handlers = look.stdout_of("loaded_handlers")
    first = {name: values[0] for name, values in described.items()}
    return RuntimeFacts(
        kind=first.get("runtime"),
        distribution=first.get("distribution"),
        socket=first.get("socket", ""),
        socket_there={"there": True, "missing": False}.get(first.get("socket_is", "")),
        config_file=first.get("config", ""),
        user=first.get("user"),
        missing_tools=described.get("missing", ()),
        version=read_version(look.stdout_of("runtime_version"), r"RuntimeVersion:\s+v?"),
        handlers=_handlers(handlers or "") or None,  # each runtime has one at least
        settings=_pairs(look.stdout_of("loaded_settings")),
        on_disk=_disk_config(look.stdout_of("config_on_disk")),
        files={v: word for word, values in _pairs(look.stdout_of("handler_files")).items() for v in values},
        kubelet=_options(look.stdout_of("kubelet")),
    )


def read_version(text: str | None, before: str) -> tuple[int, ...] | None:
    """The first version after a pattern, in numbers."""
    found = re.search(before + r"(\d+\.\d+(?:\.\d+)?)", text or "")
    return tuple(int(part) for part in found[1].split(".")) if found else None


def _handlers(listing: str) -> dict[str, str]:
    rows = [line.replace("<no value>", "").split(maxsplit=1) for line in listing.splitlines() if line.strip()]
    return {row[0]: row[1] if len(row) > 1 else "" for row in rows}


def _pairs(text: str | None) -> dict[str, tuple[str, ...]]:
    """Lines of a name and a value. "<no value>" is what a template prints for what is not there."""
    pairs: dict[str, tuple[str, ...]] = {}
    for line in (text or "").splitlines():
        name, _space, value = line.strip().partition(" ")
        if name and value != "<no value>":
            pairs[name] = (*pairs.get(name, ()), value.strip())
    return pairs


def _options(text: str | None) -> dict[str, str]:
    """Lines of name=value; the first one of a name counts."""
    pairs = [line.partition("=") for line in (text or "").splitlines() if "=" in line]
    return {name: value for name, _equals, value in reversed(pairs)}


def _disk_config(text: str | None) -> DiskConfig | None:
    if text is None:
        return None
    try:
        whole = tomllib.loads(text)
        return _handlers_on_disk(whole, [p for p in whole.get("plugins", {}).values() if "containerd" in p])
    except (tomllib.TOMLDecodeError, AttributeError, TypeError):
        return None


def _handlers_on_disk(whole: Mapping[str, t.Any], cri: list[Mapping[str, t.Any]]) -> DiskConfig:
    handlers = {}
    for plugin in cri:
        for name, runtime in plugin["containerd"].get("runtimes", {}).items():
            handlers[name] = runtime.get("options", {}).get("BinaryName", "")
    return DiskConfig(
        handlers=handlers,
        default=next((p["containerd"].get("default_runtime_name") for p in cri), None),
        disabled=tuple(whole.get("disabled_plugins", ())),
    )
