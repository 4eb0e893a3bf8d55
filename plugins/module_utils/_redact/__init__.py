# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Redaction: evidence in which names, addresses, serials and UUIDs are pseudonyms, and the verdicts are the same.

Private to the collection; pure. In this order:

    rules.py       what a rule is; rules_fields.py and rules_patterns.py hold them
    originals.py   the names that the value of such a field holds: a host's, its domain's, an image's registry ...
    words.py       the words that are nobody's: of NVIDIA's and Kubernetes' own software, and of this collection
    pseudonyms.py  what an original is called instead
    text.py        where the originals are in a text
    redact.py      all of it over the evidence of a run
    check.py       whether the verdicts are the same, and whether an original is left
    told.py        what the reader of a hand-over is told about it
"""
