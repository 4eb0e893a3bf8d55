# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is said about the user's own expectations. They count for the layer that they are about."""

from __future__ import annotations

from ._entry import Entry

ENTRIES = (
    Entry(
        code="EXP001",
        layer="scheduler",
        status="fail",
        title="An expectation of your own is not met",
        message="{name}: {query} should {wanted} and is {seen}.",
        meaning="gpu_k8s_expect says what has to hold for this node, and the evidence says otherwise. It counts for "
        "the layer that the expectation names, or that its query is about.",
        remedy="Put the node right, or change the expectation {name} in gpu_k8s_expect.",
        mistaken_for="A check of this collection.",
        sources=("https://jmespath.org/specification.html",),
    ),
    Entry(
        code="EXP002",
        layer="scheduler",
        status="unknown",
        title="An expectation of your own could not be looked at",
        message="{name}: {query} {problem}.",
        meaning="What was not seen is neither met nor broken.",
        remedy="Try the query on the saved evidence (evidence/<host>.json beside the report). A list that could not be "
        "read, or a field that is not collected, has no value.",
        mistaken_for="An expectation that is not met.",
        sources=("https://jmespath.org/specification.html",),
    ),
)
