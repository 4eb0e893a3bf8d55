#!/usr/bin/env python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write docs/findings.md out of the catalogue; with --check, fail if it is not current."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "build/collections"))

from ansible_collections.gpu.k8s.plugins.module_utils._catalogue import CATALOGUE  # noqa: E402
from ansible_collections.gpu.k8s.plugins.module_utils._catalogue.modes import MODES  # noqa: E402

PAGE = ROOT / "docs/findings.md"
LAYERS = {
    "preflight": "Preflight: the run itself",
    "driver": "Driver (checkpoint 1)",
    "toolkit": "Container Toolkit and runtime (checkpoint 2)",
    "device_plugin": "Device plugin (checkpoint 3)",
    "scheduler": "API and scheduler (checkpoint 4)",
    "smoke_pod": "Smoke Pod (checkpoints 5 and 6)",
}


def page() -> str:
    lines = [
        "<!-- Made by tests/tools/findings_page.py (make docs). Change plugins/module_utils/_catalogue/ instead. -->",
        "",
        "# Findings",
        "",
        "Every code that a report can hold. Words in braces are filled in by the run. "
        "`fail` makes a node *broken*; `unknown` and `busy` leave it *not proven*; a `warning` changes nothing.",
    ]
    for layer, title in LAYERS.items():
        lines += ["", f"## {title}"]
        for entry in CATALOGUE.values():
            if entry.layer != layer:
                continue
            lines += [
                "",
                f"### {entry.code}: {entry.title}",
                "",
                f"**{entry.status}**. It says: {entry.message}",
                "",
                f"- What it means: {entry.meaning}",
                f"- What to do: {entry.remedy}",
                f"- Often mistaken for: {entry.mistaken_for}",
                f"- Sources: {', '.join(entry.sources)}",
            ]
    return "\n".join([*lines, *modes()]) + "\n"


def modes() -> list[str]:
    return [
        "",
        "## How nodes fail, and what is seen of it",
        "",
        f"{count()}, collected from public reports and documentation. H are those of hosts, K those of Kubernetes.",
        "",
        "| mode | findings |",
        "|---|---|",
        *(f"| {mode.number}: {mode.title} | {', '.join(mode.codes)} |" for mode in MODES if mode.codes),
        "",
        "### Out of sight",
        "",
        "| mode | why |",
        "|---|---|",
        *(f"| {mode.number}: {mode.title} | {mode.out_of_sight} |" for mode in MODES if mode.out_of_sight),
    ]


def count() -> str:
    covered = sum(bool(mode.codes) for mode in MODES)
    return f"{len(MODES)} failure modes: {covered} covered by findings and {len(MODES) - covered} out of sight"


print(count())
cases = [file.parts[-2] for file in (ROOT / "tests/evidence").glob("*/*.yml")]
healthy = len(list((ROOT / "tests/evidence").glob("*/healthy/*.yml"))) + cases.count("base")
print(f"{len(CATALOGUE)} findings, {len(cases) - cases.count('base')} cases of faults and {healthy} of healthy nodes")
if "--check" in sys.argv:
    if PAGE.read_text(encoding="utf-8") != page():
        sys.exit("docs/findings.md is not current: run `make docs`.")
else:
    PAGE.write_text(page(), encoding="utf-8")
