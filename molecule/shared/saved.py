# SPDX-License-Identifier: GPL-3.0-or-later
"""Saved evidence by its name: a base of tests/evidence (``healthy-h100``) or a case (``driver/gpu_lost``)."""

from __future__ import annotations

import re
import typing as t

import yaml
from cases import FOLDER, base, evidence


def saved(name: str) -> dict[str, t.Any]:
    """Return the evidence. Raises OSError when there is none of that name."""
    if "/" not in name:
        return base(name)
    return evidence(yaml.safe_load((FOLDER / f"{name}.yml").read_text(encoding="utf-8")))


def look_asked_for(name: str, script: bytes) -> dict[str, t.Any]:
    """Return the evidence of the layer that a probe of gpu.k8s is for. Raises ValueError when the script is none."""
    layer = re.search(rb"^GPU_K8S_LAYERS=(\w+)$", script, re.MULTILINE)
    if not layer:
        raise ValueError("only probes of gpu.k8s are replayed")
    look: dict[str, t.Any] = saved(name)[layer[1].decode()]
    return look
