"""Trees of XML elements (section 1), and documents."""

import re
import xml.parsers.expat

XML = "http://www.w3.org/XML/1998/namespace"
XMLNS = "http://www.w3.org/2000/xmlns/"
STREAMS = "http://etherx.jabber.org/streams"


class Element:
    """An element: `attributes` are triples of qualified name, expanded name and value, in document order."""

    def __init__(self, parent, name, namespace, attributes, scope):
        self.parent, self.name, self.namespace, self.attributes = parent, name, namespace, attributes
        # The namespaces that prefixes are bound to at this element.
        self.scope = scope
        self.children, self.texts = [], []
        self.index = 0 if parent is None else len(parent.children)
        if parent is not None:
            parent.children.append(self)

    @property
    def text(self):
        """The own text (1.4). Without text nodes it is empty, which makes no difference for any query (4.2)."""
        return "".join(self.texts)

    def path(self):
        """The indexes of child elements that lead from the root to this element."""
        indexes, element = [], self
        while element.parent is not None:
            indexes.append(element.index)
            element = element.parent
        return indexes[::-1]

    def attribute(self, namespace, name):
        """The value of an attribute, named as in rule 4.3; `namespace` is None without Clark notation."""
        if namespace is None and name == "xmlns":
            return self.namespace
        prefix, colon, local = name.partition(":")
        if namespace is None and colon:
            # No attribute has an empty namespace.
            namespace, name = self.scope.get(prefix or None, ""), local
        return next((value for _, expanded, value in self.attributes if expanded == (namespace, name)), None)

    def all_attributes(self):
        """The dictionary of `@@`, with the pseudo-attribute `xmlns` (1.3)."""
        named = {qualified: value for qualified, _, value in self.attributes}
        return named if self.namespace is None else {"xmlns": self.namespace, **named}


class NotWellFormed(Exception):
    """The document is not well-formed XML with namespaces."""


# Names of XML's fifth edition (productions 4 and 4a), as classes of a regular expression.
NAME_START = (
    ":A-Z_a-z\xC0-\xD6\xD8-\xF6\xF8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C\u200D\u2070-\u218F\u2C00-\u2FEF"
    "\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF")
NAME_INNER = r"\-.0-9\xB7\u0300-\u036F\u203F\u2040"
# Characters that expat, which knows the fourth edition, takes at the same places: ideographs, and digits of many scripts.
START_POOL = range(0x4E00, 0x9FA6)
INNER_POOL = [zero + digit for zero in (
    0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0) for digit in range(10)]
REFERENCE = re.compile("&#(?:x([0-9A-Fa-f]+)|([0-9]+));")


def fourth_edition(document):
    """A table for `str.translate` that gives each name character beyond ASCII another one that expat knows.

    What a character reference gives is not translated. So its character stands for no other one.
    """
    referenced = {int(sixteen or ten, 16 if sixteen else 10) for sixteen, ten in REFERENCE.findall(document)}
    table = {}
    for pool, kind in (START_POOL, NAME_START), (INNER_POOL, NAME_INNER):
        free = (code for code in pool if code not in referenced)
        used = sorted(set(re.findall(f"(?![\0-\x7F])[{kind}]", document)))
        table |= {ord(character): code for character, code in zip(used, free)}
    return table


class Document:
    """The tree of a document, from `root`. Around it, the prefix `stream` is bound, and a default namespace may be."""

    def __init__(self, document, default_namespace):
        self.root = self.open = None
        self.outer = {"xml": XML, "stream": STREAMS, "": default_namespace or None}
        table = fourth_edition(document)
        self.original = {to: code for code, to in table.items()}
        parser = xml.parsers.expat.ParserCreate("UTF-8")
        parser.ordered_attributes = True
        parser.StartElementHandler, parser.EndElementHandler = self.start, self.end
        parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = self.character_data, self.doctype
        try:
            parser.Parse(document.translate(table).encode(), True)
        except (xml.parsers.expat.ExpatError, UnicodeEncodeError) as error:
            raise NotWellFormed(str(error)) from error

    def start(self, name, attributes):
        name, *attributes = (text.translate(self.original) for text in [name, *attributes])
        scope = dict(self.outer if self.open is None else self.open.scope)
        others = []
        for qualified, value in zip(attributes[::2], attributes[1::2]):
            prefix, _, local = qualified.rpartition(":")
            if qualified == "xmlns":
                scope[""] = value or None
            elif prefix == "xmlns":
                scope[declarable(local, value)] = value
            else:
                others.append((qualified, value))
        expanded = [(qualified, expand(scope, qualified, None), value) for qualified, value in others]
        if len({pair for _, pair, _ in expanded}) < len(expanded):
            raise NotWellFormed(f"two attributes of '{name}' have one name")
        namespace, local = expand(scope, name, scope[""])
        self.open = Element(self.open, local, namespace, expanded, scope)
        self.root = self.root or self.open

    def end(self, _):
        self.open = self.open.parent

    def character_data(self, text):
        self.open.texts.append(text.translate(self.original))

    def doctype(self, *_):
        raise NotWellFormed("a document is the content of an element, and has no document type declaration")


def declarable(prefix, namespace):
    """The prefix, if it may be bound to the namespace."""
    if not namespace or prefix == "xmlns" or namespace == XMLNS or (prefix == "xml") != (namespace == XML):
        raise NotWellFormed(f"the prefix '{prefix}' cannot be bound to '{namespace}'")
    return prefix


def expand(scope, name, default_namespace):
    """The namespace and the local name of a qualified name."""
    prefix, colon, local = name.rpartition(":")
    if colon and scope.get(prefix or None) is None:
        raise NotWellFormed(f"the prefix of '{name}' is not bound")
    if not re.match(f"[{NAME_START}]", local):
        raise NotWellFormed(f"'{name}' has no local name")
    return (scope[prefix] if colon else default_namespace), local
