# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoint 2, before the experiment: has the running daemon a way to hand out GPUs?"""

from __future__ import annotations

from collections.abc import Iterator

from .._catalogue import found
from .._chain import Finding
from .._evidence.host import HostLook
from .._evidence.toolkit import ToolkitFacts
from .._evidence.toolkit_runtime import RuntimeFacts

_HANDLERS = "toolkit.loaded_handlers"
_GKE = "/home/kubernetes/bin/nvidia"

# CDI specifications from this version on are read by these versions of the runtimes only.
_NEWER_CDI = (0, 7)
_READS_NEWER_CDI = {"containerd": (1, 7, 16), "crio": (1, 30), "docker": (26, 1)}


def runtime_answers(look: HostLook, facts: ToolkitFacts) -> Iterator[Finding]:
    """The daemon tells which handlers it has loaded."""
    runtime = facts.runtime
    if look.error is not None or runtime.handlers is not None:
        return
    reason = _without_cri(runtime)
    if _kubelet_waits_for_it(runtime):
        yield found("TKT042", "toolkit.kubelet", "toolkit.runtime", socket=runtime.socket, service=runtime.service)
    elif reason:
        values = {"reason": reason, "config": runtime.config_file, "service": runtime.service}
        yield found("TKT029", _HANDLERS, "toolkit.config_on_disk", **values)
    else:
        yield found("TKT006", _HANDLERS, "toolkit.runtime", reason=_why_no_answer(look, runtime))


def _kubelet_waits_for_it(runtime: RuntimeFacts) -> bool:
    named = {"process", "container-runtime-endpoint"} <= set(runtime.kubelet)
    return named and runtime.socket_there is False and runtime.user == "0"


def _without_cri(runtime: RuntimeFacts) -> str | None:
    """containerd runs, and its own configuration says why its CRI plugin does not."""
    disk = runtime.on_disk
    if disk is None:
        return None
    disabled = [plugin for plugin in disk.disabled if plugin == "cri" or plugin.startswith("io.containerd.grpc.v1.cri")]
    if disabled:
        return f"disabled_plugins names {disabled[0]}"
    if disk.default and disk.handlers and disk.default not in disk.handlers:
        return f"the default runtime {disk.default} is not among its handlers ({', '.join(disk.handlers)})"
    return None


def _why_no_answer(look: HostLook, runtime: RuntimeFacts) -> str:
    if runtime.kind == "none":
        return "no kubelet runs that names one, and none of the usual sockets is there"
    if runtime.missing_tools:
        return f"{', '.join(runtime.missing_tools)} is not on the node"
    if runtime.socket_there is False:
        return f"{runtime.socket} is not there"
    record = look.records.get("loaded_handlers")
    lines = (record["stderr"] + record["stdout"]).strip().splitlines() if record else []
    reason = lines[0] if lines else "it was not asked"
    return reason if runtime.user in (None, "0") else f"{reason} (asked as user {runtime.user}, without root)"


def hands_out_gpus(facts: ToolkitFacts, wanted: str) -> Iterator[Finding]:
    """The running daemon has a handler or CDI for it. Only the first thing in the way is told."""
    runtime = facts.runtime
    if runtime.handlers is None:
        return
    if runtime.handler_in_use(wanted):
        yield from _mode_cdi_has_a_specification(facts)
        return
    yield from _first(
        _not_loaded(facts, wanted),
        _behind_another_name(runtime, wanted),
        _without_any_way(facts, wanted),
        _cdi_off(runtime, wanted),
        _specification_too_new(facts),
    )


def _first(*rules: Iterator[Finding]) -> Iterator[Finding]:
    for rule in rules:
        findings = list(rule)
        if findings:
            yield from findings
            return


def _loaded(runtime: RuntimeFacts) -> str:
    return ", ".join(runtime.handlers or ()) or "none"


def _not_loaded(facts: ToolkitFacts, wanted: str) -> Iterator[Finding]:
    """Somebody configured the handler for this daemon; that CDI works is no excuse, since a RuntimeClass will name it.

    A file of another containerd on the machine only explains why there is no way at all.
    """
    runtime = facts.runtime
    files = runtime.defining_files()
    near = [file for file in files if runtime.is_near(file)]
    disk = runtime.on_disk
    values = {
        "wanted": wanted,
        "runtime": runtime.name,
        "handlers": _loaded(runtime),
        "config": runtime.config_file or "another file",
        "service": runtime.service,
        "where": ", ".join(near or files) or runtime.config_file,
    }
    pointers = (_HANDLERS, "toolkit.config_on_disk", "toolkit.handler_files")
    if (disk and wanted in disk.handlers) or (near and disk is None):
        yield found("TKT011", *pointers, **values)
    elif near or (files and facts.cdi_specs == ()):
        yield found("TKT014", *pointers, **values)


def _behind_another_name(runtime: RuntimeFacts, wanted: str) -> Iterator[Finding]:
    if runtime.nvidia_handlers():
        yield found("TKT015", _HANDLERS, wanted=wanted, others=", ".join(runtime.nvidia_handlers()))


def _without_any_way(facts: ToolkitFacts, wanted: str) -> Iterator[Finding]:
    runtime, host = facts.runtime, facts.host
    if host and _GKE in host.files:
        yield found("TKT030", _HANDLERS, "toolkit.host", wanted=wanted, folder=_GKE)
    elif facts.cdi_specs == () and not (host and host.hooks):
        yield found(
            "TKT002",
            _HANDLERS,
            "toolkit.cdi_specs",
            handlers=_loaded(runtime),
            wanted=wanted,
            runtime=runtime.name,
            command=runtime.kind or "containerd",
            service=runtime.service,
        )


def _cdi_off(runtime: RuntimeFacts, wanted: str) -> Iterator[Finding]:
    if "false" in runtime.settings.get("enable_cdi", ()):
        values = {"runtime": runtime.name, "wanted": wanted, "service": runtime.service}
        yield found("TKT016", "toolkit.loaded_settings", "toolkit.cdi_specs", **values)


def _specification_too_new(facts: ToolkitFacts) -> Iterator[Finding]:
    """Without a handler the runtime itself has to read the specification."""
    runtime = facts.runtime
    needed = _READS_NEWER_CDI.get(runtime.kind or "")
    specs = [s for s in facts.specs or () if s.kind == "nvidia.com/gpu"]
    if not needed or runtime.version is None or runtime.version >= needed or not specs:
        return
    if all(_numbers(spec.version) >= _NEWER_CDI for spec in specs):
        yield found(
            "TKT020",
            "toolkit.cdi_contents",
            "toolkit.runtime_version",
            path=specs[0].path,
            version=specs[0].version,
            runtime=runtime.name,
            runtime_version=".".join(map(str, runtime.version)),
            needed=".".join(map(str, needed)),
        )


def _numbers(version: str | None) -> tuple[int, ...]:
    parts = (version or "").split(".")
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else ()


def _mode_cdi_has_a_specification(facts: ToolkitFacts) -> Iterator[Finding]:
    """A container that got its GPU all the same had it from a folder that was not looked into."""
    run = facts.gpu_container
    if facts.config is None or facts.config.mode != "cdi" or (run and run.begun):
        return
    kind = facts.config.default_kind
    if facts.cdi_specs == () or (facts.specs and kind not in [spec.kind for spec in facts.specs]):
        yield found("TKT012", "toolkit.toolkit_config", "toolkit.cdi_specs", kind=kind)
