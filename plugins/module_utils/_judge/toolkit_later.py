# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoint 2, warnings: what works now and will not always. They never change a status."""

from __future__ import annotations

from collections.abc import Iterator

from .._catalogue import found
from .._chain import Finding
from .._evidence.toolkit import ToolkitFacts
from .._evidence.toolkit_cdi import CdiSpec

_CONFIG = "toolkit.toolkit_config"
_JIT_CDI_SINCE = (1, 18, 0)


def works_now_and_will_not_always(facts: ToolkitFacts, wanted: str) -> Iterator[Finding]:
    """Everything that is worth a warning. Without evidence there is none."""
    handler = facts.runtime.handler_in_use(wanted)
    if handler:
        yield from _reload_takes_the_gpu(facts, handler)
        yield from _cpu_manager_takes_the_gpu(facts)
        yield from _restart_loses_the_handler(facts, handler)
        yield from _images_help_themselves(facts, handler)
        yield from _as_without_root(facts)
    yield from _specifications_fit(facts)
    yield from _cni_programs(facts)
    yield from _cuda_library(facts)
    yield from _one_version(facts)


def _is_legacy(facts: ToolkitFacts) -> bool:
    """In mode legacy a hook adds the device behind the runtime's back. Before 1.18 mode auto meant that."""
    if facts.config is None:
        return False
    if facts.config.mode != "auto":
        return facts.config.mode == "legacy"
    version = facts.versions.get("nvidia-container-runtime") or facts.versions.get("nvidia-ctk")
    return version is not None and tuple(map(int, version.split("."))) < _JIT_CDI_SINCE


def _reload_takes_the_gpu(facts: ToolkitFacts, handler: str) -> Iterator[Finding]:
    host, settings = facts.host, facts.runtime.settings
    systemd = f"{handler} true" in settings.get("systemd_cgroup", ()) or settings.get("cgroup_driver") == ("systemd",)
    if _is_legacy(facts) and systemd and host and host.gpu_nodes and not host.char_links:
        yield found("TKT032", _CONFIG, "toolkit.loaded_settings", "toolkit.host", handler=handler)


def _cpu_manager_takes_the_gpu(facts: ToolkitFacts) -> Iterator[Finding]:
    if _is_legacy(facts) and facts.runtime.kubelet.get("cpu-manager-policy") == "static":
        yield found("TKT033", "toolkit.kubelet", _CONFIG)


def _restart_loses_the_handler(facts: ToolkitFacts, handler: str) -> Iterator[Finding]:
    runtime = facts.runtime
    pointers = ("toolkit.config_on_disk", "toolkit.handler_files")
    if runtime.on_disk and runtime.on_disk.handlers and handler not in runtime.on_disk.handlers:
        yield found("TKT034", *pointers, handler=handler, where=runtime.config_file)
        return
    template = _template(facts)
    drop_ins = [file for file, word in runtime.files.items() if word == "defines" and ".toml.d/" in file]
    if template and runtime.files[template] == "other" and not drop_ins:
        yield found("TKT034", *pointers, handler=handler, where=template)


def _template(facts: ToolkitFacts) -> str | None:
    """What the distribution will make the runtime's file of; k3s and RKE2 prefer the one for containerd 2."""
    runtime = facts.runtime
    if runtime.distribution not in ("k3s", "rke2", "microk8s"):
        return None
    new = runtime.version is not None and runtime.version >= (2,)
    names = ("config-v3.toml.tmpl", "config.toml.tmpl") if new else ("config.toml.tmpl",)
    for name in (*names, "containerd-template.toml"):
        for file in runtime.files:
            if file.endswith("/" + name) and (f"/{runtime.distribution}/" in file):
                return file
    return None


def _images_help_themselves(facts: ToolkitFacts, handler: str) -> Iterator[Finding]:
    is_default = handler == facts.runtime.default and handler in facts.runtime.nvidia_handlers()
    if is_default and facts.config and facts.config.by_variable:
        yield found("TKT035", "toolkit.loaded_settings", _CONFIG, handler=handler)


def _as_without_root(facts: ToolkitFacts) -> Iterator[Finding]:
    if facts.config and facts.config.no_cgroups:
        yield found("TKT039", _CONFIG)


def _specifications_fit(facts: ToolkitFacts) -> Iterator[Finding]:
    for spec in facts.specs or ():
        wrong = _what_is_wrong(spec, facts)
        if wrong:
            yield found("TKT036", "toolkit.cdi_contents", path=spec.path, what=wrong)
        elif spec.kind == "nvidia.com/gpu" and _asks_by_cdi(facts) and facts.gpus and not _knows_uuids(spec):
            yield found("TKT040", "toolkit.cdi_contents", path=spec.path)


def _what_is_wrong(spec: CdiSpec, facts: ToolkitFacts) -> str | None:
    if spec.missing:
        return f"{spec.missing[0]} is not there"
    known = {gpu.uuid for gpu in facts.gpus or ()}
    gone = [name for name in spec.devices if name.startswith("GPU-") and name not in known]
    return f"{gone[0]} is not among the host's GPUs" if known and gone else None


def _asks_by_cdi(facts: ToolkitFacts) -> bool:
    run = facts.gpu_container
    return bool(run and run.cdi_kind) or (facts.config is not None and facts.config.mode == "cdi")


def _knows_uuids(spec: CdiSpec) -> bool:
    return any(name.startswith(("GPU-", "MIG-")) for name in spec.devices) or spec.devices == ("all",)


def _cni_programs(facts: ToolkitFacts) -> Iterator[Finding]:
    cni = facts.cni
    missing = [name for name in cni.named if name not in cni.programs] if cni else []
    if cni and missing:
        yield found("TKT037", "toolkit.cni", config=cni.config, missing=", ".join(missing))


def _cuda_library(facts: ToolkitFacts) -> Iterator[Finding]:
    run = facts.gpu_container
    if run and run.gpus and run.has_libcuda is False:
        yield found("TKT038", "toolkit.gpu_container")


def _one_version(facts: ToolkitFacts) -> Iterator[Finding]:
    if len(set(facts.versions.values())) > 1:
        said = ", ".join(f"{part} {version}" for part, version in facts.versions.items())
        yield found("TKT021", "toolkit.toolkit_version", "toolkit.wrapper_version", versions=said)
