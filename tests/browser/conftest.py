# SPDX-License-Identifier: GPL-3.0-or-later
"""report.html in a real browser. What it asks for and what it complains of is a failure of every test."""

from __future__ import annotations

import os
import sys
import typing as t
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chromium import chromium, installed
from playwright.sync_api import Browser, Page

sys.path.insert(0, str(Path(__file__).parents[2] / "build/collections"))

Open = Callable[..., Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not installed():
        assert os.environ.get("GPU_K8S_BROWSER") != "required", "no chromium on this machine"
        pytest.skip("no chromium on this machine (apt-get install chromium fonts-dejavu-core)")
    with chromium() as started:
        yield started


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Open a document's page; what follows ``#`` is ``link``, and the rest describes the reader's device."""
    from ansible_collections.gpu.k8s.plugins.module_utils._render.html import page

    file = tmp_path / "report.html"
    heard: list[str] = []
    contexts = []

    def open_page(document: dict[str, t.Any], link: str = "", **device: t.Any) -> Page:
        file.write_text(page(document), encoding="utf-8")
        context = browser.new_context(**({"viewport": {"width": 1200, "height": 800}} | device))
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(10_000)
        tab.on("console", lambda message: heard.append(message.text))
        tab.on("pageerror", lambda error: heard.append(str(error)))
        tab.on("dialog", lambda dialog: (heard.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        tab.on("request", lambda request: request.url.partition("#")[0] == file.as_uri() or heard.append(request.url))
        tab.goto(file.as_uri() + link)
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert heard == []
