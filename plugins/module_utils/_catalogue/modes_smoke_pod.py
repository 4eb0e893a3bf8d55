# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How smoke Pods fail, or pass without a proof, after public reports and documentation, and what tells of it.

Where the trap is a healthy node that a hurried check would call broken, the codes are those of the fault beside it.
"""

from __future__ import annotations

from ._mode import Mode

MODES = (
    Mode("K-80", "The node's runtime has no handler of the RuntimeClass's name", ("SMK023", "SCH016")),
    Mode("K-81", "A GPU was allocated, and nvidia-smi is not in the container", ("TKT003", "TKT008", "SMK007")),
    Mode(
        "K-82", "The toolkit's hook fails, for its own sake or the driver's", ("TKT008", "DRV003", "DRV004", "DRV005")
    ),
    Mode("K-83", "The CDI device that the plugin asks for is in no specification", ("TKT008",)),
    Mode("K-84", "User namespaces keep the hook from reading the container's bundle", ("SMK003", "TKT008")),
    Mode(
        "K-85", "CUDA calls the driver too old where there is no driver library at all", ("TKT003", "SMK031", "SMK033")
    ),
    Mode("K-87", "The image has no code for this generation of GPUs", ("SMK031",)),
    Mode("K-90", "nvidia-smi works and CUDA does not: no unified memory in the Pod", ("SMK033", "SMK030")),
    Mode("K-91", "nvidia-smi ends with 0 and prints errors in its cells", ("SMK012",)),
    Mode("K-92", "The Pod succeeded and no GPU was ever touched", ("SMK008", "SMK010", "SMK031")),
    Mode("K-94", "A child was killed for its memory, and the exit code is 0", ("SMK021",)),
    Mode("K-95", "It was killed, and whether for its memory is told late or never", ("SMK011", "SMK021")),
    Mode("K-96", "The lines of the log are not in their order", ("SMK012", "SMK030")),
    Mode("K-97", "Banners and notices stand in the log", ("SMK010",)),
    Mode("K-98", "The log is empty, or an error stands in its place", ("SMK010",)),
    Mode("K-99", "The API server can't reach the kubelet for the log", ("SMK010",)),
    Mode("K-100", "The image's tag is gone from the registry", ("SMK006",)),
    Mode("K-101", "The registry refuses: rate limit, credentials, proxy", ("SMK006",)),
    Mode("K-102", "The image is not on the node and may not be pulled, or its name is invalid", ("SMK006",)),
    Mode("K-103", "A large image is still being pulled", ("SMK006",)),
    Mode("K-104", "The image is for another architecture", ("SMK028", "SMK031")),
    Mode("K-105", "The Pod's settings do not fit the image, or a Secret is missing", ("SMK039",)),
    Mode("K-106", "The Pod ran into its deadline", ("SMK011",)),
    Mode("K-107", "The node evicted the Pod for its own need", ("SMK019",)),
    Mode("K-108", "The node was lost while it had the Pod", ("SMK022",)),
    Mode("K-110", "Restarts hide that the first try failed", ("SMK011", "SMK037")),
    Mode("K-111", "The Pod sees more GPUs than it asked for", ("SMK008", "SMK017", "SMK034")),
    Mode("K-112", "A Pod that asks for no GPU sees them all", ("SMK013", "SMK014", "SMK038")),
    Mode("K-113", "The GPU leaves a running container some time after the smoke Pod passed", ("TKT032", "TKT033")),
    Mode("K-114", "The driver's files are where only the cloud's own images look", ("SMK007", "SMK033")),
    Mode("K-116", "The image asks the toolkit for some of the driver's capabilities only", ("SMK033", "SMK007")),
    Mode("K-117", "Devices have several kinds of names: UUIDs, MIG devices, shares, numbers", ("SMK017", "SMK009")),
    Mode("K-118", "The virtual GPU has no licence yet", ("DRV041",)),
    Mode("K-119", "A sidecar that was put in keeps the Pod running", ("SMK011",)),
    Mode("K-122", "A wrapper hides the exit code", ("SMK012", "SMK030")),
    Mode("K-124", "The Pod was on another Node, or is an old one of the same name", ("SMK016", "SMK010")),
)
