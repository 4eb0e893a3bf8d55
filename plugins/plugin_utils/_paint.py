# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The user's own colours for statuses and conclusions, where Ansible would use colours. Private to the collection."""

from __future__ import annotations

from ansible import constants
from ansible.utils.color import stringc

_COLOURS = {
    **dict.fromkeys(("pass", "usable"), constants.COLOR_OK),
    **dict.fromkeys(("fail", "broken"), constants.COLOR_ERROR),
    **dict.fromkeys(("unknown", "busy", "warning", "not proven", "waived"), constants.COLOR_WARN),
    **dict.fromkeys(("blocked", "skip"), constants.COLOR_SKIP),
}


def painted(word: str, stands_for: str) -> str:
    return str(stringc(word, _COLOURS[stands_for]))
