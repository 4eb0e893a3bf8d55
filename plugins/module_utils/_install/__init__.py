# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Installing: whether it is consented to, what is there already, and what would be done where.

Private to the collection. No I/O and no Ansible here. It judges the same evidence as verifying (_evidence, _judge) and
the marks that an earlier installation left. Whatever can't be told is a refusal, never a consent.
"""
