"""Prepares texts with the package precis-i18n, for PrecisComparisonTests. Started by Oracle.swift.

    python3 precis.py

It prints "ready" first. Then it answers each line with one line. A line is the name of a
profile and the code points of a text in hexadecimal; the answer is `ok` and the code points of the prepared text, `no`,
or `unknown` for a text with characters that this version of Unicode does not have.
"""

import sys
import unicodedata

from precis_i18n import get_profile

profiles = {name: get_profile(name) for name in ("UsernameCaseMapped", "OpaqueString")}


def is_unknown(scalar: str) -> bool:
    return unicodedata.category(scalar) == "Cn" and ord(scalar) & 0xFFFE != 0xFFFE and not 0xFDD0 <= ord(scalar) <= 0xFDEF


def answer(line: str) -> str:
    profile, *points = line.split()
    text = "".join(chr(int(point, 16)) for point in points)
    if any(map(is_unknown, text)):
        return "unknown"
    try:
        return " ".join(["ok", *(f"{ord(scalar):x}" for scalar in profiles[profile].enforce(text))])
    except UnicodeEncodeError:
        return "no"


print("ready", flush=True)
for line in sys.stdin:
    print(answer(line), flush=True)
