# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every GPU of the bus is in the kernel, has its device node, and is listed by nvidia-smi."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .._catalogue import found
from .._chain import Finding
from .._evidence.driver import DriverFacts
from .._evidence.driver_kernel import same_address
from .driver_log import why_not_started

_LIST = "driver.nvidia_smi_list"
_NODES = "driver.device_nodes_after"
_UVM = "nvidia-uvm"


def every_gpu(facts: DriverFacts, expected_gpus: int | None) -> Iterator[Finding]:
    """As many GPUs in NVML as on the bus (DRV007), or the reason why not, where one is known."""
    if facts.pci_gpus is None or facts.gpus is None:
        return
    excluded = {gpu.address for gpu in facts.kernel_gpus or () if gpu.excluded}
    if excluded:
        yield found("DRV039", "driver.gpus_in_kernel", gpus=", ".join(sorted(excluded)))
    wanted = [gpu for gpu in facts.pci_gpus if gpu.address not in excluded]
    if len(facts.gpus) >= len(wanted) or len(facts.gpus) == expected_gpus:
        return
    reasons = [*_nodes_missing(facts)] or [*why_not_started(facts)]
    if reasons:
        yield from reasons
        return
    unknown = _not_in_nvml(facts, [gpu.address for gpu in wanted])
    yield found(
        "DRV007",
        "driver.pci_devices",
        _LIST,
        on_bus=len(wanted),
        in_nvml=len(facts.gpus),
        which=f" (not {', '.join(unknown)})" if unknown else "",
    )


def device_nodes(facts: DriverFacts) -> Iterator[Finding]:
    """Each GPU has its device node (DRV011), there is one for unified memory (DRV012), and everybody may open them.

    On a node that has just booted the first program that uses CUDA loads nvidia_uvm (DRV047).
    """
    if facts.nodes is None or facts.module_version is None:
        return
    if facts.gpus:
        yield from _nodes_missing(facts)
    node, major = facts.nodes.get(_UVM), facts.majors.get(_UVM)
    if node is None and not facts.is_root and "nvidiactl" not in facts.nodes:
        return  # what this user sees of /dev is not the whole
    if node is None and facts.modules is not None and "nvidia_uvm" not in facts.modules:
        yield found("DRV047", _NODES, "driver.loaded_modules")
    elif node is None:
        yield found("DRV012", _NODES, defect=f"/dev/{_UVM} is not there")
    elif major is not None and node.major != major:
        defect = f"/dev/{_UVM} has the number {node.major}, the loaded module has {major}"
        yield found("DRV012", _NODES, "driver.device_majors", defect=defect)
    closed = [n.path for n in facts.nodes.values() if _is_for_containers(n.path) and n.mode[6:8] != "rw"]
    if closed:
        yield found("DRV025", _NODES, nodes=", ".join(sorted(closed)))


def control_node_is_missing(facts: DriverFacts) -> bool:
    """Say whether /dev/nvidiactl is not there although the module is loaded."""
    return facts.nodes is not None and facts.module_version is not None and "nvidiactl" not in facts.nodes


def _nodes_missing(facts: DriverFacts) -> Iterator[Finding]:
    """As an ordinary user nvidia-smi may not make the nodes, so that only root's absence of a node is one."""
    if facts.nodes is None or not facts.is_root:
        return
    minors = {gpu.minor: gpu.address for gpu in facts.kernel_gpus or () if gpu.minor is not None and not gpu.excluded}
    missing = [f"/dev/nvidia{minor} of {address}" for minor, address in sorted(minors.items()) if minor is not None]
    missing = [words for words in missing if words.split()[0].removeprefix("/dev/") not in facts.nodes]
    if missing:
        yield found("DRV011", _NODES, "driver.gpus_in_kernel", nodes=", ".join(missing))


def _not_in_nvml(facts: DriverFacts, addresses: Sequence[str]) -> list[str]:
    """The GPUs of the bus that no line of the query names, if the query names any."""
    named = {same_address(address) for address in facts.everywhere("pci.bus_id").values()}
    return [address for address in addresses if address not in named] if named else []


def _is_for_containers(path: str) -> bool:
    name = path.rsplit("/", 1)[-1]
    return name in ("nvidiactl", _UVM) or name.removeprefix("nvidia").isdecimal()
