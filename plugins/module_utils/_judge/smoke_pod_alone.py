# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One Pod by itself, without the layers below it: what gpu.k8s.smoke_verdict says of it."""

from __future__ import annotations

import typing as t
from collections.abc import Iterable, Mapping
from dataclasses import asdict

from .._chain import Finding, Judgement, status_of
from .._evidence.kubernetes_objects import read_asked
from .._evidence.smoke_pod import end_of, log_of, read_end
from .smoke_pod import Trial, judge_smoke_pod

Fields = Mapping[str, t.Any]
Verdict = dict[str, t.Any]


def judge_pods(pods: Fields, resource: str) -> Verdict:
    """Judge the Pods of one node, as gpu.k8s.smoke_pods_info returns them."""
    smokes = [pods["smoke_pod"], *(pods.get("smoke_pods_more") or ())]
    by_claim = any(read_end(smoke["pod"]).claims for smoke in smokes if smoke.get("pod"))
    trial = _trial(resource, by_claim, pods.get("node"), pods.get("host_uuids"))
    placed, proven = judge_smoke_pod(smokes, pods.get("control_pod"), trial)
    return {"host": pods.get("host") or "", **_verdict(placed, proven, pods["smoke_pod"])}


def judge_pod(given: Fields) -> Verdict:
    """Judge one Pod object and its log, whoever made it. ``given`` are the options of the module."""
    pod = given["pod"] or None
    end = read_end(pod, given["container"]) if pod else None
    by_claim = bool(end and end.claims and given["resource"] not in (end.limits or {}))
    evidence = {
        "pod": pod,
        "log": given["log"],
        "log_error": "it was not given" if given["log"] is None else None,
        "nonce": given["nonce"],
        "container": given["container"],
        "pass_pattern": given["pass_pattern"],
        "fail_pattern": given["fail_pattern"],
    }
    limit = ((end.limits if end else None) or {}).get(given["resource"])
    seen = len(log_of(evidence).handed)
    evidence["asked"] = given["gpus"] or int(limit or 0) or (max(1, seen) if by_claim else 1)
    trial = _trial(given["resource"], by_claim, given["node"], given["host_uuids"])
    control = None
    if given["control_pod"]:
        control = {"pod": given["control_pod"], "log": given["control_log"], "nonce": given["control_nonce"]}
    placed, proven = judge_smoke_pod([evidence], control, trial, with_control=control is not None)
    return _verdict(placed, proven, evidence)


def _trial(resource: str, by_claim: bool, node: str | None, uuids: t.Any) -> Trial:
    ask = "dra" if by_claim else "device_plugin"
    asked = read_asked({"resource": resource, "smoke_gpus": 1, "smoke_ask": ask})
    return Trial(asked=asked, node=node, host_uuids=uuids)


def _verdict(placed: Judgement, proven: Judgement, smoke: Fields) -> Verdict:
    findings = list(dict.fromkeys((*placed.findings, *proven.findings)))
    statuses = [status_of(placed), status_of(proven)]
    status = next((s for s in ("fail", "unknown", "busy") if s in statuses), "pass")
    decides = next((f for f in findings if f.status == status), None)
    container = end_of(smoke).container if smoke.get("pod") else None
    return {
        "passed": statuses == ["pass", "pass"],
        "status": status,
        "code": decides.code if decides else "",
        "layer": decides.layer if decides else "",
        "placed": statuses[0],
        "proven": statuses[1],
        "exit_code": container.exit_code if container else None,
        "reason": _reason(smoke),
        "gpus": list(log_of(smoke).handed),
        "why": decides.message if decides else _because(proven, findings),
        "findings": [asdict(finding) for finding in findings],
    }


def _reason(smoke: Fields) -> str:
    """The Pod's own reason stands above its container's."""
    if not smoke.get("pod"):
        return ""
    end = end_of(smoke)
    return end.pod_reason or end.container.reason or end.container.waiting_reason


def _because(proven: Judgement, findings: Iterable[Finding]) -> str:
    return "; ".join((proven.seen or "", *(f"but {finding.message}" for finding in findings)))
