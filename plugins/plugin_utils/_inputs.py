# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the user set, and what is wrong with it: whatever would be ignored, misread or overruled later.

Private to the collection. Each problem is told in words that name the variable and the remedy.
"""

from __future__ import annotations

import difflib
import re
import typing as t
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.gpu.k8s.plugins.module_utils._evidence.kubernetes_taints import check_tolerate
from ansible_collections.gpu.k8s.plugins.module_utils._judge.expectation import check_expectations

Spec = Mapping[str, t.Any]
Variables = Mapping[str, t.Any]

_ROLES = Path(__file__).parents[2] / "roles"

_AT_LEAST = {
    "gpu_k8s_smoke_gpus": 1,
    "gpu_k8s_deadline": 1,
    "gpu_k8s_probe_budget": 1,
    "gpu_k8s_output_limit": 1024,
}
_MORE_THAN_0 = ("gpu_k8s_smoke_timeout", "gpu_k8s_debug_timeout", "gpu_k8s_api_timeout")

_ACCESS, _WAIVE = "gpu_k8s_host_access", "gpu_k8s_waive"
"""What may be set for each host alone, and is read on localhost."""

_ON_HOSTS = ("driver", "toolkit", "device_plugin", "install")
"""The roles with tasks that run on hosts, so that a host's own variables count for them."""

_OUTCOME = ("gpu_k8s_conclusion", "gpu_k8s_summary", "gpu_k8s_broken")
"""The custom stats of an earlier run (gpu.k8s.report): a workflow of AWX gives them to its later jobs as variables."""

_OVERRULED = ("K8S_AUTH_KUBECONFIG", "K8S_AUTH_CONTEXT")
"""What kubernetes.core would take from the environment if the roles did not say it."""


def wrong_variables(inputs: Spec, variables: Variables, template: Callable[[t.Any], t.Any]) -> Iterator[str]:
    """Yield what is wrong with the variables of localhost. ``inputs``: the argument spec of the user's variables."""
    names = _names_of_ours(variables)
    if inputs:
        yield from (_unknown(name, list(inputs)) for name in names if name not in inputs)
    given = {name: template(variables[name]) for name in names if name in inputs}
    checked = ArgumentSpecValidator(inputs).validate(given)
    yield from checked.error_messages
    if not checked.error_messages:
        number = {name: value for name, value in checked.validated_parameters.items() if value is not None}
        yield from (f"{n} must be at least {least}" for n, least in _AT_LEAST.items() if number.get(n, least) < least)
        yield from (f"{name} must be more than 0" for name in _MORE_THAN_0 if number.get(name, 1) <= 0)


def _names_of_ours(variables: Variables) -> list[str]:
    """Return the names that are the user's to set, if they are rightly spelt."""
    return sorted(name for name in variables if name.startswith("gpu_k8s_") and name not in _OUTCOME)


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    guess = f" Did you mean {near[0]}?" if near else ""
    return f"{name} is no variable of gpu.k8s, so it would be ignored.{guess}"


class Hosts:
    """What the inventory says of the hosts of a run. Each host's variables are put together once: that takes time."""

    def __init__(self, hosts: list[str], variables: Variables, template: Callable[[t.Any], t.Any]) -> None:
        """``variables``: localhost's. Those of a play come before those of its hosts, and localhost alone has them."""
        self._of_hosts = {host: variables["hostvars"][host] for host in hosts}
        self._local, self._variables = variables["hostvars"]["localhost"], variables
        self._of_all: dict[str, t.Any] = {}
        for name in (_ACCESS, _WAIVE):
            given = template(variables.get(name))
            if given is not None and given != self._local.get(name):
                self._of_all[name] = given

    def reached_by(self, way: str) -> list[str]:
        """Return the hosts that are reached in this way."""
        return [host for host in self._of_hosts if str(self._set_for(host).get(_ACCESS) or "ssh") == way]

    def wrong(self, inputs: Spec) -> Iterator[str]:
        """Yield what is wrong with what was set for hosts alone, and names that are not the user's to set."""
        for host in self._of_hosts:
            given = self._set_for(host).items()
            alone = {name: value for name, value in given if name in inputs and value != self._variables.get(name)}
            checked = ArgumentSpecValidator({name: inputs[name] for name in alone}).validate(alone)
            yield from (f"{host}: {message}" for message in checked.error_messages)
        if inputs:
            yield from self._set_in_vain(inputs)
        of_roles = {
            name for one in (self._local, *self._of_hosts.values()) for name in inputs_of_roles() if name in one
        }
        for name in sorted(of_roles):
            yield (
                f"{name} is set, which is an input of a role of gpu.k8s and would count instead of the gpu_k8s_*"
                " variables. Call that variable something else"
            )

    def _set_in_vain(self, inputs: Spec) -> Iterator[str]:
        """Yield what no host's own variable counts for. Each name is told once."""
        first: dict[str, str] = {}
        for host, of_host in self._of_hosts.items():
            first = {name: host for name in _names_of_ours(of_host) if name not in self._variables} | first
        for name, host in sorted(first.items()):
            if name not in inputs:
                yield f"{host}: {_unknown(name, list(inputs))}"
            elif name not in read_on_hosts():
                yield f"{name} is set for {host} and counts for the run: set it for all (group_vars/all.yml, or -e)"

    def _set_for(self, host: str) -> dict[str, t.Any]:
        of_host = self._of_hosts[host]
        return {name: of_host[name] for name in (_ACCESS, _WAIVE) if name in of_host} | self._of_all


@cache
def inputs_of_roles() -> frozenset[str]:
    """Return the names of the roles' own inputs, which only the gpu_k8s_* variables are to set. The lab's are free."""
    files = [file for file in _ROLES.glob("*/defaults/main.yml") if file.parts[-3] != "lab"]
    # to read them as YAML would take longer than all else that a run begins with
    return frozenset(name for file in files for name in re.findall(r"^\w+(?=:)", file.read_text("utf-8"), re.MULTILINE))


@cache
def read_on_hosts() -> frozenset[str]:
    """Return the user's variables that may be another for each host; the others are read on localhost alone."""
    files = [_ROLES / role / "defaults" / "main.yml" for role in _ON_HOSTS]
    named = {name for file in files for name in re.findall(r"gpu_k8s_\w+", file.read_text(encoding="utf-8"))}
    return frozenset(named | {"gpu_k8s_become", "gpu_k8s_node_name"})


def wrong_for_debug_pods(namespace: str, context: str) -> Iterator[str]:
    """Yield what a run lacks that is to look at hosts by debug Pods."""
    if not namespace:
        yield (
            "gpu_k8s_host_access=debug_pod takes a Namespace for privileged Pods, and gpu_k8s_debug_namespace is not"
            " set (docs/without-ssh.md tells what it takes)"
        )
    if not context:
        yield "gpu_k8s_host_access=debug_pod takes a cluster, and gpu_k8s_context is not set"


def wrong_environment(environment: Mapping[str, str]) -> Iterator[str]:
    """kubernetes.core, which creates the Pods, obeys these as well: even to the address of another cluster."""
    names = sorted(name for name in environment if name.startswith("K8S_AUTH_") and name not in _OVERRULED)
    if names:
        yield (
            f"the environment sets {', '.join(names)}, which could lead to another cluster than gpu_k8s_context. Unset"
            " it, and let gpu_k8s_kubeconfig and gpu_k8s_context alone name the cluster"
        )


def read_expect(expect: Variables) -> tuple[dict[str, t.Any], list[str]]:
    """Return what the nodes are judged by, and what the user wrote wrongly there: later it would count for nothing."""
    tolerate, own = expect.get("tolerate") or [], expect.get("own") or []
    if isinstance(tolerate, str):  # as Ansible reads a list from the command line
        tolerate = [entry.strip() for entry in tolerate.split(",")]
    wrong = [
        *(f"gpu_k8s_tolerate: {problem}" for problem in check_tolerate(tolerate)),
        *(f"gpu_k8s_expect: {problem}" for problem in check_expectations(own)),
    ]
    return {**expect, "tolerate": tolerate, "own": own}, wrong
