#!/usr/bin/env python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the pictures of report.html into docs/images. Needs Chromium: apt-get install chromium fonts-dejavu-core."""

import sys
import tempfile
import typing as t
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "build/collections"))
sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))
sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))

from chromium import chromium
from fleet import fleet

from ansible_collections.gpu.k8s.plugins.module_utils._render.html import page

IMAGES = Path(__file__).parents[2] / "docs/images"
SCREEN, HALF, PHONE = ({"width": w, "height": h} for w, h in ((1074, 922), (1074, 690), (360, 740)))
PICTURES: dict[str, dict[str, t.Any]] = {
    "html-light": {"viewport": SCREEN, "color_scheme": "light"},
    "html-dark": {"viewport": HALF, "color_scheme": "dark", "link": "#causes"},
    "html-node": {"viewport": HALF, "color_scheme": "light", "link": "#host=gpu-02"},
    "html-narrow": {"viewport": PHONE, "color_scheme": "light", "link": "#host=gpu-02", "device_scale_factor": 1.5},
}

with chromium() as browser, tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "report.html"
    file.write_text(page(fleet()), encoding="utf-8")
    for name, device in PICTURES.items():
        link = device.pop("link", "")
        tab = browser.new_page(**device)
        tab.goto(file.as_uri() + link)
        tab.screenshot(path=IMAGES / f"{name}.png")
        print(f"{name}.png: {(IMAGES / f'{name}.png').stat().st_size // 1000} kB")
