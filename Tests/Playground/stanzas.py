"""Stanzas that several tests ask."""

MESSAGE = "<message id='m1'><body>Art thou not Romeo?</body></message>"
NESTED = "<r><a><b k='1'>x</b><b k='2'/></a><c/></r>"
