"""The reference: the language as language.md and the grammar define it, for reading, not for speed.

    stanza conformance --program 'python3 Grammar/implementations/reference' Grammar/conformance

README.md in the folder conformance describes the lines.
"""

import json
import sys

import evaluation
import syntax
import tree


def answer(case):
    text = case["query"]
    try:
        query = syntax.compiled(text, case.get("options", []))
        if "xml" not in case:
            return {"results": []}
        context = tree.Document(case["xml"], case.get("defaultNamespace")).root
        for index in case.get("context", []):
            context = context.children[index]
        found = list(evaluation.results(query, context, case.get("arguments", [])))
        return {"results": found, "first": found[0] if found else None, "check": bool(found)}
    except syntax.QueryError as error:
        return {"error": error.kind, "at": [len(text[:place].encode()) for place in (error.start, error.end)]}
    except tree.NotWellFormed as error:
        return {"unsupported": f"XML that is not well-formed: {error}"}


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        print(json.dumps(answer(json.loads(line))), flush=True)
