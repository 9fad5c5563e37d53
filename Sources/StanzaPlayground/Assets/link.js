// The typed texts as the fragment of a link. Browsers send the fragment to no server. Anyone may have written it: it is
// read as texts, and unreadable parts are left out.

/// Longer fragments are neither written nor read: some programs cut them, and a page should not hang on a link.
export const LONGEST_FRAGMENT = 100_000;

/// The fragment for the typed texts, with `#`; `null` if it is too long.
///
/// `q` is the query, `s` the stanza, each `a` an argument; `i=1` ignores case, `t=1` converts strictly.
export function fragmentOf({ query, stanza, arguments: texts, ignoreCase, strict }) {
  const parameters = new URLSearchParams([["q", query], ["s", stanza]]);
  for (const text of texts) parameters.append("a", text);
  if (ignoreCase) parameters.set("i", "1");
  if (strict) parameters.set("t", "1");
  const fragment = `#${parameters}`;
  return fragment.length > LONGEST_FRAGMENT ? null : fragment;
}

/// The content of a fragment; `null` if it is empty or too long.
export function stateOf(fragment) {
  if (isTooLong(fragment)) return null;
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  if (!parameters.has("q") && !parameters.has("s")) return null;
  return {
    query: parameters.get("q") ?? "",
    stanza: parameters.get("s") ?? "",
    arguments: parameters.getAll("a"),
    ignoreCase: parameters.get("i") === "1",
    strict: parameters.get("t") === "1",
  };
}

export const isTooLong = (fragment) => fragment.length > LONGEST_FRAGMENT;
