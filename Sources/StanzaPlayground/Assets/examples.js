// The examples, which are cases of the conformance suites, in a menu.

import { make } from "./dom.js";

/// Fills the menu, and calls `load` with the chosen example, or with `null` for the text typed before.
export async function connectExamples(menu, load) {
  const response = await fetch("/examples.json");
  const examples = await response.json();

  const groups = new Map();
  examples.forEach((example, index) => {
    if (!groups.has(example.group)) groups.set(example.group, make("optgroup", { label: example.group }));
    groups.get(example.group).append(make("option", { value: index }, example.title));
  });
  menu.replaceChildren(make("option", { value: "" }, "Your own"), ...groups.values());
  menu.addEventListener("change", () => load(menu.value === "" ? null : stateOf(examples[Number(menu.value)])));
  return examples.map(stateOf);
}

/// The texts of an example.
const stateOf = ({ query, stanza, arguments: texts = [], ignoreCase = false, strict = false }) => (
  { query, stanza, arguments: texts, ignoreCase, strict });
