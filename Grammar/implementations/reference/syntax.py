"""The grammar (stanza-query.ebnf): compiles the text of a query. Each method repeats the productions that it reads."""

import dataclasses
import enum
import re

import forms
import regex
from arguments import Specifier
from conversions import CONVERSIONS
from tree import NAME_INNER, NAME_START


class QueryError(Exception):
    """An error (section 7), from the character `start` of the query up to `end`."""

    def __init__(self, kind, start, end):
        super().__init__(f"{kind} at {start}")
        self.kind, self.start, self.end = kind, start, end


class Any(enum.Enum):
    """What a segment has instead of a name or a namespace. INHERITED is that of the parent of the candidates (3.3)."""

    NAME, NAMESPACE, INHERITED = "*", "{*}", ""


class Axis(enum.Enum):
    """Where a segment looks for nodes. The first segment of a rooted path looks at the context itself."""

    CHILD, SELF, PARENT = range(3)


@dataclasses.dataclass
class Equal:
    """`<attribute=value>`: the value is a sequence of texts and specifiers."""

    namespace: str | None
    name: str
    parts: list[str | Specifier]


@dataclasses.dataclass
class Matches:
    """`<attribute~regex>`: `start` and `end` are those of the pattern in the query."""

    namespace: str | None
    name: str
    regex: regex.Regex
    start: int
    end: int


@dataclasses.dataclass
class Segment:
    axis: Axis
    namespace: str | Any = Any.NAMESPACE
    name: str | Any = Any.NAME
    is_negated: bool = False
    filters: list[Equal | Matches] = dataclasses.field(default_factory=list)


class Kind(enum.Enum):
    """What is extracted from the nodes that the segments reach."""

    ELEMENT, ATTRIBUTE, ALL_ATTRIBUTES, TEXT, NAME, FORM, VALUE, FIELD = range(8)


@dataclasses.dataclass
class Extraction:
    kind: Kind = Kind.ELEMENT
    # Of an attribute; of a form, the name of the field.
    namespace: str | None = None
    name: str | None = None
    form: forms.FormQuery | None = None
    conversion: str = ""


@dataclasses.dataclass
class Query:
    """A compiled query. Segments without name and namespace are gone: `foo/@id` is `foo@id`, `/@id` has no segment."""

    text: str
    segments: list[Segment]
    extraction: Extraction
    ignores_case: bool
    is_strict: bool

    def specifiers(self):
        """All specifiers, from left to right."""
        for segment in self.segments:
            for each in segment.filters:
                yield from (part for part in getattr(each, "parts", []) if isinstance(part, Specifier))


NAME = re.compile(f"[{NAME_START}{NAME_INNER}]+")
CONVERTIBLE = (Kind.ATTRIBUTE, Kind.TEXT, Kind.NAME, Kind.VALUE)
BEGINNINGS_OF_ENDINGS = ("@", "#", "$", "\\")
LARGEST_WIDTH = 1000


class Parser:
    """Reads from left to right. The first error that it finds is the one that begins first (7.2)."""

    def __init__(self, text, ignores_case):
        self.text, self.ignores_case, self.at = text, ignores_case, 0
        self.segments, self.extraction = [], Extraction()

    # Characters
    def next_is(self, *texts):
        return self.text.startswith(texts, self.at)

    def skip(self, text):
        """Whether the text is next; then it is read."""
        is_next = self.next_is(text)
        self.at += len(text) if is_next else 0
        return is_next

    def run(self, pattern):
        """The longest text here that matches, which may be empty."""
        found = re.compile(pattern).match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else ""

    def some(self, pattern):
        """A run that must not be empty."""
        return self.run(pattern) or self.fail()

    def expect(self, text):
        if not self.skip(text):
            self.fail()

    def fail(self):
        """The next character cannot continue a query."""
        raise QueryError("syntax", self.at, min(self.at + 1, len(self.text)))

    # Paths (2.2 to 2.4, 3.5, 3.6)
    def query(self):
        """query ::= ( '/' rootedPath | path )?"""
        goes_on = bool(self.text) and (self.rooted_path() if self.skip("/") else self.path())
        while goes_on:
            goes_on = self.path()

    def rooted_path(self):
        """rootedPath ::= ( element | filter+ ) continuation | parent | ending; true if '/' path follows"""
        if self.next_is(*BEGINNINGS_OF_ENDINGS):
            return self.ending()
        if self.next_is("<"):
            return self.continuation(Segment(Axis.SELF))
        return self.element_or_parent(Axis.SELF)

    def path(self):
        """path ::= element continuation | parent | nameless; true if '/' path follows

        After a parent: '/' ( path | nameEnding ), and '#' reads the node that '..' reached (3.6).
        nameless ::= attributeEnding | allAttributes | textEnding | filter* formEnding
        """
        is_after_parent = bool(self.segments) and self.segments[-1].axis is Axis.PARENT
        if self.next_is("@") or is_after_parent and self.next_is("#", "$"):
            return self.ending()
        if self.next_is("#"):
            self.segments.append(Segment(Axis.CHILD, Any.INHERITED))
            return self.ending()
        if self.next_is("<", "\\"):
            self.segments.append(self.with_filters(Segment(Axis.CHILD, forms.NAMESPACE, "x")))
            return self.ending() if self.next_is("\\") else self.fail()
        return self.element_or_parent(Axis.CHILD)

    def continuation(self, segment):
        """filter* ( ending? | '/' path )"""
        self.segments.append(self.with_filters(segment))
        return self.ending() if self.next_is(*BEGINNINGS_OF_ENDINGS) else self.goes_on()

    def goes_on(self):
        """After a segment without extraction: whether '/' follows, or the end."""
        start = self.at
        if self.run(r"\|[^/]*"):
            raise QueryError("misplacedConversion", start, self.at)
        if self.at == len(self.text):
            return False
        self.expect("/")
        return True

    # Elements (3.1 to 3.4)
    def element_or_parent(self, axis):
        """element ::= nodeTest filter*;  nodeTest ::= namespace nameTest? | nameTest
        nameTest ::= '*' | '!'? elementName;  parent ::= '..' ( '/' ( path | nameEnding ) )?
        """
        namespace = self.namespace(True) or Any.INHERITED
        if self.skip("*"):
            return self.continuation(Segment(axis, namespace))
        is_negated = self.skip("!")
        needs_name = is_negated or namespace is Any.INHERITED
        name = self.some(NAME) if needs_name else self.run(NAME) or Any.NAME
        if name != "..":
            return self.continuation(Segment(axis, namespace, name, is_negated))
        if is_negated or namespace is not Any.INHERITED:
            self.fail()
        self.segments.append(Segment(Axis.PARENT))
        if self.next_is(*BEGINNINGS_OF_ENDINGS):
            self.extraction_of_parent()
        return self.goes_on()

    def namespace(self, may_be_any):
        """namespace ::= '{' [^}]+ '}';  attributeNamespace ::= [^*}] [^}]* | '*' [^}]+;  None if no brace is here"""
        if not self.skip("{"):
            return None
        namespace = self.some(r"[^}]+")
        if namespace == "*" and not may_be_any:
            self.fail()
        self.expect("}")
        return Any.NAMESPACE if namespace == "*" else namespace

    def extraction_of_parent(self):
        """It is misplaced, even if it is incomplete (3.5)."""
        start = self.at
        try:
            self.unconverted()
        except QueryError as error:
            self.at = error.start
        raise QueryError("misplacedExtraction", start, self.at)

    # Filters (3.7)
    def with_filters(self, segment):
        """filter ::= '<' attributeName ( '=' value | '~' regex ) '>'"""
        while self.skip("<"):
            namespace, name = self.attribute_name()
            if self.skip("~"):
                segment.filters.append(self.regex(namespace, name))
            else:
                self.expect("=")
                segment.filters.append(Equal(namespace, name, self.value()))
                self.expect(">")
        return segment

    def attribute_name(self):
        """attributeName ::= ( '{' attributeNamespace '}' )? name"""
        return self.namespace(False), self.some(NAME)

    def regex(self, namespace, name):
        """regex ::= [^>]+"""
        start = self.at
        pattern = self.some(r"[^>]+")
        end = self.at
        self.expect(">")
        try:
            return Matches(namespace, name, regex.compiled(pattern, self.ignores_case), start, end)
        except regex.Invalid as error:
            raise QueryError("invalidRegex", start, end) from error

    def value(self):
        """value ::= ( [^%>] | '%%' | specifier )+"""
        parts = []
        while not parts or not self.next_is(">") and self.at < len(self.text):
            text = self.run(r"(?:[^%>]|%%)+")
            parts.append(text.replace("%%", "%") if text else self.specifier())
        return parts

    # Format specifiers (6.1)
    def specifier(self):
        """specifier ::= '%' flag* width? ( '.' precision? )? length? printed"""
        start = self.at
        self.expect("%")
        flags = self.run(r"[ #+0-]*")
        width = self.number()
        precision = None
        if self.skip("."):
            self.run("0+")
            precision = self.number()
        self.run(r"hh?|ll?|[qjtzL]")
        printed = self.some(r"[@diuxXocsfeg]")
        return Specifier(start, self.at, flags, width, precision, printed)

    def number(self):
        """number ::= [1-9] [0-9]? [0-9]? | '1000'; 0 if none is here"""
        return int(self.run(rf"{LARGEST_WIDTH}|[1-9][0-9]{{0,2}}") or "0")

    # Extractions and conversions (4.1, 4.4)
    def ending(self):
        """ending ::= attributeEnding | allAttributes | textEnding | nameEnding | formEnding; false: nothing follows

        conversion ::= '|' name. A name runs to the next '/' or the end.
        """
        start = self.at
        self.unconverted()
        end = self.at
        conversion = self.run(r"\|[^/]*")
        if self.next_is("/"):
            raise QueryError("misplacedExtraction", start, end)
        if conversion and self.extraction.kind not in CONVERTIBLE:
            raise QueryError("misplacedConversion", end, self.at)
        if conversion == "|" or self.at < len(self.text):
            self.fail()
        if conversion and conversion[1:] not in CONVERSIONS:
            raise QueryError("unknownConversion", end + 1, self.at)
        self.extraction.conversion = conversion[1:]
        return False

    def unconverted(self):
        """An extraction without its conversion."""
        if self.skip("@@"):
            self.extraction = Extraction(Kind.ALL_ATTRIBUTES)
        elif self.skip("@"):
            self.extraction = Extraction(Kind.ATTRIBUTE, *self.attribute_name())
        elif self.skip("#"):
            self.extraction = Extraction(Kind.TEXT)
        elif self.skip("$"):
            self.extraction = Extraction(Kind.NAME)
        else:
            self.form()

    # Data-form queries (5)
    def form(self):
        r"""formEnding ::= '\' formSelection ( '@' fieldName '\' conversion? | ( '&' fieldName )? '\' )

        formSelection ::= ( '{' formType '}' )? ( '*' | name )? ( '[' [0-9]+ ']' )?
        """
        self.expect("\\")
        selection = forms.FormQuery()
        if self.skip("{"):
            form_type = self.some(r"[^\\}]+")
            self.expect("}")
            selection.form_type = None if form_type == "*" else form_type
        if not self.skip("*"):
            selection.type = self.run(NAME) or None
        if self.skip("["):
            selection.index = self.some(r"[0-9]+")
            self.expect("]")
        kind = Kind.VALUE if self.skip("@") else Kind.FIELD if self.skip("&") else Kind.FORM
        field = None if kind is Kind.FORM else self.some(r"[^\\]+")
        self.expect("\\")
        self.extraction = Extraction(kind, None, field, selection)


def compiled(text, options):
    """The query of a text."""
    parser = Parser(text, "caseInsensitiveFilters" in options)
    parser.query()
    return Query(text, parser.segments, parser.extraction, parser.ignores_case, "strictConversions" in options)
