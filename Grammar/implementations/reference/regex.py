"""Regular expressions (3.7, 3.8): the library PCRE2, through ctypes."""

import ctypes
import ctypes.util
import re
import weakref

Pointer, Size, Number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32

ANCHORED, ENDANCHORED, LITERAL, UTF = 0x80000000, 0x20000000, 0x02000000, 0x00080000
CASELESS, DOLLAR_ENDONLY, DOTALL = 0x00000008, 0x00000010, 0x00000020
NEVER_UCP, NEVER_BACKSLASH_C = 0x00000800, 0x00100000
INFO_ALLOPTIONS, ERROR_NOMATCH, NEWLINE_LF, BSR_UNICODE = 0, -1, 2, 1

# Rule 3.8.
MATCH_LIMIT = DEPTH_LIMIT = 1_000_000
HEAP_LIMIT_KIB, LONGEST_UNANCHORED = 64 * 1024, 4096

library = ctypes.CDLL(ctypes.util.find_library("pcre2-8") or "libpcre2-8.so.0")


def function(name, result, *parameters):
    found = getattr(library, f"pcre2_{name}_8")
    found.restype, found.argtypes = result, parameters
    return found


compile_code = function(
    "compile", Pointer, ctypes.c_char_p, Size, Number, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(Size), Pointer)
free_code = function("code_free", None, Pointer)
pattern_info = function("pattern_info", ctypes.c_int, Pointer, Number, Pointer)
error_message = function("get_error_message", ctypes.c_int, ctypes.c_int, ctypes.c_char_p, Size)
match = function("match", ctypes.c_int, Pointer, ctypes.c_char_p, Size, Size, Number, Pointer, Pointer)

compile_context, match_context = (function(f"{kind}_context_create", Pointer, Pointer)(None) for kind in ("compile", "match"))
for name, number in ("newline", NEWLINE_LF), ("bsr", BSR_UNICODE):
    function(f"set_{name}", ctypes.c_int, Pointer, Number)(compile_context, number)
for name, number in ("match", MATCH_LIMIT), ("depth", DEPTH_LIMIT), ("heap", HEAP_LIMIT_KIB):
    function(f"set_{name}_limit", ctypes.c_int, Pointer, Number)(match_context, number)
# Only whether something matches counts, no group.
match_data = function("match_data_create", Pointer, Number, Pointer)(1, None)


class Invalid(Exception):
    """PCRE2 refuses the pattern, with this message."""


# Rule 3.7: the parts of a pattern, outside and inside of a class of characters, as far as braces in them are not repetitions.
ESCAPE = r"\\Q.*?(?:\\E|\Z)|\\c.|\\(?:[xopPgk]|N(?=\{[ \t]*U\+))\{(?P<escape>[^{}\\]*)\}|\\."
CALLOUT = r"\?C(?:\{(?:[^}]|\}\})*\}|(?P<mark>[`'\"^%#$])(?:(?!(?P=mark)).|(?P=mark){2})*(?P=mark))"
GROUP = rf"\(\?(?P<options>[\^A-Za-z-]*)\)|(?P<open>\((?:{CALLOUT}|\?(?P<flags>[\^A-Za-z-]*):)?)|(?P<close>\))"
OUTSIDE = rf"{ESCAPE}|\((?:\?#|\*[A-Z:])[^)]*\)?|{GROUP}|(?P<class>\[\^?\]?)|\{{(?P<bounds>[0-9, \t]*)\}}|."
OUTSIDE, EXTENDED = re.compile(OUTSIDE, re.S), re.compile(r"\#[^\n]*|" + OUTSIDE, re.S)
INSIDE = re.compile(ESCAPE + r"|\[:[\^A-Za-z]*:\]|(?P<end>\])|.", re.S)


def check_braces(pattern):
    """Refuses braces that versions of PCRE2 read differently."""
    place, is_inside, extended = 0, False, [False]
    while found := (INSIDE if is_inside else EXTENDED if extended[-1] else OUTSIDE).match(pattern, place):
        groups = found.groupdict("")
        on, _, off = (groups.get("options") or groups.get("flags") or "").partition("-")
        is_extended = "x" not in off and ("x" in on or extended[-1] and "^" not in on)
        outer = extended if is_inside or groups["open"] else extended[:-1]
        extended = outer if is_inside or groups["close"] and outer else [*outer, is_extended]
        is_inside = not groups["end"] if is_inside else bool(groups["class"])
        bounds, escape = groups.get("bounds", "").split(","), groups["escape"]
        least, *most = (bound.strip(" \t") for bound in bounds)
        is_repetition = len(bounds) <= 2 and any([least, *most]) and not re.search("[ \t]", least + "".join(most))
        if is_repetition and bounds != [least or "0", *most] or escape != escape.strip(" \t"):
            raise Invalid(f"versions of PCRE2 read '{found[0]}' differently")
        place = found.end()


class LimitExceeded(Exception):
    """A match ran past its limits, or was not tried (3.8)."""


class Regex:
    def __init__(self, pattern, options):
        pattern, number, offset = pattern.encode(), ctypes.c_int(), Size()
        self.code = compile_code(
            pattern, len(pattern), UTF | options, ctypes.byref(number), ctypes.byref(offset), compile_context)
        if not self.code:
            message = ctypes.create_string_buffer(256)
            error_message(number, message, len(message))
            raise Invalid(f"{message.value.decode()} at {offset.value}")
        weakref.finalize(self, free_code, self.code)
        found = Number()
        pattern_info(self.code, INFO_ALLOPTIONS, ctypes.byref(found))
        self.is_anchored = bool(found.value & ANCHORED)

    def matches(self, value):
        value = value.encode()
        if not self.is_anchored and len(value) > LONGEST_UNANCHORED:
            raise LimitExceeded
        result = match(self.code, value, len(value), 0, 0, match_data, match_context)
        if result < 0 and result != ERROR_NOMATCH:
            raise LimitExceeded
        return result >= 0


def compiled(pattern, ignores_case):
    """The regular expression of a `~` filter."""
    check_braces(pattern)
    options = DOTALL | DOLLAR_ENDONLY | NEVER_UCP | NEVER_BACKSLASH_C
    return Regex(pattern, options | CASELESS if ignores_case else options)


def equal_without_case(one, other):
    """Whether two texts are equal by simple case folding, which never changes the number of characters."""
    return len(one) == len(other) and all(
        a == b or Regex(a, LITERAL | CASELESS | ANCHORED | ENDANCHORED).matches(b) for a, b in zip(one, other))
