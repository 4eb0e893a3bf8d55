#!/usr/bin/env python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write roles/*/README.md out of meta/argument_specs.yml; with --check, fail if one is not current."""

import re
import sys
import typing as t
from pathlib import Path

import yaml

ROLES = Path(__file__).resolve().parents[2] / "roles"


def page(role: str, specs: dict[str, t.Any]) -> str:
    lines = ["<!-- Made by tests/tools/role_pages.py (make docs). Change meta/argument_specs.yml instead. -->", ""]
    lines += [f"# gpu.k8s.{role}"]
    for entry_point, spec in specs.items():
        if entry_point != "main":
            lines += ["", f"## Entry point `{entry_point}`"]
        lines += ["", f"{plain(spec['short_description'])}.", *(f"\n{plain(text)}" for text in spec["description"])]
        options = spec.get("options") or {}
        if options:
            lines += ["", "| variable | type | default | meaning |", "|---|---|---|---|"]
        for name, option in options.items():
            default = f"`{option['default']}`" if option.get("default") not in (None, "") else ""
            lines.append(f"| `{name}` | {option['type']} | {default} | {plain(option['description'])} |")
    return "\n".join(lines) + "\n"


def plain(text: str | list[str]) -> str:
    """Ansible's markup as Markdown."""
    flat = " ".join(text) if isinstance(text, list) else text
    return re.sub(r"\b[CVOM]\(([^)]*)\)", r"`\1`", " ".join(flat.split()))


for file in sorted(ROLES.glob("*/meta/argument_specs.yml")):
    readme = file.parents[1] / "README.md"
    text = page(file.parents[1].name, yaml.safe_load(file.read_text())["argument_specs"])
    if "--check" in sys.argv:
        if not readme.exists() or readme.read_text() != text:
            sys.exit(f"{readme.relative_to(ROLES.parent)} is not current: run `make docs`.")
    else:
        readme.write_text(text)
