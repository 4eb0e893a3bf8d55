# SPDX-License-Identifier: GPL-3.0-or-later
"""Let tests import the collection as Ansible does, by the collections_path of the checkout's ansible.cfg."""

import os
from pathlib import Path

os.environ["ANSIBLE_CONFIG"] = str(Path(__file__).parents[2] / "ansible.cfg")


def pytest_configure() -> None:
    """Install Ansible's importer before any test module imports ansible_collections."""
    from ansible.plugins.loader import init_plugin_loader

    init_plugin_loader()
