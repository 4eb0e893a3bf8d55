# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Evidence: what was seen on a host and in the cluster, and typed readings of it.

Private to the collection. What is missing or unreadable is None; nothing here decides what that means.

The evidence of one node, as it is saved::

    schema: 1
    host: inventory name
    node_name: the Node's name if the user gave it, else null
    chosen: the layers that this run was asked for
    check_mode: whether Pods were allowed to be created
    expect: {resource, image, runtime_handler, smoke_gpus}
    driver | toolkit | device_plugin: a look at the host, {records: {...}, error: null or {kind, reason}}, or null;
        the driver's may have expect: what the user expects of this host; way is debug_pod where it came by one
    kubernetes: {error, error_kind, identity, access, read_at, hosts, node, node_error, pods, pods_error, objects} or
        null; access is what the cluster denies to this identity (_access.py); read_at is when it last answered, by the
        controller's clock; hosts are those of the run that were found to be the Node; pods are those on the Node that
        may hold a GPU or hand them out; objects are the other lists of _kube_lists.py by name, {items, error} each
    smoke_pod | control_pod: what became of the Pod (smoke_pod.py), {not_tried: reason}, or null
    smoke_pods_more: the same of the other Pods, where every GPU is tried
"""

from __future__ import annotations

SCHEMA = 1
