# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The script that a host layer's probe consists of: settings, shared functions, the layer's own part.

Private to the collection.
"""

from __future__ import annotations

import shlex
import typing as t
from collections.abc import Mapping
from pathlib import Path

_ROLES = Path(__file__).resolve().parents[2] / "roles"


def script(layer: str, settings: Mapping[str, t.Any]) -> str:
    """Return the probe of a layer, ready for the standard input of ``/bin/sh -s``.

    ``settings`` become the variables ``GPU_K8S_<NAME>`` that the probes read at their top. None is left out.
    """
    given = {"FORMAT": "encoded", "LAYERS": layer} | {k.upper(): str(v) for k, v in settings.items() if v is not None}
    lines = [f"GPU_K8S_{name}={shlex.quote(value)}" for name, value in given.items()]
    files = ["driver"] if layer == "driver" else ["driver", layer]  # the driver's probe holds the shared functions
    parts = [(_ROLES / name / "files" / "probe.sh").read_text(encoding="utf-8") for name in files]
    # In braces: a shell that reads on while it runs would otherwise run half a script when the connection breaks.
    return "\n".join([*lines, "{", *parts, "end_transcript", "}", ""])
