// A list of lines that each represent a part of a text: one stop for the Tab key, and arrows inside.

import { make } from "./dom.js";

const ROLES = { listbox: "option", tree: "treeitem" };

export class Lines {
  #list;
  #show;
  #keepsChoice;
  #lines = [];

  /// Calls `show` with the line that is pointed at or chosen, and with `null` without one. A list that keeps its choice
  /// shows the chosen line, by click or keys, until the lines change. Another list shows the line that is pointed at or
  /// focused.
  constructor(list, show, { keepsChoice = false } = {}) {
    this.#list = list;
    this.#show = show;
    this.#keepsChoice = keepsChoice;
    list.addEventListener("keydown", (event) => this.#move(event));
    list.addEventListener("focusin", (event) => this.#choose(event.target));
    // A screen reader clicks without setting the focus.
    list.addEventListener("click", (event) => event.target.closest("[data-line]")?.focus());
    if (keepsChoice) return;
    list.addEventListener("focusout", () => this.#choose(null));
    list.addEventListener("mouseover", (event) => this.#point(event.target.closest("[data-line]")));
    list.addEventListener("mouseleave", () => this.#point(this.#list.querySelector("[aria-selected=true]")));
  }

  /// Shows other lines: `content` makes the children of one, `depth` (from 0) its level in a tree. If the focus is in
  /// the list, it stays at its place.
  set(lines, content) {
    this.#lines = lines;
    const role = ROLES[this.#list.getAttribute("role")];
    const items = lines.map((line, index) => {
      const item = make("div", {
        role, class: "line", tabindex: index === 0 ? 0 : -1, "data-line": index, "aria-selected": "false",
        "aria-level": role === "treeitem" ? line.depth + 1 : null,
      }, ...content(line));
      if (line.depth > 0) item.style.setProperty("--depth", line.depth);
      return item;
    });
    const focused = [...this.#list.children].indexOf(document.activeElement);
    this.#list.replaceChildren(...items);
    this.#list.hidden = items.length === 0;
    if (focused >= 0) items[Math.min(focused, items.length - 1)]?.focus();
  }

  #line(item) {
    return item ? this.#lines[Number(item.dataset.line)] : null;
  }

  #point(item) {
    this.#show(this.#line(item));
  }

  #choose(item) {
    for (const other of this.#list.querySelectorAll("[aria-selected=true]")) other.setAttribute("aria-selected", "false");
    if (item) {
      this.#list.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
      item.setAttribute("tabindex", "0");
      item.setAttribute("aria-selected", "true");
    }
    this.#point(item);
  }

  #move(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const items = this.#list.children;
    const at = [...items].indexOf(document.activeElement);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
    if (at < 0 || !(event.key in steps)) return;
    event.preventDefault();
    // Lines may be wider than the list: it keeps its horizontal position.
    const left = this.#list.scrollLeft;
    items[Math.min(Math.max(steps[event.key], 0), items.length - 1)].focus();
    this.#list.scrollLeft = left;
  }
}
