# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The toolkit's own configuration and the versions of its parts."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from .host import HostLook

_VERSIONS = (
    ("nvidia-ctk", "toolkit_version", r"CLI version v?(\d+\.\d+\.\d+)"),
    ("nvidia-container-runtime", "wrapper_version", r"NVIDIA Container Runtime version v?(\d+\.\d+\.\d+)"),
    ("nvidia-container-cli", "cli_version", r"cli-version: v?(\d+\.\d+\.\d+)"),
    ("libnvidia-container", "cli_version", r"lib-version: v?(\d+\.\d+\.\d+)"),
)


@dataclass(frozen=True)
class ToolkitConfig:
    """The settings of config.toml that are judged, with NVIDIA's defaults where it says nothing."""

    mode: str
    no_cgroups: bool
    by_variable: bool
    default_kind: str
    root: str


def read_toolkit_config(text: str | None) -> ToolkitConfig | None:
    """None: there is no such file, or it is not TOML."""
    try:
        whole = tomllib.loads(text or "")
        cli, runtime = whole.get("nvidia-container-cli", {}), whole.get("nvidia-container-runtime", {})
        cdi = runtime.get("modes", {}).get("cdi", {})
        config = ToolkitConfig(
            mode=runtime.get("mode", "auto"),
            no_cgroups=cli.get("no-cgroups") is True,
            by_variable=whole.get("accept-nvidia-visible-devices-envvar-when-unprivileged") is not False,
            default_kind=cdi.get("default-kind", "nvidia.com/gpu"),
            root=cli.get("root", "/"),
        )
    except (tomllib.TOMLDecodeError, AttributeError):
        return None
    return None if text is None else config


def read_versions(look: HostLook) -> dict[str, str]:
    """The versions of the parts that say one."""
    versions = {}
    for part, record, pattern in _VERSIONS:
        found = re.search(pattern, look.stdout_of(record) or "")
        if found:
            versions[part] = found[1]
    return versions
