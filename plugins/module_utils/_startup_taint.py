# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a verification does with a Node's startup taint, and how it is written. Pure; private to the collection.

The key is this collection's own. So are the label and the annotation that tell why; nothing else of a Node is touched.
"""

from __future__ import annotations

import json
import typing as t
from collections.abc import Mapping
from dataclasses import dataclass

from ._chain import LAYERS, NodeVerdict, one_word
from ._evidence.kubernetes_taints import STARTUP_TAINT, read_taints
from ._judge.node import judge_node, proven_node
from ._render.hosts import folded

Object = Mapping[str, t.Any]
Patch = list[dict[str, t.Any]]
Outcome = dict[str, t.Any]
Wanted = t.Literal["release", "hold", "mark", "leave"]

LABEL = "gpu.k8s/verified"
ANNOTATION = "gpu.k8s/verification"

_TAINT = {"key": STARTUP_TAINT, "effect": "NoSchedule"}


@dataclass(frozen=True)
class Wish:
    """What is to become of a Node, and why, in words.

    ``release``: the taint goes. ``hold``: it is put there. ``mark``: it stays as it is. All three write label and
    annotation; with ``leave`` nothing is written. ``boot_id``: the Node's when it was looked at.
    """

    wanted: Wanted
    why: str
    node: str = ""
    boot_id: str = ""
    label: str = ""
    annotation: str = ""


def wish_for(evidence: Object, about: Object) -> Wish:
    """Return what to do with the Node of a host. ``about``: time, run and collection, for the annotation."""
    verdict = judge_node({**evidence, "startup_taint": _AS_IF_RELEASED})
    wanted, why = _wanted(verdict, evidence)
    if wanted == "leave":
        return Wish("leave", why)
    node = proven_node(evidence)
    if node is None:
        return Wish("leave", "its Node is not proven to be this host")
    return Wish(wanted, why, node.name, node.boot_id or "", one_word(verdict.conclusion), _annotation(verdict, about))


def _wanted(verdict: NodeVerdict, evidence: Object) -> tuple[Wanted, str]:
    if verdict.conclusion in ("usable", "waived"):
        return "release", f"it is {verdict.conclusion}"
    if verdict.conclusion == "broken":
        code = verdict.deciding.code if verdict.deciding else ""
        why = f"its {verdict.first_broken_layer} layer is broken ({code})"
        return ("hold" if evidence["expect"]["startup_taint"] == "hold" else "mark"), why
    if set(LAYERS) <= set(evidence["chosen"]):
        return "mark", "it is not proven"
    return "leave", "this run did not look at all layers"


def _annotation(verdict: NodeVerdict, about: Object) -> str:
    told = {"conclusion": one_word(verdict.conclusion), **about}
    if verdict.conclusion == "broken" and verdict.deciding:
        told |= {"first_broken_layer": verdict.first_broken_layer, "code": verdict.deciding.code}
    return json.dumps(told)


def outcome(wish: Wish, has_it: bool | None = None, changed: bool = False, error: str | None = None) -> Outcome:
    """Return what became of a wish, as the evidence has it. ``has_it``: whether the Node has the taint now."""
    taint = "unknown" if has_it is None else "present" if has_it else "absent"
    return {"wanted": wish.wanted, "why": wish.why, "taint": taint, "changed": changed, "error": error}


# The question to the judge is whether the node would be usable without the taint that this run takes away.
_AS_IF_RELEASED = outcome(Wish("release", ""), has_it=False)


def has_taint(node: Object) -> bool:
    """Whether the Node has the startup taint, with any effect that keeps Pods away."""
    return any(taint.of_startup and taint.repels for taint in read_taints(node))


def why_another(node: Object, wish: Wish) -> str | None:
    """Return why a Node, freshly read, is not the one that was looked at; None when it is."""
    info = (node.get("status") or {}).get("nodeInfo") or {}
    if wish.boot_id and info.get("bootID") == wish.boot_id:
        return None
    return "the machine was started anew, or replaced, since it was looked at (its boot_id is another)"


def patch_for(node: Object, wish: Wish) -> Patch:
    """Return the JSON patch that makes a Node, freshly read, as it is wished; it fails if what it rests on has changed.

    A list can only be changed by place, so each place is tested: another writer's taint never is in it. A parent that
    is not there can't be tested, so then nothing at all may have been written since.
    """
    metadata, spec = node["metadata"], node.get("spec") or {}
    taints = list(spec.get("taints") or ())
    tests = [_test("/metadata/uid", metadata["uid"]), _test("/status/nodeInfo/bootID", wish.boot_id)]
    changes: Patch = []
    makes_parent = False
    if wish.wanted == "release":
        ours = [place for place, taint in enumerate(taints) if taint.get("key") == STARTUP_TAINT]
        tests += [_test(f"/spec/taints/{place}", taints[place]) for place in ours]
        changes += [{"op": "remove", "path": f"/spec/taints/{place}"} for place in reversed(ours)]
    elif wish.wanted == "hold" and not has_taint(node):
        makes_parent = not taints
        changes.append(_add("/spec/taints/-", _TAINT) if taints else _add("/spec/taints", [_TAINT]))
    for parent, key, text in (("labels", LABEL, wish.label), ("annotations", ANNOTATION, wish.annotation)):
        if metadata.get(parent):
            changes.append(_add(f"/metadata/{parent}/{_escaped(key)}", text))
        else:
            makes_parent = True
            changes.append(_add(f"/metadata/{parent}", {key: text}))
    if makes_parent:
        tests.append(_test("/metadata/resourceVersion", metadata["resourceVersion"]))
    return [*tests, *changes]


def is_done(node: Object, wish: Wish) -> bool:
    """Whether a Node, freshly read, is as it is wished already: after a request whose answer was lost."""
    annotation = (node["metadata"].get("annotations") or {}).get(ANNOTATION)
    taint_is_right = wish.wanted == "mark" or has_taint(node) == (wish.wanted == "hold")
    return annotation == wish.annotation and taint_is_right


def _test(path: str, value: t.Any) -> dict[str, t.Any]:
    return {"op": "test", "path": path, "value": value}


def _add(path: str, value: t.Any) -> dict[str, t.Any]:
    return {"op": "add", "path": path, "value": value}


def _escaped(key: str) -> str:
    """A key as a JSON pointer has it."""
    return key.replace("~", "~0").replace("/", "~1")


def in_words(outcomes: Mapping[str, Outcome], check_mode: bool) -> str:
    """Say in one line what became of the taints. In check mode, what would be wished: nothing was written."""
    groups: dict[str, list[str]] = {}
    for host, one in outcomes.items():
        groups.setdefault(_would_be(one) if check_mode else _became(one), []).append(host)
    return "startup taint: " + "; ".join(f"{words}: {', '.join(folded(hosts))}" for words, hosts in groups.items())


def _would_be(one: Outcome) -> str:
    wishes = {"release": "would be taken away", "hold": "would be put there", "mark": "would stay as it is"}
    return wishes.get(one["wanted"], "would be left alone")


def _became(one: Outcome) -> str:
    if one["wanted"] == "leave":
        return f"left alone, since {one['why']}"
    if one["error"]:
        return "failed"
    if one["changed"]:
        return "put back" if one["taint"] == "present" else "taken away"
    return "stays" if one["taint"] == "present" else "not there"
