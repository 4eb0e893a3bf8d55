# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How the toolkit and the runtime of real nodes fail, after public reports and documentation, and what tells of it.

Healthy nodes that a hurried check would call broken are in tests/unit/test_toolkit_probe.py.
"""

from __future__ import annotations

from ._mode import Mode

MODES = (
    Mode("H-60", "containerd knows no handler for GPUs", ("TKT002", "TKT011", "TKT014", "TKT015")),
    Mode("H-61", "CRI-O knows no handler for GPUs", ("TKT002", "TKT011")),
    Mode("H-63", "The cluster has no RuntimeClass of the name that Pods give", ("SMK001",)),
    Mode("H-64", "The handler is there, and neither the default nor named by the Pod", ("SMK007", "DPL001")),
    Mode("H-65", "The runtime was configured and not restarted", ("TKT011",)),
    Mode("H-66", "k3s or RKE2 wrote the runtime's file anew and dropped the changes", ("TKT002", "TKT014", "TKT034")),
    Mode("H-67", "The handler names the program of a toolkit that is gone", ("TKT008",)),
    Mode("H-68", "MicroK8s wrote the runtime's file anew from its template", ("TKT002", "TKT014", "TKT034")),
    Mode("H-71", "The toolkit's changes to containerd's file broke the Pod network", ("TKT037", "SMK003")),
    Mode("H-72", "The drop-in is not imported", ("TKT014",)),
    Mode("H-73", "Configuring the runtime ended with 0 and changed nothing", ("TKT029", "TKT002")),
    Mode("H-74", "The machine has two containerds, and the other one was configured", ("TKT014",)),
    Mode("H-75", "The toolkit is too old for containerd's file", ("TKT002",)),
    Mode("H-78", "The default runtime is not among the handlers any more", ("TKT029",)),
    Mode("H-79", "NVIDIA's runtime finds neither runc nor crun", ("TKT019",)),
    Mode("H-81", "The toolkit says that the driver is not loaded", ("DRV005",)),
    Mode("H-82", "The toolkit does not find the driver's library", ("TKT022", "DRV006")),
    Mode("H-83", "The image asks for a newer CUDA than the driver offers", ("TKT023", "SMK003")),
    Mode("H-84", "The toolkit can't change the device filter of a control group", ("TKT026",)),
    Mode("H-85", "no-cgroups is set on a node with root", ("TKT017", "TKT039")),
    Mode("H-86", "A daemon-reload takes the GPU out of running containers", ("TKT032",)),
    Mode("H-87", "The CPU manager takes the GPU away some seconds after the start", ("TKT033",)),
    Mode("H-88", "SELinux keeps containers from the GPU", ("TKT024",)),
    Mode("H-89", "A CDI device can't be resolved: no specification, or CDI is off", ("TKT012", "TKT016", "TKT013")),
    Mode("H-90", "The CDI specification is of another kind, or without UUIDs", ("TKT012", "TKT040")),
    Mode("H-91", "The CDI specification is of the driver before", ("TKT018", "TKT036")),
    Mode("H-92", "The CDI specification is too new for the runtime", ("TKT020",)),
    Mode("H-93", "Listing CDI devices ends with 0 when there are none", ("TKT012",)),
    Mode("H-94", "The toolkit looks for the driver below the wrong root", ("TKT022",)),
    Mode("H-95", "The CDI specification was written before unified memory was there", ("TKT028",)),
    Mode("H-96", "A Pod that asked for no GPU sees them all", ("TKT005", "TKT035", "SMK013", "SMK014")),
    Mode("H-97", "The toolkit does not listen to the variable that the plugin sets", ("SMK007", "SMK008")),
    Mode("H-98", "The container gets nvidia-smi and not CUDA's library", ("TKT038", "DRV046")),
    Mode("H-99", "The toolkit can't run the host's ldconfig", ("TKT025",)),
    Mode("H-101", "The old hook is called while the toolkit works by another mode", ("TKT027",)),
    Mode(
        "H-102",
        "docker run --gpus finds no driver for GPUs",
        out_of_sight="The kubelet names a runtime and never uses --gpus; that option proves nothing for Pods.",
    ),
    Mode("H-103", "The toolkit's parts are of different versions", ("TKT021",)),
    Mode("H-106", "A test program ends with 0 and used no GPU", ("TKT003", "SMK008", "SMK012")),
    Mode("H-107", "A retry hides that the first try failed", ("SMK007", "SMK011")),
    Mode("H-108", "The device plugin runs and has no devices", ("DPL007", "DPL008")),
    Mode("H-109", "GPUs are advertised, and the runtime can't hand them out", ("TKT002", "TKT003", "SMK007")),
    Mode("H-110", "Containers fail while the driver is being rolled out", ("TKT008", "DRV005")),
    Mode("H-111", "Two ways of injecting meet in one container", ("TKT027", "TKT008")),
    Mode("H-112", "Nothing wrote the CDI specification anew", ("TKT012", "TKT013", "TKT018", "TKT036")),
)
