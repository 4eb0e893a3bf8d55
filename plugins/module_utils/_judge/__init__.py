# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judge: from evidence to verdicts, one file a layer. Pure functions; no I/O and no Ansible.

Private to the collection.
"""
