# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lines for a terminal of 80 columns, in which nothing that a host or a cluster wrote can steer the terminal."""

from __future__ import annotations

import textwrap

WIDTH = 80


def wrapped(start: str, text: str, indent: str) -> list[str]:
    """Return the text in lines, the first after ``start``, the others after ``indent``."""
    flat = printable(" ".join(text.split()))
    return textwrap.wrap(flat, WIDTH, initial_indent=start, subsequent_indent=indent, break_on_hyphens=False)


def printable(text: str) -> str:
    """Return the text with a sign in place of each character that is none, such as an escape."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
