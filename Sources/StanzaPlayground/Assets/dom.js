// Makes elements. External data becomes text here, never markup.

/// An element with attributes (`true` sets an empty one, `false` and `null` none) and children: elements, or texts.
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/// The element of the page that has the id.
export const byId = (id) => document.getElementById(id);

/// "1 result", "3 results".
export const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
