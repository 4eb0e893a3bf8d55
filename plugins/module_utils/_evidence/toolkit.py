# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the toolkit's probe saw, typed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from .._transcript import Record
from .driver import Gpu, gpus_listed
from .host import HostLook
from .toolkit_cdi import CdiSpec, read_specs
from .toolkit_config import ToolkitConfig, read_toolkit_config, read_versions
from .toolkit_runtime import RuntimeFacts, read_runtime

_DEVICE_LINE = re.compile(r"^device (/dev/nvidia\d+)$", re.MULTILINE)
_MIG_LINE = re.compile(r"^\s+MIG .*\(UUID: (MIG-[^)\s]+)\)", re.MULTILINE)
_OWN_LINE = re.compile(r"(begin|end|device|uvm|libcuda) ")
_ASKED = re.compile(
    r"(?:NVIDIA_VISIBLE_DEVICES=|/nvidia-container-devices/|nvidia\.com/gpu=)((?:GPU|MIG)-[^\s,]+|\d+|all)(?=[\s,]|$)"
)
_CDI_KIND = re.compile(r"--device (\S*nvidia\.com/gpu)=")


@dataclass(frozen=True)
class ContainerRun:
    """A container of the experiment.

    ``begun``: its own command ran. ``whole``: both of its nonce lines arrived.
    ``asked``: the name of the GPU that was asked for. ``cdi_kind``: of the CDI device that was asked for.
    ``has_uvm`` and ``has_libcuda`` are None when the container did not say.
    """

    record: Record
    begun: bool
    whole: bool
    gpus: tuple[Gpu, ...]
    migs: tuple[str, ...]
    devices: tuple[str, ...]
    asked: str | None
    cdi_kind: str | None
    has_uvm: bool | None
    has_libcuda: bool | None

    @property
    def text(self) -> str:
        return self.record["stderr"] + "\n" + self.record["stdout"]

    @property
    def output(self) -> str:
        """The last line that says something, from either stream."""
        lines = self.text.split("\n")
        said = [line.strip() for line in lines if line.strip() and not _OWN_LINE.match(line)]
        return said[-1] if said else "nothing"


@dataclass(frozen=True)
class HostFacts:
    """Files of the host that the rules of this layer need. ``enforcing``: SELinux does."""

    files: tuple[str, ...]
    char_links: bool
    enforcing: bool

    @property
    def gpu_nodes(self) -> tuple[str, ...]:
        return tuple(file for file in self.files if re.fullmatch(r"/dev/nvidia\d+", file))

    @property
    def hooks(self) -> tuple[str, ...]:
        return tuple(file for file in self.files if "/oci/hooks.d/" in file)


@dataclass(frozen=True)
class CniFacts:
    """The network configuration that the runtime loads, the programs it names and those that are there."""

    config: str
    named: tuple[str, ...]
    programs: tuple[str, ...]


@dataclass(frozen=True)
class ToolkitFacts:
    """The toolkit layer of one host. None: it could not be read."""

    runtime: RuntimeFacts
    config: ToolkitConfig | None
    versions: dict[str, str]
    cdi_specs: tuple[str, ...] | None
    specs: tuple[CdiSpec, ...] | None
    host: HostFacts | None
    cni: CniFacts | None
    gpus: tuple[Gpu, ...] | None
    image_there: bool | None
    gpu_container: ContainerRun | None
    control_container: ContainerRun | None


def devices_listed(text: str) -> tuple[str, ...]:
    """Return the GPUs' device nodes that a container found in its /dev, as our containers and Pods print them."""
    return tuple(_DEVICE_LINE.findall(text))


def read_toolkit(look: HostLook) -> ToolkitFacts:
    """Read the records of the toolkit's probe."""
    specs = look.stdout_of("cdi_specs")
    listed = look.stdout_of("gpu_list")
    return ToolkitFacts(
        runtime=read_runtime(look),
        config=read_toolkit_config(look.stdout_of("toolkit_config")),
        versions=read_versions(look),
        cdi_specs=None if specs is None else tuple(line.split()[-1] for line in specs.splitlines() if line.strip()),
        specs=read_specs(look.stdout_of("cdi_contents")),
        host=_host(look.stdout_of("host")),
        cni=_cni(look.stdout_of("cni")),
        gpus=None if listed is None else gpus_listed(listed),
        image_there=_image_there(look.records.get("image")),
        gpu_container=_container(look.records.get("gpu_container")),
        control_container=_container(look.records.get("control_container")),
    )


def _image_there(record: Record | None) -> bool | None:
    """ctr lists nothing and ends with 0; docker and podman say that there is no such image."""
    if record is None:
        return None
    if record["exit_code"] == 0:
        return bool(record["stdout"].strip())
    return False if re.search(r"no such (image|object)|image not known", record["stderr"], re.IGNORECASE) else None


def _host(text: str | None) -> HostFacts | None:
    if text is None:
        return None
    rows = [line.split(maxsplit=1) for line in text.splitlines() if len(line.split()) > 1]
    return HostFacts(
        files=tuple(row[1] for row in rows if row[0] == "file"),
        char_links=any(row[0] == "char_links" for row in rows),
        enforcing=["selinux", "1"] in rows,
    )


def _cni(text: str | None) -> CniFacts | None:
    listed, found, rest = (text or "").partition("config ")
    path, _newline, content = rest.partition("\n")
    try:
        whole = json.loads(content) if found else None
        plugins = whole.get("plugins", [whole]) if whole else []
        named = [plugin["type"] for plugin in plugins]
        named += [plugin["ipam"]["type"] for plugin in plugins if (plugin.get("ipam") or {}).get("type")]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    programs = tuple(line.split()[-1] for line in listed.splitlines() if line.startswith("program "))
    return CniFacts(path, tuple(dict.fromkeys(named)), programs) if named else None


def _container(record: Record | None) -> ContainerRun | None:
    if record is None:
        return None
    out = record["stdout"]
    begin = re.search(r"^begin (\S+)$", out, re.MULTILINE)
    asked, cdi_kind = _ASKED.search(record["command"]), _CDI_KIND.search(record["command"])
    return ContainerRun(
        record=record,
        begun=begin is not None,
        whole=bool(begin and re.search(rf"^end {re.escape(begin[1])}$", out, re.MULTILINE)),
        gpus=gpus_listed(out),
        migs=tuple(_MIG_LINE.findall(out)),
        devices=devices_listed(out),
        asked=asked[1] if asked else None,
        cdi_kind=cdi_kind[1] if cdi_kind else None,
        has_uvm=_said(out, "uvm"),
        has_libcuda=_said(out, "libcuda"),
    )


def _said(out: str, what: str) -> bool | None:
    line = re.search(rf"^{what} (there|missing)$", out, re.MULTILINE)
    return None if line is None else line[1] == "there"
