#!/usr/bin/env python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn the evidence of a run into YAML with block text, as a base for cases: evidence_to_yaml.py EVIDENCE.json

Read what it prints before you keep it: host names, addresses, serials and UUIDs are still in it.
"""

import json
import sys
from pathlib import Path

import yaml


class Dumper(yaml.SafeDumper):
    """Lists indented below their key, and text of several lines as a block."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        return super().increase_indent(flow, False)


def represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


Dumper.add_representer(str, represent_text)
evidence = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
print("---")
print(yaml.dump(evidence, Dumper=Dumper, sort_keys=False, width=110), end="")
