"""Runs the playground's browser tests: `python3 Tests/Playground [STANZA-LIVE] [-k PATTERN]`.

A test that is skipped is a failure.
"""

import pathlib
import sys
import unittest

import browser

here = str(pathlib.Path(__file__).parent)
options = sys.argv[1:]
if options and not options[0].startswith("-"):
    browser.executable = options.pop(0)
program = unittest.main(
    module=None, argv=[sys.argv[0], "discover", "--start-directory", here, "--verbose", *options], exit=False)
result = program.result
if result.skipped or result.testsRun == 0:
    print("no test may be skipped, and there has to be one", file=sys.stderr)
    sys.exit(1)
sys.exit(0 if result.wasSuccessful() else 1)
