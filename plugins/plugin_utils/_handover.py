# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The hand-over: a folder that may leave the site, made of redacted evidence. Private to the collection."""

from __future__ import annotations

import json
import typing as t
from collections.abc import Sequence
from pathlib import Path

from ansible_collections.gpu.k8s.plugins.module_utils._chain import NodeVerdict
from ansible_collections.gpu.k8s.plugins.module_utils._judge.node import judge_node
from ansible_collections.gpu.k8s.plugins.module_utils._redact.check import originals_left, same_verdicts
from ansible_collections.gpu.k8s.plugins.module_utils._redact.pseudonyms import Known
from ansible_collections.gpu.k8s.plugins.module_utils._redact.redact import redact
from ansible_collections.gpu.k8s.plugins.module_utils._redact.told import redaction
from ansible_collections.gpu.k8s.plugins.module_utils._render import handover, html, junit
from ansible_collections.gpu.k8s.plugins.module_utils._render.document import document

from ._evidence_files import evidence_files
from ._report_folder import EVIDENCE, HANDOVER, PSEUDONYMS, as_json, put_away_handover, write, write_json

Tree = dict[str, t.Any]


class NotHandedOverError(Exception):
    """The hand-over is not written. The message says why, and names nothing of the site's."""


def write_handover(
    folder: Path, run: Tree, cluster: Tree, evidence: list[Tree], verdicts: Sequence[NodeVerdict], redacting: bool
) -> Path:
    """Write the hand-over below the report folder and return its page. Raises NotHandedOverError.

    ``verdicts`` are those of the evidence as it is: what is handed over must lead to the same.
    """
    put_away_handover(folder)
    redacted = redact(run, cluster, evidence, _known(folder / PSEUDONYMS)) if redacting else None
    if redacted:
        run, cluster, evidence = redacted.run, redacted.cluster, redacted.evidence
        given, verdicts = verdicts, [judge_node(one) for one in evidence]
        if not same_verdicts(given, verdicts):
            raise NotHandedOverError("the redacted evidence would not lead to the same verdicts")
    told = document(run, cluster, evidence, verdicts)
    texts = {f"{EVIDENCE}/{name}": as_json(tree) for name, tree in evidence_files(run, cluster, evidence)}
    if len(texts) != 1 + len(evidence):
        raise NotHandedOverError("two hosts would have the same pseudonym")
    texts["report.json"] = as_json(told)
    texts["report.html"] = html.page(told)
    texts["junit.xml"] = junit.suites(told)
    texts["handover.md"] = handover.page(told, redaction(redacted))
    if redacted:
        left = originals_left(redacted, texts.values())
        if left:
            raise NotHandedOverError(f"it would still hold originals of the kind {', '.join(sorted(left))}")
        write_json(folder / PSEUDONYMS, redacted.pseudonyms)
    for name, text in texts.items():
        write(folder / HANDOVER / name, text)
    return folder / HANDOVER / "handover.md"


def _known(path: Path) -> Known:
    """Read the pseudonyms of earlier runs. A file that can't be read must not be replaced by a shorter one."""
    try:
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return {str(kind): {str(name): str(given) for name, given in names.items()} for kind, names in known.items()}
    except (OSError, ValueError, AttributeError) as error:
        raise NotHandedOverError(f"{path} can't be read ({error}). Mend it, or move it away to begin anew") from error
