# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How the driver of real nodes fails, after public reports and documentation, and which findings tell of it.

Healthy machines that a hurried check would call broken are among them; tests/unit/test_driver_kinds.py has those.
"""

from __future__ import annotations

from ._mode import Mode

MODES = (
    Mode("H-01", "Nothing of the driver is installed", ("DRV005", "DRV006")),
    Mode("H-05", "Secure Boot or lockdown refuses the module", ("DRV018",)),
    Mode("H-06", "nouveau or another kernel driver holds the GPU", ("DRV015",)),
    Mode("H-08", "The machine has no NVIDIA device on its bus", ("DRV002", "DRV043")),
    Mode("H-09", "The library was upgraded and the old module is still loaded", ("DRV003",)),
    Mode("H-10", "Running containers go on after an upgrade, and only new ones fail", ("DRV003",)),
    Mode("H-11", "Module and library differ after the first boot of an image, and no more after the next", ("DRV003",)),
    Mode("H-12", "An image brings its own driver files, which do not fit", ("SMK007", "SMK012")),
    Mode("H-13", "Two ways of installing the driver were mixed", ("DRV003", "DRV036", "DRV037")),
    Mode("H-14", "nvidia-smi does not find its library", ("DRV006",)),
    Mode("H-15", "The proprietary module is loaded for a GPU that needs the open one", ("DRV019",)),
    Mode("H-16", "The open module is loaded for a GPU that is too old for it", ("DRV019",)),
    Mode("H-17", "The branch of the driver does not know the GPU, or no longer", ("DRV020",)),
    Mode("H-18", "The GPU's firmware does not start", ("DRV021",)),
    Mode("H-19", "BIOS or hypervisor gave the GPU no address range", ("DRV021",)),
    Mode("H-20", "A version of the driver fails on one kind of machine", ("DRV007", "DRV021")),
    Mode("H-22", "A GPU was dead at boot, and no Xid was written", ("DRV004", "DRV007")),
    Mode("H-23", "Some GPUs are gone, and nvidia-smi is content with the others", ("DRV007", "DRV011", "DRV043")),
    Mode("H-24", "Error words in single cells, with exit code 0", ("DRV004",)),
    Mode("H-25", "nvidia-smi never ends", ("DRV008",)),
    Mode("H-26", "Memory errors or a due reset on a GPU that is advertised", ("DRV013", "DRV030", "DRV031")),
    Mode("H-27", "A GPU has no spare memory rows left", ("DRV029",)),
    Mode("H-29", "The fabric manager does not run on a machine with NVSwitches", ("DRV022",)),
    Mode("H-30", "The fabric manager is of another version than the driver", ("DRV023",)),
    Mode("H-31", "A slice of a larger machine waits for its fabric", ("DRV024",)),
    Mode("H-32", "Unified memory finds no address range, and CUDA does not start", ("DRV035",)),
    Mode("H-33", "The device node of unified memory is missing or stale", ("DRV012", "DRV047")),
    Mode("H-35", "Only root may open the device nodes", ("DRV025", "DRV009")),
    Mode("H-36", "Nothing keeps the driver loaded, and each start takes long", ("DRV033", "DRV008")),
    Mode("H-37", "A change of the MIG mode waits for a reset", ("DRV028",)),
    Mode("H-38", "MIG is on and there are no instances", ("DRV014",)),
    Mode("H-39", "MIG instances were lost at a reset or reboot", ("DRV014",)),
    Mode("H-40", "The compute mode forbids CUDA, or shares it with nobody", ("DRV026", "DRV027")),
    Mode("H-42", "A confidential machine's GPUs were not declared ready", ("DRV042",)),
    Mode("H-43", "WSL, which has no NVIDIA module and no device nodes, and is healthy", ("DRV006", "DRV009")),
    Mode("H-44", "One memory for processor and GPU, so that the GPU has no number for it", ("DPL001",)),
    Mode("H-45", "Tegra, whose GPU is on no bus and may have no nvidia-smi", ("DRV005",)),
    Mode("H-46", "The GPU memory of a Grace machine is not in the mode that the kernel needs", ("DRV007", "DRV021")),
    Mode("H-47", "The kernel log can not be read, and is taken for one without errors", ("DRV038",)),
    Mode("H-48", "The Xid of an application is taken for a defect", ("DRV034",)),
    Mode(
        "H-49",
        "An image needs a newer CUDA than the driver serves",
        out_of_sight="It depends on the image of each workload; the smoke Pod's nvidia-smi starts no CUDA program.",
    ),
    Mode("H-51", "A GPU is excluded on purpose", ("DRV039",)),
)
