# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One step of a plan."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

Does = t.Literal["install", "keep", "later"]


@dataclass(frozen=True)
class Step:
    """What is done about one component, on a host or in the cluster. ``later``: nothing now, and why.

    ``packages`` and ``module`` are the driver's: the user's packages, else none, and the kind of kernel module.
    ``nodes`` are the device plugin's: where it shall run.
    """

    component: str
    does: Does
    because: str
    packages: tuple[str, ...] = ()
    module: str | None = None
    nodes: tuple[str, ...] = ()

    def as_result(self) -> dict[str, t.Any]:
        """Return it as a task returns it."""
        told: dict[str, t.Any] = {"component": self.component, "does": self.does, "because": self.because}
        if self.module:
            told |= {"module": self.module, "packages": list(self.packages)}
        if self.nodes:
            told["nodes"] = list(self.nodes)
        return told
