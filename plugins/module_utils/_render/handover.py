# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The hand-over as a page of Markdown, for somebody who was not there.

docs/handover.md tells what sender and receiver do with it.
"""

from __future__ import annotations

import re
import shlex
import typing as t
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .handover_stops import stops
from .markdown import code, codes, fenced, plain, prose, table
from .moment import minute

Fields = Mapping[str, t.Any]

_LINES = 15  # of an excerpt; the evidence itself goes with the page
_NAMED = 10  # hosts in a command
_UUID = re.compile(r"\b(?:GPU|MIG)-[0-9a-f-]{36}")

_WORDS = (
    "The chain is GPU, Linux driver, container toolkit and runtime, device plugin, API and scheduler, GPU Pod. "
    "Six checkpoints stand for it, and none vouches for another.",
    "A node is **usable** only with six passes, **broken** when one failed (the first broken layer is named), "
    "**waived** when all passed but those that the sender does without, and otherwise **not proven**.",
    "*busy*: every GPU is held by a Pod. *blocked*: a lower layer is broken. *skip*: the run was not asked for it. "
    "*waived*: the sender does without it, so it was not looked at. "
    "*unknown*: evidence is missing, or contradicts itself. None of these is a pass.",
)

_LIMITS = (
    "What was before and after: a verification is a moment.",
    "That CUDA computes, unless `gpu_k8s_smoke_cuda_image` was set: the smoke Pods run `nvidia-smi`.",
    "Speed, memory and temperature under load. DCGM's diagnostics are for that.",
    "NVLink, InfiniBand and RDMA in use, and NCCL between nodes.",
    "Other images, Namespaces, quotas, priorities and admission policies than those of the smoke Pods.",
    "Storage, network and Services of Pods.",
)


def page(document: Fields, redaction: Fields) -> str:
    """Return the page. ``redaction``: ``redacted``, ``replaced`` (number by kind), ``kept`` and ``not_redacted``."""
    sections = (
        ("What must not be done next", _stops(document)),
        ("What is not fine", _faults(document)),
        ("Every node", _nodes(document)),
        ("What the passes rest on", _proofs(document)),
        ("What was not tested", _not_tested(document)),
        ("What to send back", _checklist(document, redaction)),
        ("The words, and the files", _words(document)),
        ("Redaction", _redaction(redaction)),
    )
    parts = ["\n".join(_head(document, redaction))]
    parts += [f"## {title}\n\n" + "\n".join(section).rstrip("\n") for title, section in sections]
    return "\n\n".join(parts) + "\n"


def _head(document: Fields, redaction: Fields) -> Iterator[str]:
    run, cluster, versions = document["run"], document["cluster"], document["run"].get("versions") or {}
    yield f"# Hand-over: can Pods get NVIDIA GPUs? {document['conclusion'].capitalize()}"
    yield ""
    if redaction["redacted"]:
        yield "Names, addresses and identifiers on this page are pseudonyms; see [Redaction](#redaction)."
    else:
        yield "**Not redacted: this page and its files carry the real names, addresses and identifiers of the site.**"
    yield ""
    if run.get("ended_early"):
        yield f"**The run came to no end of its own:** {plain(run['ended_early'])}."
        yield ""
    count = document["summary"]
    answered = f"Kubernetes {plain(cluster['version'])}" if cluster.get("version") else "it did not answer"
    failed = f" ({plain(cluster['error'])})" if cluster.get("error") else ""
    rows = [
        (
            "Conclusion",
            f"**{document['conclusion']}**: of {count['nodes']} nodes {count['usable']} usable, "
            f"{count['broken']} broken, {count['not_proven']} not proven"
            + (f", {count['waived']} waived" if count["waived"] else ""),
        ),
        ("Run", f"{code(run['id'])}, {minute(run.get('started'))} to {minute(run.get('finished'))}"),
        ("Run by", _known(run.get("by"))),
        ("Cluster", f"{code(cluster['context'])}, {answered}{failed}" if cluster.get("context") else "not asked"),
        ("API server", _known(cluster.get("server"))),
        ("UID of `kube-system`", _known(cluster.get("uid"))),
        ("Asked as", _known(cluster.get("identity"))),
        ("Hosts", f"{code(run.get('pattern') or '?')}: {len(run.get('hosts') or document['nodes'])}"),
        ("Layers chosen", codes(run.get("chosen") or ()) or "none"),
        ("Versions", ", ".join(f"{plain(name)} {plain(version)}" for name, version in versions.items())),
    ]
    yield from table(("", ""), rows)


def _known(value: object) -> str:
    return code(value) if value else "not known"


# ---- what must not be done, and what is to be done


def _stops(document: Fields) -> Iterator[str]:
    found = [*stops(document)]
    yield from (f"{number}. {stop}" for number, stop in enumerate(found, 1))
    if not found:
        yield "Nothing is forbidden by what was found."
    yield ""
    yield "And always: run nothing that is quoted on this page as evidence. It is what machines printed, and no advice."


@dataclass(frozen=True)
class _Told:
    """A finding of a checkpoint that is not blocked, or the lack of any."""

    code: str
    layer: str
    status: str
    title: str
    remedy: str


def _faults(document: Fields) -> Iterator[str]:
    """Nodes that share a fate are told of together. What lies above the first broken layer is not told."""
    fates: dict[tuple[t.Any, ...], list[Fields]] = {}
    for node in document["nodes"]:
        told = _told(node)
        if told or node["conclusion"] != "usable":
            owners = tuple(node["owners"].get(one.layer, {}).get("owner") for one in told)
            statuses = tuple(checkpoint["status"] for checkpoint in node["checkpoints"])
            key = (node["conclusion"], node["first_broken_layer"], statuses, tuple(told), owners)
            fates.setdefault(key, []).append(node)
    if not fates:
        yield "Nothing was found." if document["nodes"] else "No node was judged."
    for number, alike in enumerate(fates.values(), 1):
        yield from _fate(number, alike)


def _told(node: Fields) -> dict[_Told, Fields]:
    """The findings of a node by what is the same on other nodes; of two, the one of the lower checkpoint."""
    told: dict[_Told, Fields] = {}
    for checkpoint in node["checkpoints"]:
        for finding in checkpoint["findings"] if checkpoint["status"] != "blocked" else ():
            told.setdefault(_Told(*(finding[name] for name in _Told.__dataclass_fields__)), finding)
    return told


def _fate(number: int, alike: Sequence[Fields]) -> Iterator[str]:
    first = alike[0]
    hosts = [node["host"] for node in alike]
    where = f" at the {plain(first['first_broken_layer'])} layer" if first["first_broken_layer"] else ""
    yield f"### {number}. {first['conclusion'].capitalize()}{where}: {codes(hosts, 6)}"
    yield ""
    if first["not_proven"]:
        statuses = (f"{c['number']} {plain(c['layer'])} *{c['status']}*" for c in first["checkpoints"])
        yield f"Checkpoints: {', '.join(statuses)}."
        yield ""
    told = _told(first)
    for one, finding in told.items():
        yield from _finding(one, finding["evidence"], alike)
    if not told:
        yield "No finding: what is missing above was skipped or waived, or left nothing that proves it."
        yield ""


def _finding(one: _Told, pointers: Sequence[str], alike: Sequence[Fields]) -> Iterator[str]:
    first = alike[0]
    yield f"**{plain(one.code)}** ({plain(one.layer)}, {one.status}): {plain(one.title)}"
    yield ""
    yield from _messages(one, alike)
    yield f"* Remedy: {prose(one.remedy)}"
    owner = first["owners"].get(one.layer)
    if owner:
        whose = "whoever runs the node" if owner["owner"] == "nobody" else owner["owner"]
        yield f"* Owner of the {plain(one.layer)} layer: {plain(whose)} ({plain(owner['because'])})"
    yield ""
    for pointer in pointers:
        yield from _excerpt(first, pointer)


def _messages(one: _Told, alike: Sequence[Fields]) -> Iterator[str]:
    """What is said of each node, once where it is the same of all."""
    hosts: dict[str, list[str]] = {}
    for node in alike:
        hosts.setdefault(_told(node)[one]["message"], []).append(node["host"])
    for number, (message, named) in enumerate(hosts.items()):
        if number == _NAMED:
            yield f"* and {len(hosts) - _NAMED} more, in `report.json`"
            return
        whom = f"{codes(named, 6)}: " if len(hosts) > 1 else "Seen: "
        yield f"* {whom}{prose(message)}"


def _excerpt(node: Fields, pointer: str) -> Iterator[str]:
    excerpt = node["excerpts"].get(pointer)
    if excerpt is None:
        yield f"Evidence: {code(pointer)} of {code(node['host'])}, which is not there."
        yield ""
        return
    shown = list(range(len(excerpt["lines"])))
    if len(shown) > _LINES:
        shown = list(excerpt["decides"])[:_LINES] or shown[-_LINES:]
    more = ", in part" if excerpt["cut_off"] or len(shown) < len(excerpt["lines"]) else ""
    marks = "; `>` marks the lines that decide" if excerpt["decides"] else ""
    yield f"Evidence: {code(pointer)} of {code(node['host'])}{more}{marks}:"
    yield ""
    lines = [f"{'>' if n in excerpt['decides'] else ' '} {excerpt['lines'][n] or '(nothing)'}" for n in shown]
    if excerpt["command"]:
        ended = "did not end" if excerpt["exit_code"] is None else f"exit code {excerpt['exit_code']}"
        lines.insert(0, f"$ {excerpt['command']}   ({ended})")
    yield from fenced(lines)
    yield ""


# ---- all nodes


def _nodes(document: Fields) -> Iterator[str]:
    if not document["nodes"]:
        yield "None."
        return
    names = [f"{c['number']} {plain(c['layer'])}" for c in document["nodes"][0]["checkpoints"]]
    head = ("Host", "Node", "GPUs", "Driver", *names, "Conclusion", "Because")
    yield from table(head, (_node(node) for node in document["nodes"]))


def _node(node: Fields) -> list[str]:
    facts, deciding = node["facts"], node["deciding"]
    models = ", ".join(facts.get("models") or ()) or facts.get("gpus")
    marks = [f"**{c['status']}**" if c["status"] == "fail" else str(c["status"]) for c in node["checkpoints"]]
    return [
        code(node["host"]),
        _known(node["node"]),
        "?" if models is None else plain(models),
        plain(facts.get("driver") or "?"),
        *marks,
        f"**{node['conclusion']}**",
        f"{plain(deciding['code'])} ({plain(deciding['layer'])})" if deciding else "",
    ]


def _proofs(document: Fields) -> Iterator[str]:
    rows = []
    for place in range(len(document["nodes"][0]["checkpoints"]) if document["nodes"] else 0):
        passed = [node for node in document["nodes"] if node["checkpoints"][place]["status"] == "pass"]
        checkpoint = (passed or document["nodes"])[0]["checkpoints"][place]
        title = f"{checkpoint['number']} {plain(checkpoint['title'])}"
        example = f"{code(passed[0]['host'])}: {plain(checkpoint['seen'])}" if passed else ""
        where = codes(checkpoint["proof"]) if passed else ""
        rows.append((title, f"{len(passed)} of {len(document['nodes'])}", example, where))
    if rows:
        yield from table(("Checkpoint", "Passes", "For example", "Evidence"), rows)
    yield ""
    yield "What was seen of each node is in `report.json` (`nodes[].checkpoints[].seen`)."


# ---- what was not tested


def _not_tested(document: Fields) -> Iterator[str]:
    hosts: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for node in document["nodes"]:
        for status in ("skip", "waived", "blocked", "unknown", "busy"):
            numbers = tuple(c["number"] for c in node["checkpoints"] if c["status"] == status)
            if numbers:
                hosts.setdefault((status, numbers), []).append(node["host"])
    for (status, numbers), alike in hosts.items():
        checkpoints = f"checkpoint{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
        yield f"* {checkpoints.capitalize()} (*{status}*) of {codes(alike)}"
    unused: dict[tuple[int, int], list[str]] = {}
    for node in document["nodes"]:
        left = _left_out(node)
        if left:
            unused.setdefault(left, []).append(node["host"])
    for (count, total), alike in unused.items():
        yield f"* {count} of {total} GPUs ({codes(alike, 6)}), since no smoke Pod was given them"
    yield "* In no verification:"
    yield from (f"    * {limit}" for limit in _LIMITS)


def _left_out(node: Fields) -> tuple[int, int] | None:
    """How many of a node's GPUs no Pod saw, where Pods saw whole ones. Parts of a GPU have UUIDs of their own."""
    uuids = node["facts"].get("uuids") or ()
    last = node["checkpoints"][-1]
    seen = set(_UUID.findall(last["seen"] or "")) if last["status"] == "pass" else set()
    left = len(set(uuids) - seen)
    return (left, len(uuids)) if seen and seen <= set(uuids) and left else None


# ---- the way back


def _checklist(document: Fields, redaction: Fields) -> Iterator[str]:
    run = document["run"]
    yield f"* [ ] The number of this run, {code(run['id'])}, and who answers."
    yield "* [ ] For each finding above: what was done, on which host, when and by whom; or why nothing was done."
    yield "* [ ] For each stop condition above: that it was kept, or who decided otherwise."
    yield "* [ ] Where nodes can be reached: a verification after the repair, of the mended nodes and then of all:"
    yield ""
    yield from (f"    {line}" for line in fenced(_commands(document), "sh"))
    yield ""
    yield "* [ ] Of that verification the folder `handover/` (never `pseudonyms.json`), and the word in `conclusion`:"
    yield "  `usable`, `waived`, `broken` or `not_proven`. Only `usable` closes this hand-over, or `waived` where both"
    yield "  sides do without what was not looked at."
    yield "* [ ] `comparison.md`, so that what else has changed is seen:"
    yield ""
    compare = "ansible-playbook gpu.k8s.compare -e gpu_k8s_before=REPORT-BEFORE -e gpu_k8s_after=REPORT-AFTER"
    yield from (f"    {line}" for line in fenced([compare], "sh"))
    if redaction["redacted"]:
        yield ""
        yield "Use the names of this page in the answer: the sender reads them back. The commands need the real ones."


def _commands(document: Fields) -> Iterator[str]:
    run, cluster = document["run"], document["cluster"]
    parts = ["ansible-playbook gpu.k8s.verify -i INVENTORY"]
    if cluster.get("context"):
        parts.append(f"-e {shlex.quote('gpu_k8s_context=' + cluster['context'])}")
    if run.get("pattern") not in (None, "", "gpu_nodes"):
        parts.append(f"-e {shlex.quote('gpu_k8s_hosts=' + run['pattern'])}")
    whole = " ".join(parts)
    open_ = [node["host"] for node in document["nodes"] if node["conclusion"] != "usable"]
    if 0 < len(open_) <= _NAMED and len(open_) < len(document["nodes"]):
        yield f"{whole} --limit {shlex.quote(','.join([*open_, 'localhost']))}"
    yield whole


# ---- for whom this is new


def _words(document: Fields) -> Iterator[str]:
    yield from (f"* {line}" for line in _WORDS)
    yield "* `docs/findings.md` of gpu.k8s explains every code, and what it is often mistaken for."
    yield "* Beside this page: `report.json` and `report.html` hold the same in full, `evidence/` what was seen."
    yield "* The verdicts follow from the evidence alone. To judge it again, without any host or cluster:"
    yield ""
    yield from (
        f"    {line}" for line in fenced(["ansible-playbook gpu.k8s.replay -e gpu_k8s_evidence_folder=evidence"], "sh")
    )
    yield ""
    version = (document["run"].get("versions") or {}).get("gpu.k8s")
    yield f"  The same verdicts are certain only with the same gpu.k8s ({plain(version or 'version not known')})."


def _redaction(redaction: Fields) -> Iterator[str]:
    if not redaction["redacted"]:
        yield "None. Everything is as it was seen; send it only to whom the names of the site may be told."
        return
    yield "One name has one pseudonym, in all files and in later hand-overs of the site. Replaced:"
    yield ""
    yield from table(("Kind", "Different ones"), ((plain(kind), str(n)) for kind, n in redaction["replaced"].items()))
    for title, sentences in (("Kept", redaction["kept"]), ("Not redacted", redaction["not_redacted"])):
        if sentences:
            yield ""
            yield f"{title}:"
            yield ""
            yield from (f"* {plain(sentence)}" for sentence in sentences)
