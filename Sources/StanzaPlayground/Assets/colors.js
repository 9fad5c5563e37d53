// The colors of a query and of stanzas: parts of a text with the classes of their kinds. A text with mistakes has colors,
// too: each pattern matches as far as the text is as usual.

const QUERY = new RegExp([
  /(?<namespace>\{[^}]*\}?)/, /<(?<attribute>(?:\{[^}]*\})?[^=~<>]*)(?:[=~](?<value>[^>]*))?>?/,
  /(?<result>@@?[^|]*|[#$]|\\[^|]*\\?)/, /(?<keyword>\|.*)/,
].map((part) => part.source).join("|"), "dg");

const TAG = /<[^\s<>!?][^\s<>]*(?:\s+[^\s=<>]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s*\/?>?/g;
const IN_TAG = /(?<keyword>^<\/?[^\s/>]+|\/?>$)|(?<attribute>[^\s=]+)\s*=\s*(?<value>"[^"]*"|'[^']*')/dg;

/// Longer texts have no colors: the editor paints at every key.
const LONGEST = 100_000;

const partsOf = (pattern, text, start = 0) => [...text.matchAll(pattern)].flatMap(({ indices }) =>
  Object.entries(indices.groups).filter(([, range]) => range).map(([kind, range]) => (
    { start: start + range[0], end: start + range[1], mark: `color-${kind}` })));

export const colorsOfQuery = (text) => (text.length > LONGEST ? [] : partsOf(QUERY, text));

export const colorsOfStanzas = (text) => (text.length > LONGEST
  ? [] : [...text.matchAll(TAG)].flatMap((tag) => partsOf(IN_TAG, tag[0], tag.index)));
