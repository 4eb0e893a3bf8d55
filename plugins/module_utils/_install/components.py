# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Installing separate components: what is decided for each host, and for the device plugin of the cluster."""

from __future__ import annotations

import typing as t
from collections.abc import Sequence
from dataclasses import replace

from .consent import nobody_owns, nothing_is_replaced
from .kernel_module import choose_module
from .presence import Ground
from .step import Step
from .wish import Component, Refusal, Wish

Decision: t.TypeAlias = "Step | Refusal"
Below = t.Literal["works", "planned", "later", "missing"]

_ON_HOSTS: tuple[Component, ...] = ("driver", "toolkit")
_GIVES_WAY = frozenset({"nouveau", "nova_core"})
"""Kernel drivers that NVIDIA's packages keep from loading. What any other holds was set aside for something else."""


def host_decisions(wish: Wish, ground: Ground) -> tuple[list[Decision], Below]:
    """Decide for one host, lowest component first; and say what the device plugin would build upon."""
    decisions: list[Decision] = []
    below: Below = "works"
    for component in _ON_HOSTS:
        if component not in wish.components:
            below = below if ground.present[component].state == "works" else "missing"
            continue
        decision = _decide(wish, ground, component, below)
        decisions.append(decision)
        below = _after(decision)
    return decisions, below


def plugin_decisions(wish: Wish, grounds: Sequence[tuple[Ground, Below]]) -> list[Decision]:
    """Decide for the device plugin, which is one for all Nodes of the run."""
    if "device_plugin" not in wish.components:
        return []
    decisions = [_decide(wish, ground, "device_plugin", below) for ground, below in grounds]
    steps = [d for d in decisions if isinstance(d, Step)]
    if len(steps) < len(decisions):
        return [d for d in decisions if isinstance(d, Refusal)]
    for does in ("later", "install"):
        chosen = [step for step in steps if step.does == does]
        kept = [g.host for (g, _below), s in zip(grounds, steps, strict=True) if s.does == "keep" and not _ours(g)]
        if chosen and kept:
            host = kept[0]
            saw = "a plugin of others serves it, and other hosts of the run have none"
            return [Refusal(f"{host}, device plugin", saw, f"gpu_k8s_hosts leaves out {', '.join(kept)}")]
        if chosen:
            nodes = tuple(ground.node for ground, _below in grounds if ground.node)
            return [replace(chosen[0], nodes=nodes)]
    return [Step("device_plugin", "keep", "it works on every host of the run")] if steps else []


def _ours(ground: Ground) -> bool:
    return ground.present["device_plugin"].ours


def _after(decision: Decision) -> Below:
    if isinstance(decision, Refusal):
        return "planned"  # one refusal is enough; what would build upon it is not another
    after: dict[str, Below] = {"keep": "works", "install": "planned", "later": "later"}
    return after[decision.does]


def _decide(wish: Wish, ground: Ground, component: Component, below: Below) -> Decision:
    present = ground.present[component]
    if present.state == "works" and not present.unfinished:
        return Step(component, "keep", f"it works: {present.because}")
    owned = nobody_owns(ground, component)
    if owned:
        return owned
    if below == "missing":
        what = f"{ground.host}, {component.replace('_', ' ')}"
        return Refusal(
            what,
            "what it builds upon does not work there, and is not to be installed",
            "the layers below it work, or gpu_k8s_install_components names them too",
        )
    if below == "later" or (below == "planned" and present.state == "not judged" and not present.ours):
        return Step(component, "later", f"{present.because}: run this again when that is there")
    replaced = nothing_is_replaced(ground, component)
    if replaced:
        return replaced
    because = f"it is from this collection, and is made whole: {present.because}" if present.ours else present.because
    return _driver(wish, ground, because) if component == "driver" else Step(component, "install", because)


def _driver(wish: Wish, ground: Ground, because: str) -> Decision:
    held = [driver for driver in ground.bound if driver not in _GIVES_WAY]
    if held:
        saw = f"GPUs are held by {', '.join(held)}: they were set aside"
        return Refusal(f"{ground.host}, driver", saw, "no kernel driver but nouveau holds its GPUs")
    module, why = choose_module(ground.devices, wish.driver_module)
    if module is None:
        must_be = "gpu_k8s_install_driver_module names the kernel module (open or proprietary) that drives all its GPUs"
        return Refusal(f"{ground.host}, driver", why, must_be)
    because = f"{because}; kernel module {module}, {why}"
    return Step("driver", "install", because, packages=wish.driver_packages, module=module)
