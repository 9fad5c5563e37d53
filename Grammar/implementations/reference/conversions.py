"""Conversions of texts (4.4, 4.5). Each gives a result in the form of the conformance suites, or None for no result."""

import base64 as encoding
import datetime as calendar
import fractions
import hashlib
import math
import re
import sys

WHITE = r"[ \t\n\v\f\r]*"
DECIMAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
LARGEST = sys.float_info.max


def bool_(text, strict):
    return {"bool": text in ("true", "1")} if not strict or text in ("true", "1", "false", "0") else None


def whole(text):
    """The number of a sign and digits, cut to 65 bits, because Python limits the digits that it reads at once."""
    digits = text.lstrip("+-").lstrip("0")
    number = int(digits or "0") if len(digits) <= 20 else 2**65
    return -number if text.startswith("-") else number


def integer(kind, pattern, lowest, highest):
    def convert(text, strict):
        if strict:
            number = whole(text) if re.fullmatch(pattern, text) else highest + 1
            return {kind: number} if lowest <= number <= highest else None
        found = re.match(WHITE + r"([+-]?[0-9]+)", text)
        return {kind: min(max(whole(found[1]), lowest), highest) if found else 0}
    return convert


def double(text, strict):
    found = re.fullmatch(f"({DECIMAL})", text) if strict else re.match(f"{WHITE}({DECIMAL})", text)
    number = float(found[1]) if found else 0.0
    if strict and (found is None or math.isinf(number)):
        return None
    return {"double": min(max(number, -LARGEST), LARGEST)}


DATETIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))")
LEGACY = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})()()()()")


def datetime(text, _):
    found = DATETIME.fullmatch(text) or LEGACY.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    fraction, sign, offset_hours, offset_minutes = found.groups()[6:]
    offset = int(offset_hours or 0) * 60 + int(offset_minutes or 0)
    if hour > 23 or minute > 59 or second > 59 or int(offset_minutes or 0) > 59 or offset > 14 * 60:
        return None
    try:
        days = calendar.date(year, month, day).toordinal() - calendar.date(1970, 1, 1).toordinal()
    except ValueError:
        return None
    seconds = ((days * 24 + hour) * 60 + minute - (-offset if sign == "-" else offset)) * 60 + second
    if not -62_135_596_800 <= seconds < 253_402_300_800:
        return None
    # Twelve digits are far more than the result holds.
    fraction = (fraction or "0")[:12]
    return {"datetime": float(seconds + fractions.Fraction(int(fraction), 10 ** len(fraction)))}


def base64(text, strict):
    if strict and re.search(r"[^A-Za-z0-9+/= \t\n\v\f\r]", text):
        return None
    text = re.sub(r"[^A-Za-z0-9+/=]", "", text)
    if not re.fullmatch(r"(?:[^=]{4})*(?:[^=]{2}==|[^=]{3}=)?", text):
        return None
    return {"base64": encoding.b64encode(encoding.b64decode(text)).decode()}


def uuid(text, _):
    return {"uuid": text.lower()} if re.fullmatch(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", text) else None


def uuidcast(text, strict):
    data = bytearray(hashlib.sha256(text.encode()).digest()[:16])
    data[6], data[8] = data[6] & 0x0F | 0x40, data[8] & 0x3F | 0x80
    cast = re.sub(r"(.{8})(.{4})(.{4})(.{4})(.{12})", r"\1-\2-\3-\4-\5", data.hex())
    return uuid(text, strict) or {"uuid": cast}


CONVERSIONS = {
    "bool": bool_,
    "int": integer("int", r"[+-]?[0-9]+", -(2**63), 2**63 - 1),
    "uint": integer("uint", r"\+?[0-9]+", 0, 2**64 - 1),
    "double": double,
    "datetime": datetime,
    "base64": base64,
    "uuid": uuid,
    "uuidcast": uuidcast,
}
