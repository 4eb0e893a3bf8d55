# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Evidence in files: one a node and one for the cluster, JSON or YAML. Private to the collection."""

from __future__ import annotations

import json
import typing as t
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import yaml

from ansible_collections.gpu.k8s.plugins.module_utils._evidence import SCHEMA

from ._report_folder import EVIDENCE, write_json

Tree = dict[str, t.Any]

_SUFFIXES = (".json", ".yml", ".yaml")


class _Loader(yaml.SafeLoader):
    """As in JSON, a time is text."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class NoEvidenceError(Exception):
    """The folder holds no evidence that can be judged. The message says why and what to do."""


def save_evidence(folder: Path, run: Tree, cluster: Tree, evidence: Sequence[Tree]) -> None:
    """Write ``cluster.json`` and one ``node-<host>.json`` a host into ``folder``."""
    for name, tree in evidence_files(run, cluster, evidence):
        write_json(folder / name, tree)


def evidence_files(run: Tree, cluster: Tree, evidence: Sequence[Tree]) -> Iterator[tuple[str, Tree]]:
    """Yield the name and the content of each file."""
    yield "cluster.json", {"schema": SCHEMA, "run": run, "cluster": cluster}
    for one in evidence:
        yield f"node-{quote(one['host'], safe='')}.json", one


def read_evidence(folder: Path) -> tuple[Tree, Tree, list[Tree]]:
    """Return run, cluster and the evidence of each node, in the order of the run. Raises NoEvidenceError.

    ``folder`` is the evidence folder, or a report folder with one in it.
    """
    if not list(_files(folder, "cluster")) and (folder / EVIDENCE).is_dir():
        folder = folder / EVIDENCE
    about = next((_read(file) for file in _files(folder, "cluster")), None)
    if about is None:
        raise NoEvidenceError(f"{folder} holds no cluster.json, so there is no saved run")
    nodes = [_read(file) for file in _files(folder, "node-*")]
    if not nodes:
        raise NoEvidenceError(f"{folder} holds no node-*.json, so there is nothing to judge")
    try:
        run, cluster, hosts = about["run"], about["cluster"], [node["host"] for node in nodes]
    except KeyError as error:
        raise NoEvidenceError(f"The evidence in {folder} is not whole: it has no {error}") from error
    _refuse_a_part(folder, run.get("hosts") or [], hosts)
    places = {host: place for place, host in enumerate(run.get("hosts") or [])}
    return run, cluster, sorted(nodes, key=lambda node: (places.get(node["host"], len(places)), node["host"]))


def _refuse_a_part(folder: Path, of_the_run: Sequence[str], there: Sequence[str]) -> None:
    """A run is not usable because the file of its broken node was left out."""
    missing = [host for host in of_the_run if host not in set(there)]
    if missing:
        raise NoEvidenceError(
            f"{folder} is not whole: the run had {', '.join(missing)} as well. Put node-*.json of it there, "
            "or take it out of run.hosts in the cluster's file"
        )
    twice = [host for host, count in Counter(there).items() if count > 1]
    if twice:
        raise NoEvidenceError(f"{folder} holds two files of {', '.join(twice)}. Take one away")


def _files(folder: Path, name: str) -> Iterator[Path]:
    for file in sorted(folder.glob(f"{name}.*")):
        if file.suffix in _SUFFIXES:
            yield file


def _read(file: Path) -> Tree:
    try:
        text = file.read_text(encoding="utf-8")
        tree = json.loads(text) if file.suffix == ".json" else _Loader(text).get_single_data()
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise NoEvidenceError(f"{file} can't be read: {error}") from error
    schema = tree.get("schema") if isinstance(tree, dict) else None
    if not isinstance(schema, int) or isinstance(schema, bool):
        raise NoEvidenceError(f"{file} is no evidence of gpu.k8s: it names no schema")
    if schema > SCHEMA:
        raise NoEvidenceError(
            f"{file} has schema {schema}, made by a newer gpu.k8s; this one reads up to {SCHEMA}. Update the collection"
        )
    if schema < SCHEMA:
        raise NoEvidenceError(
            f"{file} has schema {schema}; this gpu.k8s reads {SCHEMA} alone. Collect the evidence anew"
        )
    return t.cast(Tree, tree)
