# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How device plugins, the kubelet's devices and DRA fail on real nodes, after public reports, and what tells of it.

Healthy nodes that a hurried check would call broken are in tests/evidence/device_plugin/healthy/.
"""

from __future__ import annotations

from ._mode import Mode

MODES = (
    Mode("K-02", "The plugin's Pod runs, found no devices, and waits for ever", ("DPL007",)),
    Mode("K-03", "The plugin says the same in other words with each release", ("DPL008", "DPL009", "DPL018")),
    Mode("K-04", "Driver and library don't fit, and the plugin notices first", ("DRV003", "DPL009", "DPL010")),
    Mode("K-05", "The plugin has the driver's library and no device nodes", ("TKT012", "TKT013", "DPL007")),
    Mode("K-06", "The plugin's DaemonSet wants no Pod: the label is missing or written otherwise", ("DPL012",)),
    Mode("K-08", "The GPU Operator is ready because it knows of no GPU Node", ("DPL041",)),
    Mode("K-10", "The plugin is paused on this Node by a label, and the DaemonSet looks complete", ("DPL014",)),
    Mode("K-11", "A quota for priority classes refuses the plugin's Pods", ("DPL015",)),
    Mode("K-12", "Pod Security or another policy refuses the plugin's Pods", ("DPL015",)),
    Mode("K-14", "The operator brings a second driver, or does not see the host's", ("DPL016", "DPL042", "DRV036")),
    Mode(
        "K-15",
        "The operator's validators succeed, which proves nothing for Pods",
        out_of_sight="What a validator says is never read as a proof: a Pod of our own goes the whole way.",
    ),
    Mode("K-16", "The plugin calls a socket on which no kubelet listens", ("DPL017",)),
    Mode("K-17", "SELinux or missing rights close the socket to the plugin", ("DPL019",)),
    Mode("K-18", "The kubelet restarted and the plugin did not register again", ("DPL018",)),
    Mode("K-19", "Capacity is there and nothing can be allocated", ("DPL003", "DPL025", "DPL027", "DPL032")),
    Mode("K-20", "One GPU stays out of service after an Xid", ("DPL026", "DPL003")),
    Mode(
        "K-21", "One lost GPU makes the plugin refuse every Pod of the Node", ("DRV004", "DRV034", "DPL026", "DPL060")
    ),
    Mode(
        "K-22",
        "The number is that of the plugin's start, whatever became of the GPUs since",
        ("DPL002", "DPL004", "DPL005"),
    ),
    Mode("K-23", "The plugin can't hear the driver any more and gives up all devices", ("DPL027",)),
    Mode(
        "K-24", "The resource's name stays on the Node with 0 after the plugin has gone", ("DPL001", "DPL006", "DPL025")
    ),
    Mode("K-25", "Just after a kubelet's start the numbers are wrong, in either direction", ("DPL020",)),
    Mode("K-26", "Shared GPUs have another name", ("DPL006",)),
    Mode("K-27", "Sharing multiplies the number of GPUs", ("DPL004",)),
    Mode("K-28", "The plugin refuses Pods that ask for more than one shared GPU", ("DPL060",)),
    Mode("K-29", "Only MIG devices are advertised, by names of their own", ("DPL006",)),
    Mode("K-30", "The GPUs are cut in different ways, and the strategy allows one", ("DPL030",)),
    Mode("K-31", "MIG is on and no MIG device was made", ("DRV014", "DPL007")),
    Mode("K-32", "MIG devices are being changed, or the change failed", ("DPL028", "DPL029")),
    Mode(
        "K-33",
        "A container asks for two kinds of MIG devices and gets one",
        out_of_sight="The smoke Pod asks for one resource; what other Pods ask for is theirs.",
    ),
    Mode("K-34", "Sharing by MPS waits for its daemon", ("DPL032",)),
    Mode("K-35", "Two plugins register the same resource", ("DPL021", "DPL022")),
    Mode(
        "K-36",
        "There is no plugin's DaemonSet, and everything works",
        out_of_sight="It is no fault: a service of the OS image serves the Node, and what it advertises counts.",
    ),
    Mode("K-37", "The plugin was faster than the driver at boot", ("DPL007", "DPL009")),
    Mode("K-38", "A label names a configuration of the plugin that does not exist", ("DPL031",)),
    Mode("K-39", "The kubelet holds devices for Pods that are gone", ("DPL060",)),
    Mode("K-40", "The kubelet's record was lost or is stale", ("DPL005", "SMK017", "SMK034")),
    Mode("K-41", "The plugin hangs when it is asked for a device, and with it the kubelet", ("SMK011", "SMK037")),
    Mode("K-42", "The Node's GPUs are handed out by claims alone", ("DPL033",)),
    Mode("K-43", "A resource's name stands for claims, or does not", ("DPL033", "DPL023", "DPL024")),
    Mode("K-44", "There is a ResourceSlice, and it holds no device", ("DPL035",)),
    Mode("K-46", "The DRA driver's own record keeps it from starting", ("DPL034",)),
    Mode("K-47", "The claim is allocated and the node can't prepare it", ("DPL061",)),
    Mode("K-48", "Labels speak of GPUs that nobody can use", ("DPL001", "DPL011", "DPL012")),
    Mode("K-78", "After a reboot Pods come before the plugin, and are refused", ("DPL020", "DPL060")),
    Mode("K-79", "The plugin fails in the moment in which a Pod is given its device", ("DPL060",)),
)
