"""Answers the cases of `stanza conformance --program` with the C interface (stanza_query.h), by ctypes:

    stanza conformance --program 'python3 Grammar/implementations/c.py .build/debug/libstanzaquery.so' Grammar/conformance

README.md in the folder conformance describes the lines.
"""

import base64
import ctypes
import json
import re
import sys
import xml.etree.ElementTree

ELEMENT, STRING, ATTRIBUTES, BOOL, INT, UINT, DOUBLE, DATETIME, BASE64, UUID, FORM, FIELD = range(1, 13)
TEXT, INTEGER, UNSIGNED, FLOATING, BOOLEAN = range(1, 6)
OPTIONS = {"caseInsensitiveFilters": 1, "strictConversions": 2}
Handle = ctypes.c_void_p
Size = ctypes.c_size_t


class Text(ctypes.Structure):
    _fields_ = [("start", Handle), ("length", Size)]

    def __bytes__(self):
        return ctypes.string_at(self.start, self.length) if self.length else b""

    def __str__(self):
        return bytes(self).decode()


class Number(ctypes.Union):
    _fields_ = [
        ("boolean", ctypes.c_bool), ("integer", ctypes.c_int64), ("unsigned", ctypes.c_uint64),
        ("floating", ctypes.c_double), ("count", Size),
    ]


class Value(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("element", Handle), ("text", Text), ("number", Number)]


class Content(ctypes.Union):
    _fields_ = [
        ("text", Text), ("integer", ctypes.c_int64), ("unsigned", ctypes.c_uint64), ("floating", ctypes.c_double),
    ]


class Argument(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("content", Content)]


library = ctypes.CDLL(sys.argv[1])
evaluation = [Handle, Handle, Handle, Size, Handle]


def function(name, result, *parameters):
    """A function of the library, with its types."""
    found = getattr(library, "stanza_" + name)
    found.restype, found.argtypes = result, parameters
    return found


parse = function("element_parse", Handle, ctypes.c_char_p, Size, ctypes.c_char_p, Handle)
copy = function("element_copy", Handle, Handle)
to_xml = function("element_xml", Handle, Handle, Handle)
free_string = function("string_free", None, Handle)
free_element = function("element_free", None, Handle)
compile_query = function("query_compile_with_options", Handle, ctypes.c_char_p, Size, ctypes.c_uint32, Handle)
result_kind = function("query_result_kind", ctypes.c_int32, Handle)
free_query = function("query_free", None, Handle)
check = function("check", ctypes.c_int32, *evaluation)
find = function("find", Handle, *evaluation)
find_first = function("find_first", Handle, *evaluation)
next_result = function("results_next", ctypes.c_bool, Handle, Handle)
attribute = function("results_attribute", ctypes.c_bool, Handle, Size, Handle, Handle)
free_results = function("results_free", None, Handle)
error_name = function("error_name", Text, Handle)
error_start = function("error_start", Size, Handle)
error_end = function("error_end", Size, Handle)
free_error = function("error_free", None, Handle)


class Failure(Exception):
    """An error of the library, as an answer."""


def checked(call, *arguments):
    """The result of a function that may fail."""
    error = Handle()
    result = call(*arguments, ctypes.byref(error))
    if error.value:
        answer = {"error": str(error_name(error)), "at": [error_start(error), error_end(error)]}
        free_error(error)
        raise Failure(answer)
    return result


def compiled(text, options=()):
    text = text.encode()
    return checked(compile_query, text, len(text), sum(OPTIONS[option] for option in options))


def xml_text(element):
    string = to_xml(element, None)
    text = ctypes.string_at(string).decode()
    free_string(string)
    return text


# The interface does not say where in its document a result is. So the queries for elements run on a document whose
# elements have their places in an attribute.
PLACE = "place-in-the-document"
TAG = re.compile(r"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(/?)([^\s/>]+)((?:[^>"']|"[^"]*"|'[^']*')*?)(/?)>""", re.S)


def with_places(document):
    path, counts = [], [0]

    def marked(match):
        end, name, attributes, is_empty = match.groups()
        if name is None:
            return match[0]
        if end:
            counts.pop()
            path.pop()
            return match[0]
        place = path + [counts[-1]]
        counts[-1] += 1
        if not is_empty:
            path.append(place[-1])
            counts.append(0)
        return f"<{name} {PLACE}='{place[1:]}'{attributes}{is_empty}>"

    return TAG.sub(marked, document)


def place(element):
    return json.loads(re.search(rf" {PLACE}='([^']*)'", xml_text(element))[1])


CHILDREN = compiled("{*}*")


def with_stream(document):
    """Binds the prefix in the first start tag, unless this tag does."""
    tag = next(tag for tag in TAG.finditer(document) if tag[2])
    if re.search(r"\sxmlns:stream\s*=", tag[3]):
        return document
    return f"{document[:tag.end(2)]} xmlns:stream='http://etherx.jabber.org/streams'{document[tag.end(2):]}"


def read(document, case):
    """The context of a case."""
    document = with_stream(document).encode()
    namespace = case["defaultNamespace"].encode() if "defaultNamespace" in case else None
    element = checked(parse, document, len(document), namespace)
    for index in case.get("context", []):
        children, value = checked(find, CHILDREN, element, None, 0), Value()
        for _ in range(index + 1):
            next_result(children, ctypes.byref(value))
        parent, element = element, copy(value.element)
        free_element(parent)
        free_results(children)
    return element


def argument(value):
    if isinstance(value, str):
        text = ctypes.create_string_buffer(value.encode())
        result = Argument(TEXT, Content(text=Text(ctypes.cast(text, Handle), len(text) - 1)))
        result.owner = text
        return result
    if isinstance(value, bool):
        return Argument(BOOLEAN, Content(integer=value))
    if isinstance(value, float):
        return Argument(FLOATING, Content(floating=value))
    if value < 2**63:
        return Argument(INTEGER, Content(integer=value))
    return Argument(UNSIGNED, Content(unsigned=value))


def field(text):
    """A field's description, from the element that the library writes."""
    element = xml.etree.ElementTree.fromstring(text)
    form = "{jabber:x:data}"
    values = [value.text or "" for value in element.findall(form + "value")]
    options = {
        value: option.get("label", value)
        for option in element.findall(form + "option") for value in [option.findtext(form + "value", "")]
    }
    described = {
        "name": element.get("var", ""), "type": element.get("type"), "value": values[0] if values else None,
        "allValues": values, "options": options, "label": element.get("label"),
        "description": element.findtext(form + "desc"), "required": element.find(form + "required") is not None,
    }
    return {name: value for name, value in described.items() if value is not None}


def result(value, results):
    if value.kind == ELEMENT:
        return {"element": place(value.element)}
    if value.kind == FORM:
        return {"form": place(value.element)}
    if value.kind == FIELD:
        return {"field": field(xml_text(value.element))}
    if value.kind == ATTRIBUTES:
        found, name, text = {}, Text(), Text()
        for index in range(value.number.count):
            attribute(results, index, ctypes.byref(name), ctypes.byref(text))
            found[str(name)] = str(text)
        return {"attributes": found}
    if value.kind == BASE64:
        return {"base64": base64.b64encode(bytes(value.text)).decode()}
    number = value.number
    return {
        STRING: lambda: {"string": str(value.text)}, BOOL: lambda: {"bool": number.boolean},
        INT: lambda: {"int": number.integer}, UINT: lambda: {"uint": number.unsigned},
        DOUBLE: lambda: {"double": number.floating}, DATETIME: lambda: {"datetime": number.floating},
        UUID: lambda: {"uuid": str(value.text)},
    }[value.kind]()


def results(call, *arguments):
    handle, value, found = checked(call, *arguments), Value(), []
    while next_result(handle, ctypes.byref(value)):
        found.append(result(value, handle))
    free_results(handle)
    return found


def answer(case):
    query = element = None
    try:
        query = compiled(case["query"], case.get("options", ()))
        if "xml" not in case:
            return {"results": []}
        has_places = result_kind(query) in (ELEMENT, FORM)
        element = read(with_places(case["xml"]) if has_places else case["xml"], case)
        values = [argument(value) for value in case.get("arguments", [])]
        question = (query, element, (Argument * len(values))(*values), len(values))
        found, first = results(find, *question), results(find_first, *question)
        return {"results": found, "first": first[0] if first else None, "check": checked(check, *question) == 1}
    except Failure as failure:
        return failure.args[0]
    finally:
        free_query(query)
        free_element(element)


for line in sys.stdin.buffer:
    print(json.dumps(answer(json.loads(line))), flush=True)
