"""Asks one stanza from Python, by ctypes: python3 example.py libstanzaquery.so QUERY < STANZA"""

import ctypes
import sys


class Text(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.bytes, self.length).decode() if self.length else ""


class Number(ctypes.Union):
    _fields_ = [
        ("boolean", ctypes.c_bool), ("integer", ctypes.c_int64), ("unsigned_integer", ctypes.c_uint64),
        ("floating", ctypes.c_double), ("count", ctypes.c_size_t),
    ]


ELEMENT, STRING, ATTRIBUTES, BOOL, INT, UINT, DOUBLE, DATETIME, BASE64, UUID, FORM, FIELD = range(1, 13)

# Where in the union the value of a kind is.
NUMBERS = {BOOL: "boolean", INT: "integer", UINT: "unsigned_integer", DOUBLE: "floating", DATETIME: "floating"}


class Value(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("element", ctypes.c_void_p), ("text", Text), ("value", Number)]


if len(sys.argv) != 3:
    sys.exit("usage: python3 example.py libstanzaquery.so QUERY < STANZA")
stanza = ctypes.CDLL(sys.argv[1])
for name in ["stanza_query_compile", "stanza_element_parse", "stanza_find", "stanza_element_xml"]:
    getattr(stanza, name).restype = ctypes.c_void_p
stanza.stanza_error_message.restype = Text
stanza.stanza_results_next.restype = ctypes.c_bool
stanza.stanza_results_attribute.restype = ctypes.c_bool

error = ctypes.c_void_p()


def checked(handle):
    if not handle:
        sys.exit(str(stanza.stanza_error_message(error)))
    return ctypes.c_void_p(handle)


def size(text):
    return ctypes.c_size_t(len(text))


query = sys.argv[2].encode()
query = checked(stanza.stanza_query_compile(query, size(query), ctypes.byref(error)))
xml = sys.stdin.buffer.read()
element = checked(stanza.stanza_element_parse(xml, size(xml), b"jabber:client", ctypes.byref(error)))
results = checked(stanza.stanza_find(query, element, None, ctypes.c_size_t(0), ctypes.byref(error)))

value = Value()
while stanza.stanza_results_next(results, ctypes.byref(value)):
    if value.element:
        string = ctypes.c_void_p(stanza.stanza_element_xml(ctypes.c_void_p(value.element), None))
        print(ctypes.string_at(string.value).decode())
        stanza.stanza_string_free(string)
    elif value.kind == ATTRIBUTES:
        name, content = Text(), Text()
        for index in range(value.value.count):
            stanza.stanza_results_attribute(results, ctypes.c_size_t(index), ctypes.byref(name), ctypes.byref(content))
            print(f"{name}={content}")
    elif value.kind in NUMBERS:
        print(getattr(value.value, NUMBERS[value.kind]))
    elif value.kind == BASE64:
        # Any bytes, and no text.
        print(ctypes.string_at(value.text.bytes, value.text.length).hex())
    else:
        print(value.text)

stanza.stanza_results_free(results)
stanza.stanza_element_free(element)
stanza.stanza_query_free(query)
