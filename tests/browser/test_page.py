# SPDX-License-Identifier: GPL-3.0-or-later
"""What a reader does with report.html: filter, open, copy, link, print; by mouse, by keyboard, on a telephone."""

from __future__ import annotations

import typing as t

import pytest
from cases import cases
from conftest import Open
from fleet import fleet
from hostile import TEXTS, hostile
from playwright.sync_api import Page, expect

NARROW = {"width": 360, "height": 740}
BACKGROUND = "() => getComputedStyle(document.body).backgroundColor"
FOCUSED = """() => {
  const at = document.activeElement, style = getComputedStyle(at);
  return [at.tagName, at.textContent.trim(), style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2];
}"""
# The contrast of every text that is shown, with the background that is behind it, as WCAG 2 reckons it.
FAINT = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
  const behind = (at) => {
    const [r, g, b, alpha = 1] = rgb(getComputedStyle(at).backgroundColor);
    return alpha || !at.parentElement ? [r, g, b] : behind(at.parentElement);
  };
  const faint = [];
  for (const at of document.querySelectorAll("body *:not(script, option, optgroup, svg *)")) {
    const said = [...at.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!said || !at.checkVisibility({ contentVisibilityAuto: false })) continue;
    const pair = [light(rgb(getComputedStyle(at).color)), light(behind(at))].sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < 4.5) faint.push([at.className || at.tagName, at.textContent.slice(0, 40), contrast]);
  }
  return faint;
}"""


def rows(tab: Page) -> list[str]:
    return [row.inner_text() for row in tab.locator(".node:visible .host").all()]


def chips(tab: Page) -> list[str]:
    return [chip.inner_text() for chip in tab.locator(".filter fieldset button b").all()]


def node(tab: Page, host: str) -> t.Any:
    return tab.locator(".node", has=tab.locator(f".host:text-is('{host}')"))


def test_every_case_is_shown_without_a_complaint(opened: Open) -> None:
    told = fleet({f"gpu-{number:03}": name for number, name in enumerate(cases())})
    tab = opened(told)
    tab.locator("#open").click()
    assert tab.locator(".node[open]").count() == len(told["nodes"])
    expect(tab.locator("#open")).to_have_text("Close all")


def test_the_filter_by_conclusion(opened: Open) -> None:
    tab = opened(fleet())
    assert rows(tab) == ["gpu-01", "gpu-02", "gpu-03"]
    tab.get_by_role("button", name="broken 1").click()
    assert rows(tab) == ["gpu-02"]
    expect(tab.get_by_role("button", name="broken 1")).to_have_attribute("aria-pressed", "true")
    expect(tab.locator("#shown")).to_have_text("1 of 3")
    assert chips(tab) == ["3", "1", "1", "1"]


def test_waived_nodes_have_a_filter_where_there_are_any(opened: Open) -> None:
    tab = opened(fleet({"gpu-01": "preflight/waived", "gpu-02": "healthy-h100"}))
    tab.get_by_role("button", name="waived 1").click()
    assert rows(tab) == ["gpu-01"]
    assert chips(tab) == ["2", "1", "1", "0", "0"]


def test_the_filter_by_words_and_the_counts_that_follow(opened: Open) -> None:
    tab = opened(fleet())
    tab.get_by_role("searchbox", name="Find").fill("GPU-0 driver")
    assert rows(tab) == ["gpu-02"]
    assert chips(tab) == ["1", "0", "1", "0"]
    tab.get_by_role("searchbox", name="Find").fill("drv003")
    assert rows(tab) == ["gpu-02"]
    tab.get_by_role("searchbox", name="Find").fill("nothing that is there")
    assert rows(tab) == []
    tab.get_by_role("button", name="Show all").click()
    assert len(rows(tab)) == 3


def test_the_filter_by_layer_and_by_code(opened: Open) -> None:
    tab = opened(fleet())
    tab.get_by_label("Layer or finding").select_option("layer scheduler")
    assert rows(tab) == ["gpu-03"]
    tab.get_by_label("Layer or finding").select_option("code DRV003")
    assert rows(tab) == ["gpu-02"]


def test_the_others_with_the_same_finding(opened: Open) -> None:
    tab = opened(fleet({"a": "driver/gpu_lost", "b": "healthy-h100", "c": "driver/gpu_lost"}), "#host=a")
    node(tab, "a").get_by_role("button", name="Show them").first.click()
    assert rows(tab) == ["a", "c"]


def test_a_link_opens_its_node(opened: Open) -> None:
    tab = opened(fleet(), "#host=gpu-02")
    expect(node(tab, "gpu-02").locator("> .detail")).to_be_visible()
    expect(node(tab, "gpu-01").locator("> .detail")).to_be_hidden()
    tab.get_by_role("button", name="usable 1").click()
    tab.locator(".causes").get_by_role("link", name="gpu-03").first.click()
    expect(node(tab, "gpu-03").locator("> .detail")).to_be_visible()
    assert len(rows(tab)) == 3


@pytest.mark.parametrize("script", [True, False])
def test_a_link_leads_to_its_row(opened: Open, script: bool) -> None:
    told = fleet({f"gpu-{number:03}": "driver/gpu_lost" for number in range(120)})
    tab = opened(told, "#host=gpu-080", java_script_enabled=script)
    tab.wait_for_timeout(300)
    assert 0 <= node(tab, "gpu-080").bounding_box()["y"] < 100


def test_the_lines_that_decided_are_marked(opened: Open) -> None:
    tab = opened(fleet(), "#host=gpu-02")
    mark = node(tab, "gpu-02").locator("mark").first
    assert mark.inner_text() == "535.261.03"
    assert mark.evaluate("at => getComputedStyle(at, '::before').content") != "none"


def test_a_remedy_is_copied(opened: Open) -> None:
    told = fleet()
    tab = opened(told, "#host=gpu-02", permissions=["clipboard-read", "clipboard-write"])
    button = node(tab, "gpu-02").get_by_role("button", name="Copy").first
    width = button.bounding_box()["width"]
    button.click()
    copied = node(tab, "gpu-02").get_by_role("button", name="Copied")
    expect(copied).to_be_visible()
    assert copied.bounding_box()["width"] == width
    assert tab.evaluate("navigator.clipboard.readText()") == told["nodes"][1]["deciding"]["remedy"].replace("`", "")


def test_where_copying_is_refused_the_remedy_is_selected(opened: Open) -> None:
    told = fleet()
    tab = opened(told, "#host=gpu-02")
    tab.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")
    node(tab, "gpu-02").get_by_role("button", name="Copy").first.click()
    expect(node(tab, "gpu-02").get_by_role("button", name="Selected")).to_be_visible()
    selected = tab.evaluate("getSelection().toString()")
    assert selected == told["nodes"][1]["deciding"]["remedy"].replace("`", "")


def test_all_by_keyboard(opened: Open) -> None:
    tab = opened(fleet())
    tab.keyboard.press("/")
    assert tab.evaluate("document.activeElement.id") == "words"
    tab.keyboard.type("gpu-02")
    assert rows(tab) == ["gpu-02"]
    tab.keyboard.press("Escape")
    assert len(rows(tab)) == 3

    reached = []
    for _step in range(30):
        tab.keyboard.press("Tab")
        tag, text, ring = tab.evaluate(FOCUSED)
        if tag == "BODY":
            break
        assert ring, f"no ring around {text}"
        reached.append(text.split()[0])
    assert reached[:5] == ["any", "all", "✓", "✕", "?"]
    assert [text for text in reached if text.startswith("gpu-")] == ["gpu-01driver:", "gpu-02driver:", "gpu-03driver:"]


def test_a_row_opens_and_closes_by_keyboard(opened: Open) -> None:
    tab = opened(fleet())
    row = node(tab, "gpu-02")
    row.locator("> summary").focus()
    tab.keyboard.press("Enter")
    expect(row).to_have_attribute("open", "")
    tab.keyboard.press("Space")
    expect(row).not_to_have_attribute("open", "")
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    assert tab.evaluate(FOCUSED)[1] == "Copy"
    tab.keyboard.press("Escape")
    expect(row).not_to_have_attribute("open", "")
    assert tab.evaluate(FOCUSED)[1].startswith("gpu-02")


def test_dark_and_light(opened: Open) -> None:
    light, dark = (opened(fleet(), color_scheme=scheme).evaluate(BACKGROUND) for scheme in ("light", "dark"))
    assert light != dark
    tab = opened(fleet(), color_scheme="light")
    toggle = tab.get_by_role("button", name="Dark")
    for colour, pressed in ((light, "false"), (dark, "true"), (light, "false")):
        assert tab.evaluate(BACKGROUND) == colour
        expect(toggle).to_have_attribute("aria-pressed", pressed)
        toggle.click()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read(opened: Open, scheme: str) -> None:
    tab = opened(fleet(ended_early="it was interrupted"), color_scheme=scheme)
    tab.get_by_role("button", name="Open all").click()
    assert tab.evaluate(FAINT) == []


@pytest.mark.parametrize("width", [320, 360, 600, 820, 1024])
def test_no_screen_is_too_narrow(opened: Open, width: int) -> None:
    tab = opened(fleet(), viewport=NARROW | {"width": width})
    tab.get_by_role("button", name="Open all").click()
    for proof in tab.locator(".proof").all():
        proof.evaluate("at => at.open = true")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_moves_while_it_loads(opened: Open) -> None:
    tab = opened(fleet({f"gpu-{number:03}": "driver/gpu_lost" for number in range(60)}))
    moved = """() => new Promise((done) => {
      new PerformanceObserver((list) => done(list.getEntries().map((entry) => entry.value)))
        .observe({ type: "layout-shift", buffered: true });
      setTimeout(() => done([]), 500);
    })"""
    assert sum(tab.evaluate(moved)) == 0


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_text_is_inert(opened: Open, text: str) -> None:
    tab = opened(hostile(fleet(), text))
    tab.get_by_role("button", name="Open all").click()
    for button in tab.locator(".finding button.copy:visible").all():
        button.click()
    assert len(rows(tab)) == 3
    assert tab.locator("img, iframe, h1 + h1, body > script ~ *").count() == 0
    # A host's own link still leads to it.
    opened(hostile(fleet(), text)).locator(".causes a").first.click()


def test_it_can_be_read_without_the_script(opened: Open) -> None:
    tab = opened(fleet(), "#host=gpu-03", java_script_enabled=False)
    expect(tab.locator(".filter")).to_be_hidden()
    assert tab.locator(".scripted:visible").count() == 0
    expect(node(tab, "gpu-03").locator("> .detail")).to_be_visible()
    node(tab, "gpu-02").locator("> summary").click()
    expect(node(tab, "gpu-02").locator("mark").first).to_be_visible()


def test_on_paper_what_is_open_is_there_and_what_is_to_be_clicked_is_not(opened: Open) -> None:
    tab = opened(fleet(), "#host=gpu-02", color_scheme="dark")
    tab.emulate_media(media="print")
    expect(tab.locator(".filter")).to_be_hidden()
    assert tab.locator("button:visible").count() == 0
    expect(node(tab, "gpu-02").locator("mark").first).to_be_visible()
    assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(26, 31, 38)"


def test_a_thousand_nodes(opened: Open) -> None:
    three = fleet({"a": "healthy-h100", "b": "driver/gpu_lost", "c": "scheduler/busy"})
    told = three | {"nodes": [three["nodes"][n % 3] | {"host": f"gpu-{n:04}"} for n in range(1000)]}
    told["summary"] = {"nodes": 1000, "usable": 334, "broken": 333, "not_proven": 333}
    tab = opened(told)
    filtered = """(text) => {
      const begin = performance.now(), words = document.getElementById("words");
      words.value = text;
      words.dispatchEvent(new Event("input"));
      document.body.offsetHeight;
      return performance.now() - begin;
    }"""
    assert tab.evaluate(filtered, "gpu-0500") < 1000
    assert rows(tab) == ["gpu-0500"]
