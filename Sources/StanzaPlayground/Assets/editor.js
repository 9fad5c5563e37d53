// A text area over a mirror, the same text in the same place, invisible, with marks on its parts, and over the letters in
// their colors. All are in one cell of a grid that grows with the mirror, so that they wrap and scroll alike.

import { make } from "./dom.js";

export class Editor {
  #layers = new Map();
  #letters = make("div", { class: "letters", "aria-hidden": "true" });
  #colorsOf;
  #text;

  constructor(area, mirror, colorsOf) {
    this.area = area;
    this.mirror = mirror;
    this.#colorsOf = colorsOf;
    mirror.after(this.#letters);
    this.#text = area.value;
    area.addEventListener("input", () => this.#moveMarks());
  }

  get text() {
    return this.area.value;
  }

  /// Replaces everything, and removes the marks.
  set text(text) {
    this.area.value = text;
    this.#text = this.area.value;
    this.#layers.clear();
    this.#paintLetters();
    this.#paint();
  }

  /// Marks parts of the text: `ranges` have `start`, `end` (UTF-16) and `mark`, the class. They replace those of the
  /// layer.
  mark(layer, ranges) {
    this.#layers.set(layer, ranges.filter(({ start, end }) => Number.isInteger(start) && Number.isInteger(end)));
    this.#paint();
  }

  /// Replaces a part like typing, so that it can be undone.
  replace(start, end, replacement) {
    this.area.focus();
    this.area.setSelectionRange(start, end);
    const isDone = replacement === ""
      ? start === end || document.execCommand("delete")
      : document.execCommand("insertText", false, replacement);
    if (isDone) return;
    this.area.setRangeText(replacement, start, end, "end");
    this.area.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }

  /// Selects a part, and scrolls the editor, not the page, to its beginning.
  select(start, end) {
    this.area.setSelectionRange(start, end);
    const marked = this.mirror.querySelector(".chosen");
    if (!marked) return;
    const frame = this.mirror.parentElement;
    const place = marked.getBoundingClientRect();
    const view = frame.getBoundingClientRect();
    const isVisible = place.top >= view.top && place.top + 20 <= view.bottom;
    if (!isVisible) frame.scrollTop += place.top - view.top - view.height / 3;
  }

  /// Typing moves the later marks, until the answer brings new ones.
  #moveMarks() {
    const [old, text] = [this.#text, this.area.value];
    const shorter = Math.min(old.length, text.length);
    let before = 0;
    while (before < shorter && old[before] === text[before]) before += 1;
    let after = 0;
    while (after < shorter - before && old[old.length - 1 - after] === text[text.length - 1 - after]) after += 1;
    const moved = (place) => (place <= before ? place : Math.max(before, place + text.length - old.length));
    for (const ranges of this.#layers.values()) {
      for (const range of ranges) [range.start, range.end] = [moved(range.start), moved(range.end)];
    }
    this.#text = text;
    this.#paintLetters();
    this.#paint();
  }

  #paintLetters() {
    this.#letters.replaceChildren(...partsOf(this.#text, this.#colorsOf(this.#text)), "\n");
  }

  #paint() {
    const parts = partsOf(this.#text, [...this.#layers.values()].flat());
    // A text that ends in a line break has one more line for the caret.
    this.mirror.replaceChildren(...parts, "\n");
  }
}

/// The text cut at the ends of the ranges: texts, and spans with the marks of all ranges over a part.
function partsOf(text, ranges) {
  const changes = [];
  for (const { start, end, mark } of ranges) {
    const from = Math.min(Math.max(start, 0), text.length);
    const to = Math.min(Math.max(end, from), text.length);
    // A mark without extent, such as a missing part, is drawn next to its place.
    if (from === to) changes.push({ at: from, mark, change: 0 });
    else changes.push({ at: from, mark, change: 1 }, { at: to, mark, change: -1 });
  }
  changes.sort((one, other) => one.at - other.at);

  const parts = [];
  const open = new Map();
  let place = 0;
  for (const { at, mark, change } of changes) {
    if (at > place) parts.push(part(text.slice(place, at), open));
    place = at;
    if (change === 0) parts.push(make("span", { class: `${mark} nothing` }));
    else open.set(mark, (open.get(mark) ?? 0) + change);
  }
  if (place < text.length) parts.push(part(text.slice(place), open));
  return parts;
}

function part(text, open) {
  const marks = [...open].filter(([, count]) => count > 0).map(([mark]) => mark);
  return marks.length === 0 ? text : make("span", { class: marks.join(" ") }, text);
}
