// Filters, keys and the choice of light or dark. The report can be read without all of this.
"use strict";
(() => {
  const one = (query, from = document) => from.querySelector(query);
  const all = (query, from = document) => [...from.querySelectorAll(query)];
  const mutants = all(".m"), entries = all("tr.entry"), rests = all(".rest"), files = all("details.file");
  const search = one("#search"), found = one("#found"), clear = one("#clear"), dialog = one("#keys");
  all(".tools, .filters").forEach((part) => { part.hidden = false; });

  // ---- light and dark

  const root = document.documentElement;
  // Storage may be closed to pages from the disk.
  const remembered = (value) => {
    try {
      if (value) localStorage.setItem("perturb-theme", value);
      return localStorage.getItem("perturb-theme");
    } catch { return null; }
  };
  const paint = (theme) => { if (theme === "light" || theme === "dark") root.dataset.theme = theme; };
  paint(remembered());
  const toggle = () => {
    const prefers = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const next = (root.dataset.theme || prefers) === "dark" ? "light" : "dark";
    paint(next);
    remembered(next);
  };
  one("#theme").addEventListener("click", toggle);

  // ---- filters

  // Texts are gathered when they are first asked for: that takes a moment on a large page.
  const texts = new Map();
  const text_of = (part) => {
    let text = texts.get(part);
    if (text === undefined) {
      const file = part.closest("details.file");
      const name = file ? one(".name", file).textContent : "";
      text = (part.dataset.s || `${name} ${part.textContent}`).toLowerCase();
      texts.set(part, text);
    }
    return text;
  };
  const chosen = (name) => new Set(all(`input[name=${name}]:checked`).map((box) => box.value));
  const has_any = (words, wanted) => wanted.size === 0 || words.split(" ").some((word) => wanted.has(word));

  const apply = () => {
    const outcomes = chosen("outcome"), operators = chosen("operator");
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const is_on = outcomes.size > 0 || operators.size > 0 || words.length > 0;
    const fits = (part) => has_any(part.dataset.o, outcomes) && has_any(part.dataset.p, operators)
      && words.every((word) => text_of(part).includes(word));
    const shown = new Set();
    for (const mutant of mutants) {
      mutant.hidden = is_on && !fits(mutant);
      if (!mutant.hidden) shown.add(mutant.id.slice(2));
      if (mutant.parentElement.matches(".ranked > li")) mutant.parentElement.hidden = mutant.hidden;
    }
    for (const rest of rests) {
      const is_empty = !one(".m:not([hidden])", rest);
      rest.hidden = is_empty;
      rest.open = is_on && !is_empty;
    }
    for (const file of files) {
      file.hidden = is_on && !one(".m:not([hidden])", file);
      if (is_on && words.length > 0 && shown.size <= 200) file.open = !file.hidden;
    }
    for (const entry of entries) {
      // Where the file is on this page, its mutants are what counts.
      const file = document.getElementById(one("a", entry).getAttribute("href").slice(1));
      entry.hidden = is_on && (file ? file.hidden : !fits(entry));
    }
    for (const folder of all("tr.folder")) folder.hidden = is_on;
    clear.hidden = !is_on;
    const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
    const told = [count(shown.size, "mutant")];
    if (entries.length > 0) told.push(count(entries.filter((entry) => !entry.hidden).length, "file"));
    found.textContent = is_on ? told.join(" in ") : "";
  };
  let waiting;
  search?.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(apply, 120); });
  all(".filters input[type=checkbox]").forEach((box) => box.addEventListener("change", apply));
  const show_all = () => {
    search.value = "";
    all(".filters input:checked").forEach((box) => { box.checked = false; });
    apply();
  };
  clear?.addEventListener("click", () => { show_all(); search.focus(); });

  // ---- going to a mutant

  const reveal = (part) => {
    for (let at = part; at; at = at.parentElement) if (at.localName === "details") at.open = true;
  };
  const follow = () => {
    const part = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!part) return;
    if (part.hidden || part.closest("[hidden]")) show_all();
    reveal(part);
    part.scrollIntoView({ block: part.matches(".m") ? "center" : "start" });
    if (part.matches(".m")) one("summary", part).focus({ preventScroll: true });
  };
  addEventListener("hashchange", follow);
  // The browser goes there by itself first, and takes the focus away.
  addEventListener("load", () => setTimeout(follow));

  const can_be_seen = (mutant) => !mutant.hidden && !mutant.closest(".rest:not([open]), [hidden]");
  const step = (by) => {
    const current = document.activeElement?.closest?.(".m");
    let at = current ? mutants.indexOf(current) : by > 0 ? -1 : mutants.length;
    do at += by; while (at >= 0 && at < mutants.length && !can_be_seen(mutants[at]));
    if (at < 0 || at >= mutants.length) return;
    const mutant = mutants[at];
    const around = mutant.parentElement.closest("details");
    if (around) reveal(around);
    const summary = one("summary", mutant);
    summary.focus({ preventScroll: true });
    summary.scrollIntoView({ block: "center" });
  };

  // ---- keys

  const help = () => (dialog.open ? dialog.close() : dialog.showModal());
  one("#help").addEventListener("click", help);
  one("#close").addEventListener("click", help);
  const actions = { "/": () => search?.focus(), j: () => step(1), k: () => step(-1), t: toggle, "?": help };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const is_typing = event.target.matches?.("input[type=search], textarea");
    if (event.key === "Escape" && is_typing) {
      show_all();
      search.blur();
    } else if (!is_typing && !(dialog.open && event.key !== "?") && Object.hasOwn(actions, event.key)) {
      event.preventDefault();
      actions[event.key]();
    }
  });
})();
