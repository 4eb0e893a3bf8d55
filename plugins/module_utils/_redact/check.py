# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What has to hold of redacted evidence before it may leave: the same verdicts, and no original."""

from __future__ import annotations

import typing as t
from collections.abc import Iterable, Sequence

from .._chain import NodeVerdict
from .redact import Redacted


def same_verdicts(a: Sequence[NodeVerdict], b: Sequence[NodeVerdict]) -> bool:
    """Whether both say the same of each node: conclusion, statuses, and the codes of the findings."""
    return [_said(verdict) for verdict in a] == [_said(verdict) for verdict in b]


def _said(verdict: NodeVerdict) -> tuple[t.Any, ...]:
    """The order of findings within a checkpoint is left out: some rules go through names by the alphabet."""
    deciding = verdict.deciding
    return (
        verdict.conclusion,
        verdict.first_broken_layer,
        deciding and deciding.code,
        [(c.status, sorted((f.code, f.layer, f.status) for f in c.findings)) for c in verdict.checkpoints],
    )


def originals_left(redacted: Redacted, texts: Iterable[str]) -> set[str]:
    """Return the kinds of originals that texts which are to be written still hold.

    A mere word is not looked for, since the reports' own sentences are made of words.
    """
    given = {pseudonym for names in redacted.pseudonyms.values() for pseudonym in names.values()}
    return {
        kind
        for text in texts
        for _start, _end, kind, original in redacted.names.find(text, words=False)
        if original not in given
    }
