# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""JUnit XML: a test suite a node, a test case a checkpoint, for CI servers and their history.

Only a pass is a case without an outcome. ``fail`` is a failure; ``unknown`` and ``busy`` are errors: the check gave no
answer. ``blocked``, ``skip`` and ``waived`` were not tried, so they are skipped. Servers count skipped cases as green,
so each node has one more case, its conclusion, which is green for a usable node alone; and the run has a case of its
own, so that a run without nodes, or one that ended early, is no green file.
"""

from __future__ import annotations

import re
import typing as t
from collections.abc import Iterator, Mapping, Sequence
from xml.etree import ElementTree as ET

from .moment import moment, seconds_of

Fields = Mapping[str, t.Any]

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def suites(document: Fields) -> str:
    """Return the verdict document as JUnit XML."""
    run = document["run"]
    every = [_of_the_run(document), *(_of_a_node(node) for node in document["nodes"])]
    root = ET.Element("testsuites", {"name": "gpu.k8s", **_totals(every), **_duration(run)})
    started = moment(run.get("started"))
    for suite in every:
        if started:
            suite.set("timestamp", f"{started:%Y-%m-%dT%H:%M:%S}")
        root.append(suite)
    _make_writable(root)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _of_the_run(document: Fields) -> ET.Element:
    run, cluster = document["run"], document["cluster"]
    about = {f"run.{name}": run.get(name) for name in ("id", "started", "finished", "pattern", "by")}
    about |= {f"cluster.{name}": cluster.get(name) for name in ("context", "server", "version", "uid", "identity")}
    about |= {f"version.{name}": version for name, version in (run.get("versions") or {}).items()}
    case = ET.Element("testcase", {"classname": "gpu.k8s", "name": "the run came to its end"})
    why = _not_whole(document)
    if why:
        _outcome(case, "error", "incomplete", f"Not proven: {why}.")
    return _suite("gpu.k8s run", about, [case])


def _not_whole(document: Fields) -> str:
    """Why the verdicts are not those of a whole run; empty if they are."""
    if document["run"].get("ended_early"):
        return f"the run came to no end of its own: {document['run']['ended_early']}"
    return "" if document["nodes"] else "no node was judged"


def _of_a_node(node: Fields) -> ET.Element:
    facts = {name: value for name, value in node["facts"].items() if name not in ("models", "uuids")}
    about = {"node": node["node"], **facts, "models": ", ".join(node["facts"].get("models") or ())}
    cases = [_checkpoint(node, checkpoint) for checkpoint in node["checkpoints"]]
    return _suite(node["host"], about, [*cases, _conclusion(node)])


def _suite(name: str, about: Fields, cases: Sequence[ET.Element]) -> ET.Element:
    suite = ET.Element("testsuite", {"name": name, **_counts(cases)})
    properties = ET.SubElement(suite, "properties")
    for key, value in about.items():
        if value not in (None, ""):
            ET.SubElement(properties, "property", {"name": key, "value": str(value)})
    suite.extend(cases)
    return suite


def _checkpoint(node: Fields, checkpoint: Fields) -> ET.Element:
    name = f"{checkpoint['number']} {checkpoint['layer']}: {checkpoint['title']}"
    case = ET.Element("testcase", {"classname": node["host"], "name": name})
    status, findings = checkpoint["status"], checkpoint["findings"]
    if status == "pass":
        seen = [checkpoint["seen"], *_told(findings, node["excerpts"])]
        ET.SubElement(case, "system-out").text = "\n".join(seen)
    elif status == "blocked":
        _outcome(case, "skipped", status, f"blocked: the first broken layer is {node['first_broken_layer']}")
    elif status == "skip":
        _outcome(case, "skipped", status, "skip: the run was not asked for it, or creates no Pod (check mode)")
    elif status == "waived":
        _outcome(case, "skipped", status, "waived: it was not looked at, since gpu_k8s_waive names the layer")
    else:
        decisive = [finding for finding in findings if finding["status"] == status]
        code = decisive[0]["code"] if decisive else status
        said = "; ".join(f"{f['code']} {f['layer']}: {f['message']}" for f in decisive) or "nothing was seen"
        kind = "failure" if status == "fail" else "error"
        _outcome(case, kind, code, f"{status}: {said}", [*_told(decisive, node["excerpts"])])
    return case


def _conclusion(node: Fields) -> ET.Element:
    case = ET.Element("testcase", {"classname": node["host"], "name": "conclusion"})
    deciding = node["deciding"]
    because = f" ({deciding['code']} {deciding['layer']}: {deciding['message']})" if deciding else ""
    if node["conclusion"] == "broken":
        message = f"broken: the first broken layer is {node['first_broken_layer']}{because}"
        _outcome(case, "failure", "broken", message)
    elif node["conclusion"] == "waived":
        numbers = ", ".join(map(str, node["not_proven"]))
        _outcome(case, "error", "waived", f"waived: checkpoints {numbers} were not looked at, and all others passed")
    elif node["conclusion"] != "usable":
        numbers = ", ".join(map(str, node["not_proven"]))
        _outcome(case, "error", "not_proven", f"not proven: checkpoints {numbers} did not pass{because}")
    return case


def _outcome(case: ET.Element, kind: str, type_: str, message: str, text: Sequence[str] = ()) -> None:
    """Some servers show the message alone and some the text alone, so each says it all in its length."""
    outcome = ET.SubElement(case, kind, {"type": type_, "message": " ".join(message.split())})
    outcome.text = "\n".join(text or [message])


def _told(findings: Sequence[Fields], excerpts: Fields) -> Iterator[str]:
    """Each finding with its remedy, and the lines that it rests on."""
    for finding in findings:
        yield f"{finding['code']} {finding['layer']} ({finding['status']}): {finding['message']}"
        yield f"remedy: {finding['remedy']}"
        for pointer in finding["evidence"]:
            yield f"evidence: {pointer}"
            yield from _lines(excerpts.get(pointer))


def _lines(excerpt: Fields | None) -> Iterator[str]:
    if excerpt is None:
        return
    if excerpt["command"]:
        ended = "did not end" if excerpt["exit_code"] is None else f"exit code {excerpt['exit_code']}"
        yield f"  $ {excerpt['command']}   ({ended})"
    for number, line in enumerate(excerpt["lines"]):
        yield f"  {'>' if number in excerpt['decides'] else ' '} {line}"


def _counts(cases: Sequence[ET.Element]) -> dict[str, str]:
    outcomes = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    number = {name: sum(case.find(tag) is not None for case in cases) for name, tag in outcomes.items()}
    return {"tests": str(len(cases)), **{name: str(count) for name, count in number.items()}}


def _totals(every: Sequence[ET.Element]) -> dict[str, str]:
    names = ("tests", "failures", "errors", "skipped")
    return {name: str(sum(int(suite.get(name, "0")) for suite in every)) for name in names}


def _duration(run: Fields) -> dict[str, str]:
    seconds = seconds_of(run)
    return {} if seconds is None else {"time": f"{seconds:.3f}"}


def _make_writable(element: ET.Element) -> None:
    """XML 1.0 has no way to write most control characters, nor lone surrogates."""
    for one in element.iter():
        one.text = one.text and _NOT_XML.sub("\ufffd", one.text)
        for name, value in one.items():
            one.set(name, _NOT_XML.sub("\ufffd", value))
