# SPDX-License-Identifier: GPL-3.0-or-later
"""A host that is not there: it answers a probe with the transcript that saved evidence was read from."""

from __future__ import annotations

from ansible.errors import AnsibleConnectionFailure, AnsibleError
from ansible.plugins.connection import ConnectionBase
from saved import look_asked_for
from transcript import transcript

DOCUMENTATION = """
name: replay
short_description: Answer a probe of gpu.k8s with saved evidence
description:
  - For tests. Nothing is run anywhere.
author: gpu.k8s contributors
options:
  saved:
    description: A base or a case of tests/evidence, such as C(driver/gpu_lost).
    type: str
    required: true
    vars: [{name: replay_saved}]
"""


class Connection(ConnectionBase):
    """What the evidence says of the connection is done: not reached, broken off, or no transcript at all."""

    transport = "replay"
    has_pipelining = True

    def _connect(self) -> Connection:
        self._connected = True
        return self

    def exec_command(self, cmd: str, in_data: bytes | None = None, sudoable: bool = True) -> tuple[int, bytes, bytes]:
        super().exec_command(cmd, in_data=in_data, sudoable=sudoable)
        try:
            look = look_asked_for(self.get_option("saved"), in_data or b"")
        except ValueError as error:
            raise AnsibleError(f"{error}, not: {cmd}") from error
        kind, reason = (look["error"] or {}).get("kind"), (look["error"] or {}).get("reason")
        if kind == "unreachable":
            raise AnsibleConnectionFailure(reason)
        if kind not in (None, "incomplete"):
            return 1, b"", reason.encode()
        return 0, transcript(look["records"], whole=kind is None).encode(), b""

    def put_file(self, in_path: str, out_path: str) -> None:
        raise AnsibleError(f"{in_path} is not put at {out_path}: a probe comes on standard input alone")

    def fetch_file(self, in_path: str, out_path: str) -> None:
        raise AnsibleError(f"{in_path} is not fetched to {out_path}: nothing is there")

    def close(self) -> None:
        self._connected = False
