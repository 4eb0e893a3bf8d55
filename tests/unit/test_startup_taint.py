# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done with a Node's startup taint: only what was proven, and only to the collection's own keys."""

from __future__ import annotations

import copy
import json
import typing as t
from collections.abc import Callable

import pytest
from cases import base, cases, evidence

from ansible_collections.gpu.k8s.plugins.module_utils._evidence.kubernetes_taints import check_tolerate
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._kube import ApiError
from ansible_collections.gpu.k8s.plugins.module_utils._smoke import tolerations
from ansible_collections.gpu.k8s.plugins.module_utils._startup_taint import (
    ANNOTATION,
    LABEL,
    Wish,
    in_words,
    outcome,
    patch_for,
    wish_for,
)
from ansible_collections.gpu.k8s.plugins.plugin_utils._node_writer import NodeWriter

Tree = dict[str, t.Any]

ABOUT = {"time": "2026-11-30T10:50:01+00:00", "run": "0a1b2c3d", "collection": "1.0.0"}
OURS = {"key": "gpu.k8s/unverified", "effect": "NoSchedule"}
OURS_EVICTING = {"key": "gpu.k8s/unverified", "effect": "NoExecute", "timeAdded": "2026-11-30T10:00:00Z"}
THEIRS = {"key": "example.com/theirs", "value": "a", "effect": "NoSchedule"}
OTHERS = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}


def host(mode: str = "release", *, tainted: bool = True, broken: bool = False, **more: t.Any) -> Tree:
    whole = base("healthy-h100")
    whole["expect"]["startup_taint"] = mode
    if tainted:
        whole["kubernetes"]["node"]["spec"]["taints"] = [OURS]
    if broken:
        whole["kubernetes"]["node"]["spec"]["unschedulable"] = True
    return whole | more


def wanted(whole: Tree) -> str:
    return wish_for(whole, ABOUT).wanted


# ---- what is wished


def test_a_usable_node_is_released_and_told_of() -> None:
    wish = wish_for(host(), ABOUT)
    assert (wish.wanted, wish.label) == ("release", "usable")
    assert json.loads(wish.annotation) == {"conclusion": "usable", **ABOUT}


def test_a_broken_node_keeps_its_taint_and_gets_it_back_only_when_asked() -> None:
    assert wanted(host("release", broken=True)) == "mark"
    wish = wish_for(host("hold", broken=True), ABOUT)
    assert (wish.wanted, wish.label) == ("hold", "broken")
    told = json.loads(wish.annotation)
    assert (told["first_broken_layer"], told["code"]) == ("scheduler", "SCH001")


@pytest.mark.parametrize("mode", ["release", "hold"])
def test_what_is_not_proven_changes_no_taint(mode: str) -> None:
    wish = wish_for(host(mode, smoke_pod={"not_tried": "no GPU is free"}), ABOUT)
    assert (wish.wanted, wish.label) == ("mark", "not_proven")


def test_a_run_of_some_layers_releases_nothing_and_says_nothing() -> None:
    some = ["driver", "device_plugin", "scheduler"]
    assert wanted(host(chosen=some)) == "leave"
    assert wanted(host("hold", chosen=some, broken=True)) == "hold"


def test_a_node_that_is_not_proven_to_be_the_host_is_left_alone() -> None:
    another = host("hold", broken=True)
    another["kubernetes"]["node"]["status"]["nodeInfo"]["bootID"] = "another"
    unknown = host("hold", broken=True)
    unknown["driver"] = {"records": {}, "error": {"kind": "unreachable", "reason": "no route to host"}}
    shared = host("hold", broken=True)
    shared["kubernetes"]["hosts"] = ["node1", "node1-again"]
    absent = host("hold")
    absent["kubernetes"]["node"] = None
    assert [wanted(one) for one in (another, unknown, shared, absent)] == ["leave"] * 4


def test_without_the_drivers_layer_the_node_alone_was_judged() -> None:
    waived = {"records": {}, "error": {"kind": "waived", "reason": "gpu_k8s_waive names it"}}
    wish = wish_for(host(driver=waived, toolkit=waived), ABOUT)
    assert (wish.wanted, wish.label) == ("release", "waived")


def test_nothing_that_a_case_says_is_wrong_is_released() -> None:
    for name, case in cases().items():
        if case["says"].get("status") != "warning" and not name.startswith("scheduler/startup_taint"):
            whole = evidence(case)
            whole["expect"]["startup_taint"] = "hold"
            released = wanted(whole) == "release"
            assert not released or judge_node(whole).conclusion == "waived", name


# ---- how it is written


def applied(node: Tree, patch: list[Tree]) -> Tree:
    """Apply a JSON patch as the API server does: all of it, or a ValueError."""
    node = copy.deepcopy(node)
    for operation in patch:
        *way, last = [part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]]
        parent: t.Any = node
        for part in way:
            parent = parent[int(part) if isinstance(parent, list) else part]
        key = int(last) if isinstance(parent, list) and last != "-" else last
        if operation["op"] == "test":
            there = len(parent) > key if isinstance(parent, list) else key in parent
            if not there or parent[key] != operation["value"]:
                raise ValueError(operation["path"])
        elif operation["op"] == "remove":
            del parent[key]
        elif isinstance(parent, list):
            parent.insert(len(parent) if last == "-" else key, operation["value"])
        else:
            parent[key] = operation["value"]
    return node


def node_with(*taints: Tree, **metadata: t.Any) -> Tree:
    about = {"name": "node1", "uid": "u-1", "resourceVersion": "7", "labels": {"a": "b"}, "annotations": {"c": "d"}}
    about |= metadata
    about = {key: value for key, value in about.items() if value is not None}
    spec = {"taints": [dict(taint) for taint in taints]} if taints else {}
    return {"metadata": about, "spec": spec, "status": {"nodeInfo": {"bootID": "b-1"}}}


RELEASE = Wish("release", "it is usable", "node1", "b-1", "usable", "{}")
HOLD = Wish("hold", "it is broken", "node1", "b-1", "broken", "{}")
MARK = Wish("mark", "it is not proven", "node1", "b-1", "not_proven", "{}")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([OURS], []),
        ([THEIRS, OURS, OTHERS], [THEIRS, OTHERS]),
        ([OURS, THEIRS], [THEIRS]),
        ([THEIRS, OTHERS, OURS], [THEIRS, OTHERS]),
        ([OURS, THEIRS, OURS_EVICTING, OTHERS], [THEIRS, OTHERS]),
        ([THEIRS], [THEIRS]),
        ([], []),
    ],
)
def test_released_wherever_the_taint_stands(before: list[Tree], after: list[Tree]) -> None:
    node = applied(node_with(*before), patch_for(node_with(*before), RELEASE))
    assert node["spec"].get("taints", []) == after
    assert node["metadata"]["labels"] == {"a": "b", LABEL: "usable"}
    assert node["metadata"]["annotations"] == {"c": "d", ANNOTATION: "{}"}


@pytest.mark.parametrize(
    ("before", "after"),
    [([], [OURS]), ([THEIRS], [THEIRS, OURS]), ([OURS, THEIRS], [OURS, THEIRS]), ([OURS_EVICTING], [OURS_EVICTING])],
)
def test_held_once(before: list[Tree], after: list[Tree]) -> None:
    assert applied(node_with(*before), patch_for(node_with(*before), HOLD))["spec"]["taints"] == after


def test_marked_with_its_taints_as_they_are() -> None:
    node = node_with(THEIRS, OURS)
    assert applied(node, patch_for(node, MARK))["spec"] == node["spec"]


def test_a_node_without_labels_and_annotations() -> None:
    node = node_with(labels=None, annotations=None)
    metadata = applied(node, patch_for(node, RELEASE))["metadata"]
    assert (metadata["labels"], metadata["annotations"]) == ({LABEL: "usable"}, {ANNOTATION: "{}"})


@pytest.mark.parametrize(
    ("wish", "read", "meanwhile"),
    [
        (RELEASE, node_with(OURS, THEIRS), node_with(THEIRS)),
        (RELEASE, node_with(THEIRS, OURS), node_with(OURS, THEIRS)),
        (RELEASE, node_with(OURS), node_with(OURS, uid="u-2")),
        (HOLD, node_with(), node_with(THEIRS, resourceVersion="8")),
        (MARK, node_with(annotations=None), node_with(annotations={"theirs": "1"}, resourceVersion="8")),
    ],
)
def test_a_patch_that_rests_on_what_was_changed_meanwhile_is_refused(wish: Wish, read: Tree, meanwhile: Tree) -> None:
    with pytest.raises(ValueError, match="/"):
        applied(meanwhile, patch_for(read, wish))


# ---- writing


class Api:
    """A Node that others write to, and what the API says. It stands for Cluster and for its ``core``."""

    def __init__(
        self, node: Tree, *before_a_patch: Callable[[Tree], None] | ApiError, carried_out: bool = True
    ) -> None:
        self.node, self.meanwhile, self.asked = node, list(before_a_patch), []
        self.carried_out = carried_out
        self.core = self

    def get(self, method: Callable[..., Tree], *args: str, **query: t.Any) -> Tree:
        return copy.deepcopy(method(*args, **query))

    def read_node(self, _name: str) -> Tree:
        self.asked.append("read")
        return self.node

    def patch_node(self, _name: str, body: list[Tree]) -> Tree:
        self.asked.append("patch")
        happens = self.meanwhile.pop(0) if self.meanwhile else None
        if callable(happens):
            happens(self.node)
        elif happens is not None:
            if happens.status is None and self.carried_out:
                self.node = applied(self.node, body)
            raise happens
        try:
            self.node = applied(self.node, body)
        except ValueError as error:
            raise ApiError(f"HTTP 422: testing path {error}", 422) from error
        return self.node


def written(api: t.Any, wish: Wish = RELEASE) -> Tree:
    return NodeWriter(api).write({"node1": wish})["node1"]


def gets_a_taint_first(node: Tree) -> None:
    node["spec"].setdefault("taints", []).insert(0, dict(THEIRS))
    node["metadata"]["resourceVersion"] += "0"


def test_another_writer_loses_nothing() -> None:
    api = Api(node_with(OURS), gets_a_taint_first, gets_a_taint_first)
    assert written(api) == outcome(RELEASE, has_it=False, changed=True)
    assert api.node["spec"]["taints"] == [THEIRS, THEIRS]
    api = Api(node_with(), gets_a_taint_first)
    assert written(api, HOLD) == outcome(HOLD, has_it=True, changed=True)
    assert api.node["spec"]["taints"] == [THEIRS, OURS]


def test_what_is_refused_each_time_is_given_up() -> None:
    api = Api(node_with(OURS), *[gets_a_taint_first] * 9)
    told = written(api)
    assert (told["taint"], told["changed"]) == ("present", False)
    assert "422" in told["error"]
    assert api.asked == ["read", "patch"] * 5


def test_what_is_forbidden_is_tried_once() -> None:
    api = Api(node_with(OURS), ApiError("HTTP 403: forbidden", 403))
    assert written(api) == outcome(RELEASE, has_it=True, error="HTTP 403: forbidden")
    assert api.asked == ["read", "patch"]


def test_an_answer_that_was_lost_is_looked_for() -> None:
    lost = ApiError("https://192.0.2.1:6443 does not answer in time")
    assert written(Api(node_with(OURS), lost)) == outcome(RELEASE, has_it=False, changed=True)
    not_yet = Api(node_with(OURS), lost, carried_out=False)
    assert written(not_yet) == outcome(RELEASE, error=str(lost))
    assert not_yet.asked == ["read", "patch", "read"]


def test_a_machine_that_was_started_anew_is_left_alone() -> None:
    api = Api(node_with(OURS) | {"status": {"nodeInfo": {"bootID": "b-2"}}})
    told = written(api)
    assert told["taint"] == "unknown"
    assert "boot_id" in told["error"]
    assert api.asked == ["read"]


def test_an_api_that_is_away_is_waited_for_once() -> None:
    class Away(Api):
        def read_node(self, _name: str) -> Tree:
            self.asked.append("read")
            raise ApiError("https://192.0.2.1:6443 does not answer")

    api = Away(node_with(OURS))
    told = NodeWriter(api).write({f"node{n}": RELEASE for n in range(100)})
    assert {one["taint"] for one in told.values()} == {"unknown"}
    assert len(api.asked) <= 8


# ---- what is judged and told


def test_a_broken_node_says_that_new_pods_are_kept_away() -> None:
    whole = host("hold", tainted=False, broken=True)
    whole["startup_taint"] = outcome(wish_for(whole, ABOUT), has_it=True, changed=True)
    verdict = judge_node(whole)
    assert (verdict.conclusion, verdict.deciding.code) == ("broken", "SCH001")
    (told,) = [f for c in verdict.checkpoints for f in c.findings if f.code == "SCH042"]
    assert "was put back on" in told.message
    assert "scheduler layer is broken (SCH001)" in told.message


def test_a_node_that_was_released_is_usable_and_the_proof_says_so() -> None:
    whole = host()
    assert judge_node(whole).conclusion == "not proven"
    whole["startup_taint"] = outcome(wish_for(whole, ABOUT), has_it=False, changed=True)
    verdict = judge_node(whole)
    assert verdict.conclusion == "usable"
    assert verdict.checkpoints[3].seen.endswith("its startup taint was taken away")


def test_smoke_pods_tolerate_it_only_where_the_run_takes_it_away() -> None:
    for mode, tolerated in (("ignore", 0), ("release", 1), ("hold", 1)):
        whole = host(mode)
        assert len(tolerations(whole["kubernetes"]["node"], whole["expect"])) == tolerated


def test_the_user_cannot_tolerate_it() -> None:
    for text in ("gpu.k8s/unverified", "gpu.k8s/unverified:NoSchedule", "gpu.k8s/unverified=x:NoExecute"):
        (wrong,) = check_tolerate([text])
        assert "gpu_k8s_startup_taint" in wrong


def test_one_line_tells_of_all() -> None:
    outcomes = {f"node{n}": outcome(RELEASE, has_it=False, changed=True) for n in range(1, 5)}
    outcomes |= {"node5": outcome(HOLD, has_it=True, changed=True), "node6": outcome(HOLD, has_it=True)}
    outcomes |= {"node7": outcome(RELEASE, error="no"), "node8": outcome(Wish("leave", "this run is partial"))}
    assert in_words(outcomes, check_mode=False) == (
        "startup taint: taken away: node[1-4]; put back: node5; stays: node6; failed: node7; "
        "left alone, since this run is partial: node8"
    )
    assert in_words({"node1": outcome(HOLD)}, check_mode=True) == "startup taint: would be put there: node1"
