"""Evaluates queries on elements (sections 2 to 4)."""

import conversions
import forms
import regex
from arguments import DoesNotFit, Specifier
from syntax import Any, Axis, Equal, Kind, QueryError


def bound(query, arguments):
    """The text of each specifier, by its place in the query (6.1, 6.3)."""
    specifiers, texts = list(query.specifiers()), {}
    if len(arguments) > len(specifiers):
        raise QueryError("arguments", 0, len(query.text))
    for number, specifier in enumerate(specifiers):
        try:
            texts[specifier.start] = specifier.text(arguments[number])
        except (DoesNotFit, IndexError) as error:
            raise QueryError("arguments", specifier.start, specifier.end) from error
    return texts


def results(query, context, arguments):
    """All results, in order and on demand. Wrong arguments are found at once."""
    texts = bound(query, arguments)
    return filter(None, (extract(query, node) for node in nodes(query, context, texts)))


def nodes(query, context, texts):
    """The nodes that the path denotes, each once (2.5), depth first (3.8), with one iterator for each segment."""
    reached, last = [iter([context])], {}
    while reached:
        depth = len(reached) - 1
        node = next(reached[-1], None)
        if node is None:
            reached.pop()
        elif node is not last.get(depth):
            last[depth] = node
            if depth == len(query.segments):
                yield node
            else:
                reached.append(step(query, query.segments[depth], node, texts))


def step(query, segment, node, texts):
    """The nodes that a segment reaches from one node."""
    if segment.axis is Axis.PARENT:
        yield node if node.parent is None else node.parent
        return
    for candidate in node.children if segment.axis is Axis.CHILD else [node]:
        if accepts(segment, candidate) and all(holds(query, each, candidate, texts) for each in segment.filters):
            yield candidate


def accepts(segment, candidate):
    """Whether an element has the namespace and the name (3.1 to 3.4)."""
    namespace = segment.namespace
    if namespace is Any.INHERITED:
        namespace = Any.NAMESPACE if candidate.parent is None else candidate.parent.namespace
    if namespace is not Any.NAMESPACE and namespace != candidate.namespace:
        return False
    return segment.name is Any.NAME or (segment.name == candidate.name) != segment.is_negated


def holds(query, test, candidate, texts):
    """Whether a filter holds (3.7)."""
    value = candidate.attribute(test.namespace, test.name)
    if value is None:
        return False
    if isinstance(test, Equal):
        expected = "".join(texts[part.start] if isinstance(part, Specifier) else part for part in test.parts)
        return regex.equal_without_case(expected, value) if query.ignores_case else expected == value
    try:
        return test.regex.matches(value)
    except regex.LimitExceeded as error:
        raise QueryError("regexLimit", test.start, test.end) from error


def extract(query, node):
    """The result that a node contributes, in the form of the conformance suites, or None."""
    extraction = query.extraction
    match extraction.kind:
        case Kind.ELEMENT:
            return {"element": node.path()}
        case Kind.ALL_ATTRIBUTES:
            return {"attributes": node.all_attributes()}
        case Kind.ATTRIBUTE:
            text = node.attribute(extraction.namespace, extraction.name)
        case Kind.TEXT:
            text = node.text or None
        case Kind.NAME:
            text = node.name
        case _:
            if not forms.selects(extraction.form, node):
                return None
            if extraction.kind is Kind.FORM:
                return {"form": node.path()}
            if extraction.kind is Kind.FIELD:
                field = forms.description(extraction.form, node, extraction.name)
                return None if field is None else {"field": field}
            text = forms.first_value(forms.lookup(node, extraction.name, extraction.form.index)[0]) or None
    if text is None:
        return None
    if not extraction.conversion:
        return {"string": text}
    return conversions.CONVERSIONS[extraction.conversion](text, query.is_strict)
