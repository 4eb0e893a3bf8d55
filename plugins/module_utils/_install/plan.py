# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan: what would be done on each host and in the cluster, or why nothing is."""

from __future__ import annotations

import typing as t
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .components import host_decisions, plugin_decisions
from .consent import consent, host_may_be_changed, no_other_operator
from .operator_values import Values, operator_values
from .presence import Ground, read_ground
from .step import Step
from .wish import COMPONENTS, ClusterSeen, Object, Refusal, Wish


@dataclass(frozen=True)
class Plan:
    """With a refusal nothing is done, whatever the steps say. ``values`` are the operator's."""

    cluster_seen: ClusterSeen
    refusals: tuple[Refusal, ...] = ()
    hosts: Mapping[str, tuple[Step, ...]] = field(default_factory=dict)
    cluster: tuple[Step, ...] = ()
    values: Values = field(default_factory=dict)

    def as_result(self) -> dict[str, t.Any]:
        """Return it as a task returns it."""
        return {
            "refusals": [{"what": r.what, "saw": r.saw, "must_be": r.must_be} for r in self.refusals],
            "hosts": {host: [step.as_result() for step in steps] for host, steps in self.hosts.items()},
            "cluster": [step.as_result() for step in self.cluster],
            "operator_values": self.values,
            "text": self.text,
        }

    @property
    def text(self) -> str:
        """The plan in lines for a person."""
        if self.refusals:
            return "\n".join(
                ["Nothing is installed. Against it stands:", *(f"- {refusal}" for refusal in self.refusals)]
            )
        rows = [(host, step) for host, steps in self.hosts.items() for step in steps]
        rows += [("the cluster", step) for step in self.cluster]
        where = max((len(name) for name, _step in rows), default=0)
        what = max((len(step.component) for _name, step in rows), default=0)
        lines = [f"{name:{where}}  {s.component:{what}}  {s.does:7}  {s.because}" for name, s in rows]
        seen = self.cluster_seen
        lines.insert(0, f"Plan for {seen.context} ({seen.server}, kube-system {seen.uid}):")
        if not any(step.does == "install" for _name, step in rows):
            lines.append("There is nothing to install.")
        return "\n".join(lines)


def plan(wish: Wish, cluster: ClusterSeen, evidence: Sequence[Object], registered: Mapping[str, Object]) -> Plan:
    """Decide. ``evidence`` is that of all hosts of the run, ``registered`` what the role found on each beside it."""
    grounds = [read_ground(one, registered.get(one["host"]) or {}, cluster) for one in evidence]
    refusals = [*consent(wish, cluster), *(r for ground in grounds for r in host_may_be_changed(ground))]
    doubtful = {ground.host for ground in grounds if ground.obstacles}
    sound = [ground for ground in grounds if ground.host not in doubtful]
    decided = _with_the_operator if wish.way == "operator" else _with_components
    found = decided(wish, cluster, sound)
    steps = [*(step for steps in found.hosts.values() for step in steps), *found.cluster]
    if found.refusals or any(step.does == "install" for step in steps):  # what would be changed, were it not refused
        refusals += no_other_operator(wish, cluster)
    return Plan(cluster, (*refusals, *found.refusals), found.hosts, found.cluster, found.values)


def _with_components(wish: Wish, cluster: ClusterSeen, grounds: Sequence[Ground]) -> Plan:
    decided = [(ground, *host_decisions(wish, ground)) for ground in grounds]
    plugin = plugin_decisions(wish, [(ground, below) for ground, _decisions, below in decided])
    everything = [*(d for _ground, decisions, _below in decided for d in decisions), *plugin]
    return Plan(
        cluster,
        tuple(d for d in everything if isinstance(d, Refusal)),
        {g.host: tuple(d for d in decisions if isinstance(d, Step)) for g, decisions, _below in decided},
        tuple(d for d in plugin if isinstance(d, Step)),
    )


def _with_the_operator(wish: Wish, cluster: ClusterSeen, grounds: Sequence[Ground]) -> Plan:
    hosts: dict[str, tuple[Step, ...]] = {ground.host: () for ground in grounds}
    if grounds and all(g.present[name].state == "works" for g in grounds for name in COMPONENTS):
        return Plan(
            cluster,
            hosts=hosts,
            cluster=(Step("operator", "keep", "driver, toolkit and device plugin work everywhere"),),
        )
    values, refusals = operator_values(wish, grounds)
    if cluster.nodes_without_host is None:
        refusals.append(Refusal("the Nodes", "they could not be listed", "it is known which Nodes have GPUs"))
    elif cluster.nodes_without_host:
        names = ", ".join(cluster.nodes_without_host)
        saw = f"{names} may have GPUs, and no host of the run stands for them: the operator would change them too"
        refusals.append(Refusal("the Nodes", saw, "gpu_k8s_hosts names every GPU Node of the cluster"))
    on = [name for name in ("driver", "toolkit", "devicePlugin") if (values.get(name) or {}).get("enabled")]
    because = f"it brings {', '.join(on)}; the rest is there already" if len(on) < len(COMPONENTS) else "it brings all"
    return Plan(cluster, tuple(refusals), hosts, (Step("operator", "install", because),), values)
