# SPDX-License-Identifier: GPL-3.0-or-later
"""A host that is not there: it answers a probe with the transcript that saved evidence was read from."""

from __future__ import annotations

import base64
import re
import typing as t

from ansible.errors import AnsibleConnectionFailure, AnsibleError
from ansible.plugins.connection import ConnectionBase
from saved import saved

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
        layer = re.search(rb"^GPU_K8S_LAYERS=(\w+)$", in_data or b"", re.MULTILINE)
        if not layer:
            raise AnsibleError(f"only probes of gpu.k8s are replayed, not: {cmd}")
        look = saved(self.get_option("saved"))[layer[1].decode()]
        kind, reason = (look["error"] or {}).get("kind"), (look["error"] or {}).get("reason")
        if kind == "unreachable":
            raise AnsibleConnectionFailure(reason)
        if kind not in (None, "incomplete"):
            return 1, b"", reason.encode()
        return 0, _transcript(look["records"], whole=kind is None).encode(), b""

    def put_file(self, in_path: str, out_path: str) -> None:
        raise AnsibleError(f"{in_path} is not put at {out_path}: a probe comes on standard input alone")

    def fetch_file(self, in_path: str, out_path: str) -> None:
        raise AnsibleError(f"{in_path} is not fetched to {out_path}: nothing is there")

    def close(self) -> None:
        self._connected = False


def _transcript(records: dict[str, t.Any], whole: bool) -> str:
    """As ``emit_encoded`` of roles/driver/files/probe.sh writes it."""
    lines = ["transcript 1 base64"]
    for name, record in records.items():
        exit_code = record.get("exit_code")
        kept = "cut_off" if record.get("cut_off") else "whole"
        lines += [
            f"record {name}",
            f"command {_encoded(record.get('command'))}",
            f"exit_code {'none' if exit_code is None else exit_code}",
            f"seconds {record.get('seconds') or 0}",
            f"stdout {kept} {_encoded(record.get('stdout'))}",
            f"stderr {kept} {_encoded(record.get('stderr'))}",
            f"end {name}",
        ]
    if whole:
        lines.append(f"complete {len(records)}")
    return "".join(f"@gpu.k8s {line}\n" for line in lines)


def _encoded(text: str | None) -> str:
    return base64.b64encode((text or "").encode()).decode()
