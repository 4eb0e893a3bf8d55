# SPDX-License-Identifier: GPL-3.0-or-later
"""The transcript that records were read from, as ``emit_encoded`` of roles/driver/files/probe.sh writes it."""

from __future__ import annotations

import base64
import typing as t


def transcript(records: dict[str, t.Any], whole: bool) -> str:
    """Return it. One that is not whole lacks its last line."""
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
