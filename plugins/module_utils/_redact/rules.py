# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a rule is: what is looked for, and what kind of name it is. Rules are data.

One can be taken away; tests/unit/test_redact_rules.py shows that something would be left then.
"""

from __future__ import annotations

import re
import typing as t
from collections.abc import Callable
from dataclasses import dataclass

from .originals import Splitter

KEY = "~"
"""Stands in a field for the keys of a mapping, ``*`` for its values."""


@dataclass(frozen=True)
class FieldRule:
    """Fields whose values are names for sure. Such a name is replaced wherever it stands.

    ``fields``: the last keys on the way to it, with a space between; lists do not count.
    """

    name: str
    fields: tuple[str, ...]
    originals: Splitter


@dataclass(frozen=True)
class PatternRule:
    """What is known by its form, in any text. The last group of ``pattern`` that takes part is the original.

    ``hints`` are texts (in small letters) without any of which the pattern need not be tried; ``accept`` has the last
    word. ``folded``: capitals make no other original.
    """

    name: str
    kind: str
    pattern: re.Pattern[str]
    hints: tuple[str, ...] = ()
    accept: Callable[[str], bool] = bool
    folded: bool = False


Rule: t.TypeAlias = "FieldRule | PatternRule"
