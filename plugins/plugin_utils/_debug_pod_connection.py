# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The connection into a debug Pod: kubectl, by the kubeconfig's path and the named context.

Private to the collection.
"""

from __future__ import annotations

import typing as t
from collections.abc import Mapping

from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase
from ansible.plugins.connection import ConnectionBase

_PLUGIN = "kubernetes.core.kubectl"


def connection_into(action: ActionBase, opened: Mapping[str, t.Any], pod: str) -> ConnectionBase:
    """Return the connection. ``opened`` is the result of gpu.k8s.debug_pods_info. Raises AnsibleError."""
    play_context = action._play_context.copy()
    play_context.executable, play_context.shell = "/bin/sh", "sh"  # the host's own may not be in the image
    connection, _how = action._shared_loader_obj.connection_loader.get_with_context(
        _PLUGIN, play_context, new_stdin=None
    )
    if connection is None:
        raise AnsibleError(f"the connection plugin {_PLUGIN} is not there: install the collection kubernetes.core")
    # All of them, since the plugin would put what the environment has for the others, a token for one, into kubectl's
    # arguments, which every user of this machine can read.
    options = dict.fromkeys(connection.connection_options, "") | {
        "kubectl_kubeconfig": opened["kubeconfig"],
        "kubectl_context": opened["context"],
        "kubectl_namespace": opened["namespace"],
        "kubectl_pod": pod,
        "kubectl_container": "debug",
        "kubectl_extra_args": "",
        "kubectl_local_env_vars": {},
    }
    connection.set_options(direct=options)
    return t.cast(ConnectionBase, connection)
