#!/usr/bin/env python3
"""Compares the engine with the reference on random queries and stanzas.

    Grammar/implementations/reference/compare.py [--cases N] [--seed N] [--stanza FILE]

The vocabulary is that of the suites. The reference's answers make a suite, which `stanza conformance` runs. A case that fails
is printed as a line of JSON: it can become a case of a suite.
"""

import argparse
import ctypes
import json
import os
import pathlib
import random
import re
import runpy
import subprocess
import sys
import tempfile
import xml.dom.expatbuilder as xml_dom

sys.dont_write_bytecode = True

import arguments  # noqa: E402
import conversions  # noqa: E402
import regex  # noqa: E402
import syntax  # noqa: E402
import tree  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
reference = runpy.run_path(str(HERE / "__main__.py"))["answer"]

BATCH = 1000
# What a match may cost is counted differently by PCRE2's JIT and its interpreter. Cases near the limits prove nothing.
NEAR = 16

SUITES = [json.loads(file.read_text(encoding="utf-8")) for file in sorted((ROOT / "Grammar/conformance").glob("*.json"))]
CASES = {
    suite["description"]: [
        {**{"xml": "<r/>"}, **{name: case[name] for name in ("query", "xml") if name in case},
         **({"xml": suite["documents"][case["document"]]} if "document" in case else {})} for case in suite["tests"]]
    for suite in SUITES}
QUERIES = [case["query"] for cases in CASES.values() for case in cases]
REGEXES = sorted({pattern for query in QUERIES for pattern in re.findall(r"~([^>]+)>", query)})
SPECIFIER = re.compile(r"%[ #+0-]*\d*(?:\.\d*)?[hlqjtzL]*[@diuxXocsfeg]")
SPECIFIERS = sorted({found[0] for query in QUERIES for found in SPECIFIER.finditer(query)})
ALL = [case for cases in CASES.values() for case in cases]
VALUES = sorted({value for case in ALL for value in re.findall(r"[ =>]'?([^<>'=]{1,40})'?[</]", case["xml"])})
CONVERTED = sorted({value for case in ALL if "|" in case["query"] for value in re.findall(r"='([^'&<]*)'", case["xml"])})
PIECES = ["/", "..", "*", "{*}", "!", "@", "@@", "#", "$", "|", "\\", "<", ">", "=", "~", "{", "}", "[0]", "[1]", "&", "%", "%%",
          "%d", "%@", "<k=", "<k~", "@id", "|int", "\\form\\", "\\@f\\", "{urn:x}", " ", "a", "é", "1", "\u0301", "😀", "\0"]
PATTERN_PIECES = ["{", "}", "{2}", "{,3}", "{1, 3}", "{0,}", ",", " ", "\\", "\\Q", "\\E", "[", "]", "[^]", "[:alpha:]",
                  "(", ")", "(?#", "(?x)",
                  "\\x{", "\\p{L}", "\\N{U+", "\\g{1}", "\\c", "|", "^", "$", ".", "*", "+", "?", "1", "a", "é", "\t", "#", "\n"]


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("'", "&apos;")


def mutated_document(pick, xml):
    """Another document of similar content."""
    try:
        document = xml_dom.parseString(xml, namespaces=False)
    except xml_dom.expat.ExpatError:
        return xml
    for _ in range(pick.choice([0, 0, 1, 1, 2, 4])):
        root, *elements = document.getElementsByTagName("*")
        element, place = pick.choice(elements or [root]), pick.choice([root, *elements])
        attributes = [(each, name) for each in [root, *elements] for name in each.attributes.keys()]
        kind = pick.randrange(7)
        if kind == 0:
            place.appendChild(element.cloneNode(True))
        elif kind == 1 and elements:
            element.parentNode.removeChild(element)
        elif kind == 2:
            place.insertBefore(element.cloneNode(True), place.firstChild)
        elif kind == 3 and elements:
            outer = document.createElement("w")
            outer.setAttribute("k", "1")
            outer.setAttribute("xmlns", pick.choice(["urn:x", "", "jabber:x:data"]))
            element.parentNode.replaceChild(outer, element)
            outer.appendChild(element)
        elif kind == 4:
            name = pick.choice(["k", "id", "type", "xml:lang", "var", "label", "p:k", "stream:k", "xmlns", "xmlns:p", "straße"])
            place.setAttribute(name, pick.choice(VALUES))
        elif kind == 5:
            place.insertBefore(document.createTextNode(pick.choice(VALUES)), place.firstChild)
        elif attributes:
            each, name = pick.choice(attributes)
            each.setAttribute(name, pick.choice(VALUES))
    return document.documentElement.toxml()


def mutated_query(pick, query):
    for _ in range(pick.choice([1, 1, 2, 3])):
        at = pick.randrange(len(query) + 1)
        kind = pick.randrange(4)
        if kind == 0:
            query = query[:at] + pick.choice(PIECES) + query[at:]
        elif kind == 1:
            query = query[:at] + query[at + pick.choice([1, 1, 2, 5]):]
        elif kind == 2:
            query = query[:at] + pick.choice(PIECES) + query[at + 1:]
        else:
            other = pick.choice(QUERIES)
            query = query[:at] + other[pick.randrange(len(other) + 1):]
    return query


def node_test(pick, element):
    """A segment, which mostly fits the element."""
    name = pick.choice([element.name] * 8 + ["*", "*", "!text", "!" + element.name, "a"])
    own = f"{{{element.namespace or '*'}}}"
    inherited = "" if element.parent is None or element.parent.namespace == element.namespace else own
    return pick.choice([inherited] * 4 + [own, own, "{*}", "{*}", "", "{urn:x}"]) + name


def mutated_pattern(pick, pattern):
    for _ in range(pick.choice([0, 0, 1, 2, 4])):
        at = pick.randrange(len(pattern) + 1)
        pattern = pattern[:at] + pick.choice(PATTERN_PIECES) + pattern[at + pick.choice([0, 0, 1]):]
    return pattern


def filters(pick, element):
    text = ""
    while pick.random() < 0.3:
        attributes = [(name, value) for name, _, value in element.attributes] + [("xmlns", element.namespace or "x")]
        name, value = pick.choice(attributes)
        if ":" in name and pick.random() < 0.5:
            namespace, local = element.scope[name.split(":")[0]], name.split(":")[1]
            name = f"{{{namespace}}}{local}"
        part = value[:pick.randrange(len(value) + 1)]
        patterns = [re.escape(value), "^" + re.escape(part), re.escape(part), "^.*$", f"^({re.escape(value)}|x)$"]
        pattern = mutated_pattern(pick, pick.choice(patterns + [pick.choice(REGEXES)])).replace(">", "\\x3e") or "."
        value = pick.choice([value] * 6 + [value.swapcase()]).replace("%", "%%") or "%@"
        text += f"<{name}{pick.choice([f'={value}', f'={value}', f'~{pattern}', f'~{pattern}', f'={pick.choice(SPECIFIERS)}'])}>"
    return text


def form_query(pick, element):
    """A data-form query, which mostly fits if the element is a form."""
    fields = [each for each in [element, *element.children] for each in each.children if each.name == "field"]
    names = [each.attribute(None, "var") or "f" for each in fields] or ["f"]
    form_types = [value.text for each in fields if each.attribute(None, "var") == "FORM_TYPE" for value in each.children]
    field = pick.choice(names)
    return "\\" + "".join([
        pick.choice(["", "", "{*}", f"{{{pick.choice(form_types or ['urn:a'])}}}"]),
        pick.choice(["", "", "*", element.attribute(None, "type") or "", "form"]),
        pick.choice(["", "", "", "[0]", "[1]", "[02]"]),
        pick.choice(["", "@" + field, "@" + field, "&" + field])]) + "\\"


def is_form(element):
    return (element.namespace, element.name) == ("jabber:x:data", "x")


def converted(pick, ending):
    """An ending, perhaps with a conversion."""
    fits = ending[:1] in ("@", "#", "$", "/", "\\") and "@@" not in ending and ("@" in ending or "\\" not in ending)
    if pick.random() < (0.4 if fits else 0.02):
        ending += "|" + pick.choice(list(conversions.CONVERSIONS))
    return ending


def fitting_query(pick, context):
    """A query along the tree from the context."""
    text, node = "", context
    if pick.random() < 0.4:
        text = "/" + node_test(pick, node) + filters(pick, node)
    for _ in range(pick.choice([0, 1, 1, 2, 3])):
        forms = [each for each in node.children if is_form(each)]
        if forms and pick.random() < 0.6:
            return text + ("/" if text else "") + converted(pick, form_query(pick, pick.choice(forms)))
        if node.children and pick.random() < 0.8:
            node = pick.choice(node.children)
            text += ("/" if text else "") + node_test(pick, node) + filters(pick, node)
        else:
            node = node.parent or node
            text += ("/" if text else "") + ".."
    attribute = "@" + pick.choice([name for name, _, _ in node.attributes] * 3 + ["xmlns", "k"])
    ending = pick.choice(["", "", "#", "$", "@@", attribute, attribute, form_query(pick, node)])
    if is_form(node) and pick.random() < 0.8:
        return text + converted(pick, form_query(pick, node))
    if ending and pick.random() < (0.95 if text.endswith("..") else 0.2):
        ending = "/" + ending
    return text + converted(pick, ending)


def fitting_argument(pick, specifier):
    text, whole = pick.choice(VALUES), pick.choice([0, 1, -1, 42, 2**63 - 1, -2**63, 2**64 - 1, pick.randrange(2000)])
    # Among them are ties of rounding, and what rounds up to another power of ten.
    real = pick.choice([
        0.5, -0.0, 1e16, 1e-5, 999999.5, pick.uniform(-1e3, 1e3), pick.uniform(2**52, 2**54),
        pick.randrange(-10**6, 10**6) / 2 ** pick.randrange(12), pick.uniform(1, 10) * 10.0 ** pick.randrange(-320, 300)])
    kinds = {"@": [text, whole, real, True], "s": [text], "c": ["x", "é", 0x1F600], "f": [real, whole], "e": [real], "g": [real]}
    fitting = kinds.get(specifier.printed, [abs(whole), whole, True])
    return pick.choice(fitting + pick.choice([[], [], [text, whole, real, False]]))


def printing_case(pick):
    """What an argument prints, or nearly."""
    query = f"/<k={pick.choice(SPECIFIERS)}>"
    try:
        specifier = next(syntax.compiled(query, []).specifiers())
    except syntax.QueryError:
        return {"xml": "<r/>", "query": query}
    argument = fitting_argument(pick, specifier)
    try:
        text = specifier.text(argument)
    except arguments.DoesNotFit:
        text = "x"
    text = "".join(character for character in text if character >= " ")
    if text and pick.random() < 0.1:
        text = text[:-1]
    return {"xml": f"<r k='{escaped(text)}'/>", "query": query, "arguments": [argument]}


def conversion_case(pick):
    """A conversion of a value that one of the suites has, perhaps with another character."""
    text = pick.choice(CONVERTED)
    if pick.random() < 0.5:
        at = pick.randrange(len(text) + 1)
        text = text[:at] + pick.choice(list("0129+-.:eETZ= aAfF") + [""]) + text[at + pick.choice([0, 1]):]
    options = pick.choice([[], ["strictConversions"]])
    conversion = pick.choice(list(conversions.CONVERSIONS))
    return {"xml": f"<r k='{escaped(text)}'/>", "query": f"/@k|{conversion}", "options": options}


def random_case(pick):
    kind = pick.random()
    if kind < 0.2:
        return {"defaultNamespace": "jabber:client", **(printing_case(pick) if kind < 0.1 else conversion_case(pick))}
    case = dict(pick.choice(pick.choice(list(CASES.values()))))
    case["xml"] = mutated_document(pick, case["xml"])
    case["defaultNamespace"] = "jabber:client"
    node, case["context"] = tree.Document(case["xml"], "jabber:client").root, []
    while node.children and pick.random() < 0.3:
        node = pick.choice(node.children)
    case["context"] = node.path()
    if pick.random() < 0.8:
        case["query"] = fitting_query(pick, node)
    if pick.random() < 0.25:
        case["query"] = mutated_query(pick, case["query"])
    case["options"] = [name for name in ("caseInsensitiveFilters", "strictConversions") if pick.random() < 0.2]
    try:
        specifiers = list(syntax.compiled(case["query"], []).specifiers())
    except syntax.QueryError:
        specifiers = []
    case["arguments"] = [fitting_argument(pick, each) for each in specifiers]
    if pick.random() < 0.05:
        case["arguments"] = case["arguments"][:-1] or [1]
    return case


def answer(case):
    """The reference's answer, or None if it depends on how a match's cost is counted."""
    answers = []
    for limit in (regex.MATCH_LIMIT // NEAR, regex.MATCH_LIMIT * NEAR):
        for name in "match", "depth":
            set_limit = regex.function(f"set_{name}_limit", ctypes.c_int, regex.Pointer, regex.Number)
            set_limit(regex.match_context, limit)
        answers.append(reference(case))
    return answers[0] if answers[0] == answers[1] else None


def batch(seed, size):
    pick, tests = random.Random(seed), []
    while len(tests) < size:
        try:
            case = random_case(pick)
        except tree.NotWellFormed:
            continue
        expected = answer(case)
        if expected is None:
            continue
        del case["defaultNamespace"]
        tests.append({"name": str(len(tests)), **case, **{
            name: expected[name] for name in ("results", "error", "at") if name in expected}})
    return tests


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("STANZA_SEED", random.randrange(2**30))))
    parser.add_argument("--stanza", default=ROOT / ".build/debug/stanza")
    options = parser.parse_args()
    print(f"reference: --seed {options.seed}", flush=True)
    failed = results = errors = 0
    for number in range(0, options.cases, BATCH):
        tests = batch(f"{options.seed} {number}", min(BATCH, options.cases - number))
        results += sum(bool(test.get("results")) for test in tests)
        errors += sum("error" in test for test in tests)
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            json.dump({"description": "random", "defaultNamespace": "jabber:client", "tests": tests}, file)
            file.flush()
            run = subprocess.run([options.stanza, "conformance", "--json", file.name], capture_output=True, text=True)
        outcomes = [json.loads(line) for line in run.stdout.splitlines()]
        if run.stderr or len(outcomes) != len(tests):
            print(f"{len(outcomes)} outcomes of {len(tests)} cases\n{run.stderr}", file=sys.stderr)
            failed += 1
        for outcome in outcomes:
            if outcome["outcome"] != "passed":
                failed += 1
                print(f"{json.dumps(tests[int(outcome['name'])])}\n    the engine: {outcome.get('got')}", file=sys.stderr)
    print(f"reference: {options.cases} cases, {results} with results, {errors} with errors, {failed} differ")
    return 1 if failed else 0


sys.exit(main())
