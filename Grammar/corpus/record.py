#!/usr/bin/env python3
"""Records the session of this folder anew, or checks the stored one.

    record.py            drives a Prosody server of its own and replaces session.jsonl and streams/
    record.py --check    validates the stored files; exit code 1 and one line for each problem
    record.py --counts   prints what is in them

Python's standard library only. The parts: recorder/server.py (the server), recorder/wire.py (bytes and streams),
recorder/client.py (a client), recorder/scenes/ (what happens), recorder/store.py (files and their check).
"""

import os
import re
import shutil
import socket
import sys

sys.dont_write_bytecode = True

from recorder import scenes, store  # noqa: E402
from recorder.server import Server  # noqa: E402
from recorder.wire import Recording  # noqa: E402

FOLDER = os.path.dirname(os.path.abspath(__file__))


def record():
    if not shutil.which("prosody"):
        sys.exit("There is no prosody here. On Debian: apt-get install prosody")
    with Server() as server:
        recording = Recording(server.port)
        try:
            scenes.play(recording)
        except Exception:
            for connection, direction, element in recording.log[-12:]:  # what the scene that failed did last
                print(connection, direction, element.decode(), file=sys.stderr)
            raise
        store.write(FOLDER, recording)
        # Nothing that names this machine may have reached the wire.
        words = [os.path.basename(server.folder), str(server.port), socket.gethostname()]
        return store.check(FOLDER, re.compile("|".join(rf"\b{re.escape(word)}\b" for word in words)))


def main():
    arguments = sys.argv[1:]
    if arguments == ["--counts"]:
        problems = []
    elif arguments == ["--check"]:
        problems = store.check(FOLDER)
    elif not arguments:
        problems = record()
    else:
        sys.exit(__doc__)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(1)
    print(store.summary(FOLDER))


if __name__ == "__main__":
    main()
