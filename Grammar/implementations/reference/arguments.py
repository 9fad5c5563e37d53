"""Arguments (section 6): what specifiers print, as `printf` does in the C locale."""

import dataclasses
import math


class DoesNotFit(Exception):
    """The argument's type does not fit the specifier."""


@dataclasses.dataclass
class Specifier:
    """`%…` in the value of a filter, from `start` to `end` of the query."""

    start: int
    end: int
    flags: str
    width: int
    # None without a point.
    precision: int | None
    printed: str

    def text(self, argument):
        """What the specifier prints."""
        if self.printed == "@":
            argument = described(argument)
        if self.printed in "@s":
            return self.padded("", required(argument, str)[: self.precision], zeros=False)
        if self.printed == "c":
            return self.padded("", character(argument), zeros=False)
        if self.printed in "feg":
            return self.floating(float(required(argument, float, int, bool)))
        return self.whole(int(required(argument, int, bool)))

    def whole(self, number):
        if self.printed in "uxXo" and number < 0:
            raise DoesNotFit
        digits = format(abs(number), {"x": "x", "X": "X", "o": "o"}.get(self.printed, "d"))
        if self.precision is not None:
            digits = digits.rjust(self.precision, "0") if number or self.precision else ""
        if "#" in self.flags and self.printed == "o" and not digits.startswith("0"):
            digits = "0" + digits
        prefix = self.sign(number < 0) if self.printed in "di" else ""
        if "#" in self.flags and self.printed in "xX" and number:
            prefix = "0" + self.printed
        return self.padded(prefix, digits, zeros=self.precision is None)

    def floating(self, number):
        precision = 6 if self.precision is None else self.precision
        alternate = "#" if "#" in self.flags else ""
        digits = f"%{alternate}.{precision}{self.printed}" % abs(number)
        return self.padded(self.sign(math.copysign(1, number) < 0), digits, zeros=math.isfinite(number))

    def sign(self, is_negative):
        return "-" if is_negative else "+" if "+" in self.flags else " " if " " in self.flags else ""

    def padded(self, prefix, text, zeros):
        if "-" in self.flags:
            return (prefix + text).ljust(self.width)
        if zeros and "0" in self.flags:
            return prefix + text.rjust(self.width - len(prefix), "0")
        return (prefix + text).rjust(self.width)


def required(argument, *types):
    if type(argument) not in types:
        raise DoesNotFit
    return argument


def described(argument):
    """What `%@` prints. Python has an exponent from 1e16 on, the language above 2^53."""
    if isinstance(argument, float) and 2**53 < abs(argument) < 1e16:
        return next(text for digits in range(17) for text in [f"{argument:.{digits}e}"] if float(text) == argument)
    return str(argument).lower() if isinstance(argument, bool) else str(argument)


def character(argument):
    code = ord(argument) if isinstance(argument, str) and len(argument) == 1 else required(argument, int)
    if not 0 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise DoesNotFit
    return chr(code)
