// SPDX-License-Identifier: GPL-3.0-or-later
// Filters, opens and copies what the page already holds. It puts text where there was text, and never markup.
"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const nodes = [...document.querySelectorAll(".node")];
  const chips = [...document.querySelectorAll(".filter button[data-conclusion]")];
  const words = at("words");
  const find = at("find");
  let conclusion = "";

  const shownNodes = () => nodes.filter((node) => !node.hidden);

  function filter() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const counts = new Map(chips.map((chip) => [chip.dataset.conclusion, 0]));
    let shown = 0;
    for (const node of nodes) {
      const { words: text, find: has, conclusion: concluded } = node.dataset;
      const fits = wanted.every((word) => text.includes(word)) && (!find.value || has.split("|").includes(find.value));
      if (fits) {
        counts.set("", counts.get("") + 1);
        counts.set(concluded, counts.get(concluded) + 1);
      }
      node.hidden = !fits || (conclusion !== "" && conclusion !== concluded);
      shown += node.hidden ? 0 : 1;
    }
    for (const chip of chips) {
      chip.querySelector("b").textContent = counts.get(chip.dataset.conclusion);
      chip.setAttribute("aria-pressed", String(chip.dataset.conclusion === conclusion));
    }
    at("shown").textContent = `${shown} of ${nodes.length}`;
    at("none").hidden = shown > 0 || nodes.length === 0;
    sayOpen();
  }

  function show(what, concluded = "") {
    words.value = "";
    find.value = what;
    conclusion = concluded;
    filter();
  }

  function sayOpen() {
    at("open").textContent = nodes.some((node) => node.open && !node.hidden) ? "Close all" : "Open all";
  }

  function openOrClose() {
    const shown = shownNodes();
    const open = !shown.some((node) => node.open);
    for (const node of shown) node.open = open;
  }

  function openLinked() {
    const linked = location.hash.startsWith("#host=") && at(location.hash.slice(1));
    if (!linked) return;
    const node = linked.closest(".node");
    if (node.hidden) show("");
    node.open = true;
    node.scrollIntoView();
    node.querySelector("summary").focus({ preventScroll: true });
  }

  async function copy(button) {
    const text = button.parentElement.querySelector("p");
    let said = "Copied";
    try {
      await navigator.clipboard.writeText(text.textContent);
    } catch {
      getSelection().selectAllChildren(text);
      said = "Selected";
    }
    button.textContent = said;
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  }

  function paint(dark) {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    at("theme").setAttribute("aria-pressed", String(dark));
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.classList.contains("copy")) copy(button);
    else if (button.dataset.find) {
      show(button.dataset.find);
      at("nodes").scrollIntoView();
      find.focus({ preventScroll: true });
    } else if ("conclusion" in button.dataset) {
      conclusion = button.dataset.conclusion;
      filter();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input, select");
    if (event.key === "/" && !typing) {
      event.preventDefault();
      words.focus();
    } else if (event.key === "Escape" && event.target === words) {
      show("", conclusion);
    } else if (event.key === "Escape") {
      const open = event.target.closest(".proof[open], .node[open]");
      if (!open) return;
      open.open = false;
      open.querySelector("summary").focus();
    }
  });
  document.addEventListener("toggle", sayOpen, true);
  document.querySelector(".filter").addEventListener("submit", (event) => event.preventDefault());
  words.addEventListener("input", filter);
  find.addEventListener("change", filter);
  at("open").addEventListener("click", openOrClose);
  at("clear").addEventListener("click", () => show(""));
  at("theme").addEventListener("click", (event) => paint(event.target.getAttribute("aria-pressed") !== "true"));
  at("theme").setAttribute("aria-pressed", String(matchMedia("(prefers-color-scheme: dark)").matches));
  addEventListener("hashchange", openLinked);
  openLinked();
  filter();
})();
