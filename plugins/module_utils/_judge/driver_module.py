# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The kernel module: is it loaded, is it the one that serves the GPUs, and does the library fit it?"""

from __future__ import annotations

from collections.abc import Iterator

from .._catalogue import found
from .._chain import Finding
from .._evidence.driver import DriverFacts
from .._evidence.host import HostLook
from .driver_log import module_was_rejected, why_not_started

_MODULE = "driver.module_version"
_BUS = "driver.pci_devices"


def gpu_on_the_bus(look: HostLook, facts: DriverFacts) -> Iterator[Finding]:
    """There is a GPU for a driver to serve (DRV002)."""
    all_was_asked = look.error is None or "platform" in look.records  # a chip's own GPU is on no bus
    if facts.pci_gpus == () and not facts.gpus and all_was_asked:
        yield found("DRV002", _BUS, "driver.nvidia_smi_list")


def no_other_driver(look: HostLook, facts: DriverFacts, expected_gpus: int | None) -> Iterator[Finding]:
    """No GPU is held by another kernel driver (DRV015).

    GPUs that were set aside are no fault: the user counts the others, and these are there. Where NVIDIA's driver was
    never installed, another one is what is to be expected, and not the fault.
    """
    held = [gpu for gpu in facts.pci_gpus or () if gpu.driver not in ("nvidia", "none")]
    set_aside = expected_gpus is not None and facts.gpus is not None and len(facts.gpus) == expected_gpus
    if held and not set_aside and _is_installed(look, facts):
        said = "; ".join(f"{gpu.address} is bound to {gpu.driver}" for gpu in held)
        yield found("DRV015", _BUS, held=said, drivers=", ".join(dict.fromkeys(gpu.driver for gpu in held)))


def module_is_loaded(look: HostLook, facts: DriverFacts) -> Iterator[Finding]:
    """The module is loaded (DRV005), or the reason why it is not, where one is known."""
    listing = look.records.get("nvidia_smi_list")
    if not facts.module_missing or facts.pci_gpus == ():
        return
    if listing is None or listing["exit_code"] == 0:
        return  # nvidia-smi, run by root, may load it
    rejected = module_was_rejected(facts) or _would_be_rejected(look, facts)
    reasons = list(why_not_started(facts))
    others = _built_for_other_kernels(look, facts)
    if rejected:
        yield found("DRV018", "driver.kernel_log", "driver.module_signing", says=rejected)
    elif reasons:
        yield from reasons
    elif others:
        yield found("DRV017", "driver.module_builds", kernel=facts.kernel_release, others=", ".join(others))
    else:
        yield found("DRV005", _MODULE, "driver.nvidia_smi_list", says=_how_much_is_there(look, facts))


def versions_fit(_look: HostLook, facts: DriverFacts) -> Iterator[Finding]:
    """The kernel module and the NVML library come from one driver version (DRV003)."""
    module, libraries = facts.module_version, facts.library_versions
    if module and libraries and module not in libraries:
        library = ", ".join(libraries)
        yield found("DRV003", _MODULE, "driver.nvml_libraries", module=module, library=library)


def one_installation(facts: DriverFacts) -> Iterator[Finding]:
    """No second driver lies about (DRV036), and the module on disk is the one that is loaded (DRV037)."""
    module = facts.module_version
    if module is None or module not in facts.library_versions:
        return
    others = [v for v in (*facts.library_versions, *facts.versions_beside) if v != module]
    if others:
        yield found("DRV036", "driver.nvml_libraries", module=module, others=", ".join(others))
    on_disk = facts.on_disk.version if facts.on_disk else None
    if on_disk and on_disk != module:
        yield found("DRV037", _MODULE, "driver.module_on_disk", module=module, on_disk=on_disk)


def _is_installed(look: HostLook, facts: DriverFacts) -> bool:
    listing = look.records.get("nvidia_smi_list")
    there = listing is not None and listing["exit_code"] != 127
    return there or bool(facts.library_versions) or facts.on_disk is not None


def _would_be_rejected(look: HostLook, facts: DriverFacts) -> str | None:
    """The kernel only takes signed modules, and the one on disk is not signed."""
    if facts.on_disk is None or facts.on_disk.signed:
        return None
    for line in (look.stdout_of("module_signing") or "").splitlines():
        name, _space, value = line.partition(" ")
        if (name, value) in (("secure_boot", "1"), ("sig_enforce", "Y")) or "[integrity]" in value:
            return f"the module on disk is not signed, and the kernel wants a signature ({line})"
    return None


def _built_for_other_kernels(look: HostLook, facts: DriverFacts) -> list[str]:
    """The kernels that a module was built for, if the running one is not among them."""
    builds = [path.split("/")[3] for path in (look.stdout_of("module_builds") or "").split() if path.count("/") > 3]
    return [] if facts.on_disk or facts.kernel_release in builds else builds


def _how_much_is_there(look: HostLook, facts: DriverFacts) -> str:
    listing = look.records.get("nvidia_smi_list")
    if not _is_installed(look, facts):
        held = [gpu.driver for gpu in facts.pci_gpus or () if gpu.driver != "none"]
        return "nor is nvidia-smi there" + (f"; the GPU is bound to {held[0]}" if held else "")
    if facts.on_disk:
        return f"version {facts.on_disk.version} lies on disk for this kernel"
    return f"nvidia-smi ended with exit code {listing['exit_code']}" if listing else "nvidia-smi was not asked"
