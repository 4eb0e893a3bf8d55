# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoint 2, when the experiment fails: why the container did not start, or can't use what it got."""

from __future__ import annotations

import re

from .._catalogue import found
from .._chain import Finding
from .._evidence.toolkit import ContainerRun, ToolkitFacts
from .._evidence.toolkit_cdi import CdiSpec

_GPU = "toolkit.gpu_container"

NVML_SAYS = (
    ("DRV003", r"(?i)(nvml error|initialize nvml): driver/library version mismatch"),
    ("DRV004", r"(?i)(nvml error|initialize nvml): gpu is lost"),
    ("DRV005", r"(?i)(nvml error|initialize nvml): driver not loaded"),
)
"""What nvidia-container-cli and nvidia-container-runtime pass on of NVML's errors: the driver's fault."""

# What runc, nvidia-container-cli and nvidia-container-runtime say when the cause is certain.
_CAUSES = (
    ("TKT023", r"requirement error|unsatisfied condition"),
    *NVML_SAYS,
    ("TKT022", r"load library failed: libnvidia-ml|failed to locate driver libraries"),
    ("TKT019", r"no runtime binary found from candidate list"),
    ("TKT025", r"ldcache error"),
    ("TKT026", r"failed to add device rules|bpf_prog_query|cgroup subsystem devices not found"),
    ("TKT027", r"Container Runtime Hook directly|not supported when requesting other CDI devices"),
    ("TKT031", r'exec: "?/bin/sh"?: |exec /bin/sh: |"/bin/sh".*(no such file|not found)'),
)
_CDI_DEVICE_MISSING = re.compile(r"failed to stat CDI host device|unresolvable CDI devices")

# Exit codes of nvidia-smi are NVML's return values (nvml.h, nvmlReturn_t); 255 stands for those that don't fit.
_NO_PERMISSION = 4
_UNKNOWN_ERROR = 255


def why_not_started(facts: ToolkitFacts, run: ContainerRun, asked: str, image: str) -> Finding:
    """Name the cause where the words are certain; else say what the runtime said (TKT008)."""
    values: dict[str, object] = {"says": run.output, "image": image, "root": facts.config.root if facts.config else "/"}
    values |= {"exit_code": run.record["exit_code"], "module": "another", "library": f"not that ({run.output})"}
    for code, words in _CAUSES:
        if re.search(words, run.text):
            return found(code, _GPU, **values)
    if _CDI_DEVICE_MISSING.search(run.text):
        return _unresolvable(facts, run, asked)
    spec = _names_a_missing_file(facts, run)
    if spec:
        return found("TKT018", _GPU, "toolkit.cdi_contents", path=spec.path, files=_few(spec.missing))
    return found("TKT008", _GPU, asked=asked, says=run.output)


def _unresolvable(facts: ToolkitFacts, run: ContainerRun, asked: str) -> Finding:
    kind = run.cdi_kind or (facts.config.default_kind if facts.config else "nvidia.com/gpu")
    specs = [spec for spec in facts.specs or () if spec.kind == kind]
    if facts.specs is not None and not specs:
        return found("TKT012", _GPU, "toolkit.cdi_specs", kind=kind)
    path = specs[0].path if specs else "/var/run/cdi/nvidia.yaml"
    missing = [node for spec in specs for node in spec.missing_nodes]
    what = f"the host has no {_few(missing)}" if missing else f"{asked} can't be found in it ({run.output})"
    return found("TKT013", _GPU, "toolkit.cdi_contents", what=what, path=path)


def _names_a_missing_file(facts: ToolkitFacts, run: ContainerRun) -> CdiSpec | None:
    """The runtime complains of a file that a specification names and the host lacks."""
    for spec in facts.specs or ():
        if any(file in run.text for file in spec.missing if not file.startswith("/dev/")):
            return spec
    return None


def _few(files: tuple[str, ...] | list[str]) -> str:
    return ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")


def why_not_usable(facts: ToolkitFacts, run: ContainerRun) -> Finding | None:
    """The device node is in the container, and nvidia-smi may not open it."""
    code = run.record["exit_code"]
    if run.gpus or not run.devices:
        return None
    values = {"devices": ", ".join(run.devices), "says": run.output}
    if code == _UNKNOWN_ERROR and facts.config and facts.config.no_cgroups:
        return found("TKT017", _GPU, "toolkit.toolkit_config", **values)
    if code == _NO_PERMISSION and facts.host and facts.host.enforcing:
        return found("TKT024", _GPU, "toolkit.host", **values)
    return None
