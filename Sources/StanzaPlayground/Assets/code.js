// A query as a line of source code.

/// The arguments as literals: numbers where the specifiers take them.
function literalsOf({ query, arguments: texts }) {
  const specifiers = [...query.replaceAll("%%", "").matchAll(/%[^a-zA-Z@%]*[hlqjtzL]*([a-zA-Z@])/g)];
  return texts.map((text, index) => ("@sc".includes(specifiers[index]?.[1] ?? "@") ? JSON.stringify(text) : text.trim()));
}

/// The call in a language. JSON's escapes are those of all three.
export function codeOf(state, language) {
  const literals = literalsOf(state);
  const [text, list] = [JSON.stringify(state.query), literals.map((literal) => `, ${literal}`).join("")];
  const options = [
    ...(state.ignoreCase ? [".caseInsensitiveFilters"] : []), ...(state.strict ? [".strictConversions"] : []),
  ].join(", ");
  switch (language) {
    case "Swift":
      return `let results = try stanza.find(${options === "" ? text : `Query(${text}, options: [${options}])`}${list})`;
    case "Objective-C":
      return `NSArray* results = [stanza find:@${text}${list.replaceAll(', "', ', @"')}];`;
    default: {
      const format = literals.length === 0 ? text : `(${text.replaceAll("%@", "%s")}):format(${literals.join(", ")})`;
      return `local result = stanza:find(${format})`;
    }
  }
}
