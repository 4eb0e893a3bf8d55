# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How scheduling and admission fail in real clusters, after public reports and documentation, and what tells of it.

Healthy Nodes that a hurried check would call broken are in tests/evidence/scheduler/healthy/.
"""

from __future__ import annotations

from ._mode import Mode

MODES = (
    Mode("K-50", "No Node advertises the resource that the Pod asks for", ("SCH005", "DPL001")),
    Mode("K-51", "Other Pods hold all GPUs, also Pods that do nothing with them", ("SCH002", "SMK005")),
    Mode("K-52", "The Pod asks for more GPUs than any one Node has", ("SCH007",)),
    Mode("K-55", "The scheduler does not say any more which taint keeps the Pod away", ("SCH006",)),
    Mode("K-56", "What is tolerated is another value or effect than the taint's", ("SCH006",)),
    Mode("K-57", "A node selector, or a RuntimeClass's, does not fit the Node's labels", ("SCH034", "SCH017")),
    Mode("K-58", "The Node is cordoned", ("SCH001",)),
    Mode("K-60", "The Namespace's quota of GPUs is used up", ("SCH021",)),
    Mode("K-61", "A quota demands that Pods state CPU and memory", ("SCH022",)),
    Mode("K-62", "A LimitRange refuses the Pod, or gives it what it did not ask for", ("SCH024", "SCH025")),
    Mode("K-63", "A quota limits GPUs by a name that never matches", ("SCH023",)),
    Mode("K-64", "Pod security refuses the smoke Pod", ("SCH026",)),
    Mode("K-65", "A policy engine refuses the smoke Pod, or does not answer", ("SCH027", "SCH028", "SCH029")),
    Mode("K-66", "A webhook changes the smoke Pod", ("SCH015", "SCH034", "SCH036", "SCH037")),
    Mode("K-67", "The RuntimeClass is missing, or the runtime has not what it means", ("SCH015", "SCH016")),
    Mode("K-68", "The API finds the Pod's resources invalid", ("SCH031",)),
    Mode("K-70", "A queue holds the Pod back by a scheduling gate", ("SCH036",)),
    Mode("K-71", "Nobody schedules the Pod, or another scheduler holds it back", ("SMK002", "SCH037")),
    Mode(
        "K-72", "The Node is Ready before its GPUs are, or the autoscaler takes it away", ("DPL001", "SCH012", "SCH013")
    ),
    Mode("K-73", "The smoke Pod is pushed out, or would push out others", ("SCH019", "SMK020")),
    Mode("K-75", "A claim for a device can't be allocated", ("SCH038", "SCH005")),
    Mode("K-76", "The cloud adds tolerations to Pods, so that a taint goes unseen", ("SCH006",)),
    Mode("K-77", "The kubelet refuses a Pod that the scheduler had bound to it", ("DPL060", "SMK024")),
)
