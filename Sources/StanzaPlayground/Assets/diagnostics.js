// Mistakes as text: the message, the place, the expected form, and a button with the repair.

import { make } from "./dom.js";

/// The length of text drawn on each side of a mistake, in UTF-16 code units.
const CONTEXT = 32;
/// The maximum length of the underline of a mistake.
const LONGEST_UNDERLINE = 40;

/// Shows mistakes and warnings of a text below its editor. Calls `repair` with a `fix` when its button is pressed. If
/// the focus is on such a button, it stays at its place.
export function showMistakes(list, area, mistakes, repair, warnings = []) {
  area.setAttribute("aria-invalid", String(mistakes.length > 0));
  const focused = [...list.querySelectorAll("button")].indexOf(document.activeElement);
  if (mistakes.length + warnings.length === 0) return list.replaceChildren();
  list.replaceChildren(make("ul", {},
    ...mistakes.map((mistake) => itemFor("Mistake", mistake, area.value, repair)),
    ...warnings.map((warning) => itemFor("Warning", warning, area.value, repair))));
  if (focused >= 0) [...list.querySelectorAll("button")].slice(0, focused + 1).at(-1)?.focus();
}

function itemFor(kind, { message, start, end, expected, fix }, text, repair) {
  const item = make("li", { class: kind.toLowerCase() },
    make("p", { class: "message" }, make("span", { class: "unseen" }, `${kind}: `), message));
  if (Number.isInteger(start)) item.append(make("pre", { "aria-hidden": "true" }, drawing(text, start, end)));
  if (expected) item.append(make("p", { class: "expected" }, expected));
  if (fix) item.append(fixButton(fix, repair));
  return item;
}

/// A button that calls `repair` with a `fix`.
export function fixButton(fix, repair) {
  const button = make("button", { type: "button", class: "fix" }, "Use ", make("code", {}, fix.label));
  button.addEventListener("click", () => repair(fix));
  return button;
}

/// The line of a mistake, and its underline below.
function drawing(text, start, end) {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineBreak = text.indexOf("\n", start);
  const lineEnd = lineBreak < 0 ? text.length : lineBreak;
  const stop = whole(text, Math.min(Math.max(end ?? start, start), lineEnd, start + LONGEST_UNDERLINE));
  const first = whole(text, Math.max(lineStart, start - CONTEXT));
  const last = whole(text, Math.min(lineEnd, stop + CONTEXT));

  const before = (first > lineStart ? "…" : "") + plain(text.slice(first, start));
  const marked = plain(text.slice(start, stop));
  const after = plain(text.slice(stop, last)) + (last < lineEnd ? "…" : "");
  const underline = "^" + "~".repeat(Math.max(0, [...marked].length - 1));
  return `${before}${marked}${after}\n${" ".repeat([...before].length)}${underline}`;
}

/// The place, or the one before it if it would split a character of two units.
const whole = (text, place) => (/[\udc00-\udfff]/.test(text[place] ?? "") ? place - 1 : place);

/// Characters without width, or with too much, would move the underline; others change the direction of later text.
const plain = (text) => text.replace(/[\p{Cc}\p{Cf}]/gu, " ");
