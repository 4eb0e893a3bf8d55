# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the evidence that the reports of a scenario are on, as a run would have: save_evidence.py FOLDER <REPORTS.json

Report number N finds its evidence in FOLDER/N/saved.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from saved import saved

LAYERS = ["driver", "toolkit", "device_plugin", "scheduler", "smoke_pod"]

RUN = {
    "id": "00000000",
    "started": "2026-11-30T11:22:00Z",
    "finished": "2026-11-30T11:23:00Z",
    "pattern": "all",
    "by": "somebody@somewhere",
    "versions": {},
    "check_mode": False,
    "ended_early": None,
    "chosen": LAYERS,
}
CLUSTER = {
    "context": "lab",
    "server": "https://lab.example",
    "version": "v1.37.2",
    "uid": "00000000-0000-0000-0000-000000000000",
    "identity": "somebody",
    "error": None,
    "nodes_without_host": [],
    "missing_permissions": [],
}

for number, report in enumerate(json.load(sys.stdin)):
    folder = Path(sys.argv[1], str(number), "saved")
    folder.mkdir(parents=True, exist_ok=True)
    nodes = [saved(name) | {"host": name.rpartition("/")[2]} for name in report["nodes"]]
    about = {"schema": nodes[0]["schema"], "run": RUN | {"hosts": [node["host"] for node in nodes]}, "cluster": CLUSTER}
    (folder / "cluster.json").write_text(json.dumps(about), encoding="utf-8")
    for node in nodes:
        (folder / f"node-{node['host']}.json").write_text(json.dumps(node), encoding="utf-8")
