# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prometheus' text format, for the textfile collector of node_exporter: names, codes and numbers, no evidence.

Every series has the cluster's context, so that the files of several clusters can lie beside each other. A conclusion
has a series for each of its values, 0 or 1, so that a graph and an alert have no gap. A checkpoint and a finding have
only the series that is 1, so that a fleet of 1,000 nodes has some 14,000 series.
"""

from __future__ import annotations

import typing as t
from collections.abc import Iterator, Mapping

from .._chain import one_word
from .moment import moment

Fields = Mapping[str, t.Any]
Sample = tuple[dict[str, t.Any], float]

_CONCLUSIONS = ("usable", "broken", "not proven", "waived")


def metrics(document: Fields) -> str:
    """Return the verdict document as metrics."""
    context = {"context": document["cluster"].get("context")}
    lines: list[str] = []
    for name, about, samples in _families(document):
        found = [_sample(name, context | labels, value) for labels, value in samples]
        lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge", *found] if found else []
    return "\n".join([*lines, ""])


def _families(document: Fields) -> Iterator[tuple[str, str, Iterator[Sample]]]:
    run, nodes = document["run"], document["nodes"]
    yield "gpu_k8s_run_info", "What ran against which cluster; always 1.", _info(document)
    for name in ("started", "finished"):
        yield f"gpu_k8s_run_{name}_timestamp_seconds", f"When the run was {name}.", _time(run.get(name))
    yield "gpu_k8s_run_ended_early", "1 if the run came to no end of its own.", _one(bool(run.get("ended_early")))
    yield "gpu_k8s_run_conclusion", "The conclusion about all nodes: 1 for the one it is.", _one_of(document)
    yield "gpu_k8s_nodes", "Nodes by conclusion.", _totals(document)
    yield (
        "gpu_k8s_nodes_without_host",
        "GPU Nodes of the cluster that no host of the run stands for.",
        _one(len(document["cluster"].get("nodes_without_host") or ())),
    )
    yield (
        "gpu_k8s_node_conclusion",
        "The conclusion about a node: 1 for the one it is.",
        ((_who(node) | labels, value) for node in nodes for labels, value in _one_of(node)),
    )
    yield (
        "gpu_k8s_checkpoint_status",
        "The status of a checkpoint; always 1. Only pass proves anything.",
        (_checkpoint(node, checkpoint) for node in nodes for checkpoint in node["checkpoints"]),
    )
    yield (
        "gpu_k8s_finding",
        "A finding of a checkpoint that is not blocked, with the layer that it blames; always 1.",
        (sample for node in nodes for sample in _findings(node)),
    )
    yield "gpu_k8s_node_gpus", "GPUs that the host's driver lists.", _numbers(nodes, "gpus")
    for name in ("capacity", "allocatable"):
        about = f"The Node's {name} of the resource that the run asked for."
        yield f"gpu_k8s_node_{name}", about, _numbers(nodes, name)


def _info(document: Fields) -> Iterator[Sample]:
    run, cluster = document["run"], document["cluster"]
    versions = run.get("versions") or {}
    about = {"run": run["id"], "cluster_uid": cluster.get("uid"), "cluster_version": cluster.get("version")}
    yield about | {"collection_version": versions.get("gpu.k8s"), "ansible_version": versions.get("ansible-core")}, 1


def _one(value: float) -> Iterator[Sample]:
    yield {}, value


def _time(text: str | None) -> Iterator[Sample]:
    read = moment(text)
    if read:
        yield {}, read.timestamp()


def _one_of(concluded: Fields) -> Iterator[Sample]:
    for conclusion in _CONCLUSIONS:
        yield {"conclusion": one_word(conclusion)}, float(concluded["conclusion"] == conclusion)


def _totals(document: Fields) -> Iterator[Sample]:
    for conclusion in map(one_word, _CONCLUSIONS):
        yield {"conclusion": conclusion}, document["summary"][conclusion]


def _who(node: Fields) -> dict[str, t.Any]:
    return {"host": node["host"], "node": node["node"]}


def _checkpoint(node: Fields, checkpoint: Fields) -> Sample:
    about = {"checkpoint": checkpoint["number"], "layer": checkpoint["layer"], "status": checkpoint["status"]}
    return _who(node) | about, 1


def _findings(node: Fields) -> Iterator[Sample]:
    """What lies above the first broken layer is its consequence, and would wake up the wrong people."""
    told = {
        (finding["code"], finding["layer"], finding["status"]): None
        for checkpoint in node["checkpoints"]
        if checkpoint["status"] != "blocked"
        for finding in checkpoint["findings"]
    }
    for code, layer, status in told:
        yield _who(node) | {"code": code, "layer": layer, "status": status}, 1


def _numbers(nodes: list[Fields], fact: str) -> Iterator[Sample]:
    """A number that was not seen has no series: 0 would say that there is none."""
    for node in nodes:
        value = node["facts"].get(fact)
        if value is not None and str(value).isdecimal():
            yield _who(node), int(value)


def _sample(name: str, labels: Fields, value: float) -> str:
    given = ",".join(f'{key}="{_escaped(label)}"' for key, label in labels.items())
    return f"{name}{{{given}}} {value:.15g}"


def _escaped(label: object) -> str:
    text = "" if label is None else str(label).encode(errors="replace").decode()
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
