// The page: sends the typed texts to the server (evaluation.js) after a moment, and shows the answer around them. Each
// part has a module: editor.js, colors.js, code.js, diagnostics.js, lines.js, tabs.js, examples.js, link.js.

import { byId, counted, make } from "./dom.js";
import { codeOf } from "./code.js";
import { colorsOfQuery, colorsOfStanzas } from "./colors.js";
import { fixButton, showMistakes } from "./diagnostics.js";
import { Editor } from "./editor.js";
import { EvaluationError, Evaluator } from "./evaluation.js";
import { connectExamples } from "./examples.js";
import { fragmentOf, isTooLong, stateOf } from "./link.js";
import { Lines } from "./lines.js";
import { connectTabs } from "./tabs.js";

/// The wait for the next key, in milliseconds.
const TYPING_PAUSE = 120;
/// The wait before an update for a screen reader, which reads keys in between.
const READING_PAUSE = 700;
/// The time for which "Copied" is shown.
const FEEDBACK_TIME = 2500;
/// The page without an answer, so that no older one seems current.
const NO_ANSWER = {
  diagnostics: [], warnings: [], tree: [], program: null, stanzaProblems: [], marks: [], results: [], isCut: false, isShortened: false,
  nearMiss: null, repair: null, failure: null,
};
/// The server takes no more arguments; further ones get no inputs.
const MOST_ARGUMENTS = 256;

const query = new Editor(byId("query"), byId("query-mirror"), colorsOfQuery);
const stanza = new Editor(byId("stanza"), byId("stanza-mirror"), colorsOfStanzas);
const [ignoreCase, strict] = [byId("ignore-case"), byId("strict")];
const [menu, argumentFields] = [byId("examples"), byId("arguments")];
const evaluator = new Evaluator();

const results = new Lines(byId("results"), chooseResult, { keepsChoice: true });
const tree = new Lines(byId("tree"), pointAtQuery);
const listing = new Lines(byId("listing"), pointAtQuery);

/// The texts of arguments, including those that the query does not take at the moment.
let argumentTexts = [];
let argumentCount = 0;
/// The texts of the shown answer: its places refer to these.
let shown = null;
let examples = [];
/// Whether the user has not typed or followed a link yet.
let isUntouched = true;
/// The last typed texts other than an example.
let own = null;
let typingTimer;
let readingTimer;

// Typed texts.

function currentState() {
  return {
    query: wellFormed(query.text),
    stanza: wellFormed(stanza.text),
    arguments: argumentTexts.slice(0, argumentCount).map(wellFormed),
    ignoreCase: ignoreCase.checked,
    strict: strict.checked,
  };
}

/// Halves of surrogate pairs cannot be sent.
const wellFormed = (text) => text.toWellFormed?.() ?? text;

function load(state) {
  query.text = state.query;
  stanza.text = state.stanza;
  ignoreCase.checked = state.ignoreCase;
  strict.checked = state.strict;
  argumentTexts = [...state.arguments];
  showArguments(argumentTexts.length);
  nameInMenu(state);
  isUntouched = false;
  evaluate();
}

/// Selects the current example in the menu, if the texts are one.
function nameInMenu(state) {
  const text = JSON.stringify(state);
  const example = examples.findIndex((other) => JSON.stringify(other) === text);
  menu.value = example < 0 ? "" : String(example);
}

/// Shows as many inputs as the query has specifiers.
function showArguments(count) {
  argumentCount = Math.min(count, MOST_ARGUMENTS);
  while (argumentTexts.length < argumentCount) argumentTexts.push("");
  argumentFields.hidden = argumentCount === 0;
  // Remaining inputs may be in use.
  const fields = [...argumentFields.querySelectorAll(".argument")];
  for (const field of fields.slice(argumentCount)) field.remove();
  for (let index = fields.length; index < argumentCount; index += 1) argumentFields.append(argumentField(index));
  argumentFields.querySelectorAll("input").forEach((input, index) => { input.value = argumentTexts[index]; });
}

function argumentField(index) {
  const input = make("input", { id: `argument-${index + 1}`, type: "text", spellcheck: "false", autocomplete: "off" });
  input.addEventListener("input", () => { argumentTexts[index] = input.value; });
  return make("div", { class: "argument" }, make("label", { for: input.id }, `Argument ${index + 1}`), input);
}

// Evaluation.

function evaluateSoon() {
  menu.value = "";
  isUntouched = false;
  evaluator.abandon();
  setBusy(true);
  clearTimeout(typingTimer);
  typingTimer = setTimeout(evaluate, TYPING_PAUSE);
}

async function evaluate() {
  clearTimeout(typingTimer);
  setBusy(true);
  const state = currentState();
  if (menu.value === "") own = state;
  try {
    const answer = await evaluator.evaluate(state);
    if (answer === null) return;
    keepFocus(() => showOutage(null));
    const count = Math.min(answer.program?.argumentCount ?? argumentCount, MOST_ARGUMENTS);
    if (count !== state.arguments.length) {
      keepFocus(() => showArguments(count));
      return await evaluate();
    }
    keepFocus(() => show(answer, state));
    writeLink(state);
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    showOutage(error.message);
    keepFocus(() => show(NO_ANSWER, state));
  }
  setBusy(false);
}

function setBusy(isBusy) {
  document.querySelector(".results-pane").setAttribute("aria-busy", String(isBusy));
}

/// If the change removes the focused element, the focus moves to the query, not to the beginning of the page.
function keepFocus(change) {
  const focused = document.activeElement;
  change();
  if (!focused.isConnected && document.activeElement === document.body) query.area.focus();
}

function showOutage(message) {
  if (message === null) return byId("outage").replaceChildren();
  const notice = byId("outage").querySelector("p");
  // The button may have the focus, so it stays.
  if (notice) return notice.replaceChildren(message);
  const again = make("button", { type: "button", id: "again" }, "Try again");
  again.addEventListener("click", evaluate);
  byId("outage").replaceChildren(make("div", { class: "notice" }, make("p", {}, message), again));
}

// The answer.

function show(answer, state) {
  shown = state;
  const isEmpty = state.stanza.trim() === "";
  byId("invitation").hidden = !isEmpty;
  // Nothing is missing yet.
  if (isEmpty) answer = { ...answer, stanzaProblems: [] };
  query.mark("mistakes", [
    ...answer.diagnostics.map((mistake) => ({ ...mistake, mark: "mistake" })),
    ...answer.warnings.map((warning) => ({ ...warning, mark: "warning" })),
  ]);
  query.mark("pointed", []);
  // A query that failed is not wrong: the failure reports it, and the underline shows the place.
  showMistakes(byId("query-mistakes"), query.area, answer.failure === null ? answer.diagnostics : [], repair, answer.warnings);

  stanza.mark("mistakes", answer.stanzaProblems.map((problem) => ({ ...problem, mark: "mistake" })));
  stanza.mark("marks", answer.marks.map((mark) => ({ ...mark, mark: `mark-${mark.mark}` })));
  stanza.mark("chosen", []);
  showMistakes(byId("stanza-mistakes"), stanza.area, answer.stanzaProblems);
  for (const mark of ["matched", "visited", "rejected"]) {
    byId(`${mark}-count`).textContent = answer.marks.filter((other) => other.mark === mark).length;
  }

  showResults(answer);
  tree.set(answer.tree, (line) => [line.text]);
  // The effect on the stack and the purpose may take a line of their own.
  listing.set(answer.program?.listing ?? [], (line) =>
    line.text.split(/(?<= ) (?=\( .*-- .*\) )/).map((part) => make("span", {}, part)));
  // An abandoned evaluation has no program either.
  byId("no-listing").hidden = answer.program !== null || answer.diagnostics.length === 0;
  byId("shortened").hidden = !answer.isShortened;
  announce(isEmpty || answer === NO_ANSWER ? "" : summaryOf(answer));
}

function showResults(answer) {
  byId("results-summary").textContent = headingOf(answer);
  const reason = answer.failure ?? answer.nearMiss;
  const kind = answer.failure === null ? "hint" : "message";
  byId("failure").replaceChildren(
    ...(reason === null ? [] : [make("p", { class: kind }, reason)]),
    ...(answer.repair === null ? [] : [fixButton(answer.repair, repair)]));
  byId("cut").hidden = !answer.isCut;
  results.set(answer.results, (result) => [
    make("span", { class: "kind" }, result.kind), " ",
    result.text === ""
      ? make("span", { class: "text empty" }, "(empty)")
      : make("span", { class: "text" }, result.text),
  ]);
}

function headingOf(answer) {
  const { diagnostics, stanzaProblems, failure, results, program } = answer;
  if (answer === NO_ANSWER) return "No answer";
  if (shown.stanza.trim() === "") return "";
  if (failure !== null) return "";
  if (diagnostics.length > 0) return "The query has mistakes.";
  if (stanzaProblems.length > 0 && results.length === 0) return "The stanza cannot be read.";
  return results.length === 0 ? "No results" : `${numberOf(answer)} · ${program.resultKind}`;
}

/// The outcome in one sentence, for users who cannot see it.
function summaryOf(answer) {
  const { diagnostics, stanzaProblems, failure, results, program, nearMiss } = answer;
  if (failure !== null) return failure;
  if (diagnostics.length > 0) return `${counted(diagnostics.length, "mistake")} in the query: ${diagnostics[0].message}`;
  if (stanzaProblems.length > 0 && results.length === 0) return `The stanza cannot be read: ${stanzaProblems[0].message}`;
  if (results.length === 0) return nearMiss === null ? "No results" : `No results: ${nearMiss}`;
  return `${numberOf(answer)}. The first: ${program.resultKind} ${results[0].text.slice(0, 100)}`;
}

/// The number of results, as far as the answer contains it.
const numberOf = ({ results, isCut }) => `${isCut ? "at least " : ""}${counted(results.length, "result")}`;

function announce(text) {
  clearTimeout(readingTimer);
  readingTimer = setTimeout(() => { byId("announcement").textContent = text; }, READING_PAUSE);
}

function chooseResult(result) {
  // Places belong to the text that was sent; the answer to another text is coming.
  if (!result || wellFormed(stanza.text) !== shown.stanza) return;
  const isPlaced = Number.isInteger(result.start);
  stanza.mark("chosen", isPlaced ? [{ start: result.start, end: result.end, mark: "chosen" }] : []);
  if (isPlaced) stanza.select(result.start, result.end);
}

function pointAtQuery(line) {
  const isPlaced = line && wellFormed(query.text) === shown.query;
  query.mark("pointed", isPlaced ? [{ start: line.start, end: line.end, mark: "pointed" }] : []);
}

function repair(fix) {
  if (wellFormed(query.text) !== shown.query) return;
  query.replace(fix.start, fix.end, fix.replacement);
}

// Links.

function writeLink(state) {
  try {
    history.replaceState(null, "", fragmentOf(state) ?? location.pathname);
  } catch {
    // Some browsers reject frequent calls. "Copy link" does not depend on it.
  }
}

/// Loads the texts of the link, if it has any.
function readLink() {
  const state = stateOf(location.hash);
  byId("notice").textContent = isTooLong(location.hash) ? "The link is too long, and was not read." : "";
  if (state !== null) load(state);
}

async function copyLink() {
  const fragment = fragmentOf(currentState());
  if (fragment === null) return showNotice("This is too much text for a link.");
  if (await copy(location.origin + location.pathname + fragment)) return showNotice("Link copied.");
  writeLink(currentState());
  showNotice("The browser does not let the page copy. The link is in the address bar.");
}

async function copyCode(language) {
  const code = codeOf(currentState(), language);
  showNotice(await copy(code) ? `${language} copied.` : code);
}

/// Whether the browser lets the page copy.
const copy = (text) => navigator.clipboard.writeText(text).then(() => true, () => false);

function showNotice(text) {
  byId("notice").textContent = text;
  setTimeout(() => {
    if (byId("notice").textContent === text) byId("notice").textContent = "";
  }, FEEDBACK_TIME);
}

// Actions.

for (const control of [query.area, stanza.area, ignoreCase, strict, argumentFields]) {
  control.addEventListener("input", evaluateSoon);
}
query.area.addEventListener("keydown", (event) => {
  // A query has one line; Shift and Enter still break it.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  evaluate();
});
byId("skip").addEventListener("click", (event) => {
  // The fragment belongs to the typed texts.
  event.preventDefault();
  query.area.focus();
});
byId("copy").addEventListener("click", copyLink);
byId("copies").addEventListener("click", ({ target }) => { if (target.matches("button")) copyCode(target.textContent); });
byId("first-example").addEventListener("click", () => load(examples[0]));
byId("brief").open = matchMedia("(min-width: 60rem)").matches;
window.addEventListener("hashchange", readLink);
connectTabs(document.querySelector("[role=tablist]"));

readLink();
// The user can type before the examples are loaded: such text is kept.
examples = await connectExamples(menu, (example) => load(example ?? own ?? currentState())).catch(() => []);
if (!isUntouched) nameInMenu(currentState());
else if (examples.length > 0) load(examples[0]);
// Without examples there is no server either: the page reports that.
else evaluate();
