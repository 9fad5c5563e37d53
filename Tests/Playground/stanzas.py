"""Stanzas that several tests query, and an empty answer."""

MESSAGE = "<message id='m1'><body>Art thou not Romeo?</body></message>"
NESTED = "<r><a><b k='1'>x</b><b k='2'/></a><c/></r>"
NOTHING = {
    "diagnostics": [], "warnings": [], "tree": [], "program": None, "stanzaProblems": [], "marks": [], "results": [],
    "isCut": False, "isShortened": False, "nearMiss": None, "repair": None, "failure": None}
