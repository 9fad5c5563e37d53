"""The files of a recording: how they are written, and what must hold for them ever after.

Layout: session.jsonl with every element in order, streams/NAME.N.in.xml and streams/NAME.N.out.xml with the bytes of
the Nth stream of a connection, in from the server and out to it. A stream that is not well-formed ends in `.broken`.
"""

import json
import os
import re
from xml.etree import ElementTree

from recorder.wire import Splitter, parse

LEAST_STANZAS = 300  # what the tests and the first command of the README count on
LARGEST = 1_000_000  # bytes of all files together: the recording is cloned with the repository
STANZAS = ("{jabber:client}message", "{jabber:client}presence", "{jabber:client}iq")
# Folders of a machine. A resource or an address may contain "/home", so folders need their second slash.
FORBIDDEN = re.compile(r"/(tmp|work|root|home|usr|var|etc|opt)/|prosody\.cfg|\.lua")


def write(folder, recording):
    """Replaces the stored recording by this one."""
    streams = os.path.join(folder, "streams")
    os.makedirs(streams, exist_ok=True)
    for name in os.listdir(streams):
        os.remove(os.path.join(streams, name))
    for connection in recording.connections:
        for number, pair in enumerate(connection.streams, 1):
            for direction, splitter in zip(("in", "out"), pair):
                name = f"{connection.name}.{number}.{direction}." + ("broken" if splitter.broken else "xml")
                with open(os.path.join(streams, name), "wb") as file:
                    file.write(splitter.document())
    with open(os.path.join(folder, "session.jsonl"), "w", encoding="utf-8") as file:
        for connection, direction, element in recording.log:
            line = {"connection": connection, "direction": direction, "xml": element.decode()}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def check(folder, secret=FORBIDDEN):
    """Reads the stored files again and returns what is wrong with them, an empty list if nothing is.

    The secret is a pattern of words that may not occur, beside the folders of a machine.
    """
    problems, size, inside = [], 0, []
    streams = os.path.join(folder, "streams")
    for name in sorted(os.listdir(streams)):
        data = _read(os.path.join(streams, name))
        size += len(data)
        problems += _forbidden(name, data, secret)
        splitter = Splitter()
        connection, _, direction, kind = name.split(".")
        inside += [(connection, direction, element.decode()) for element in splitter.feed(data)]
        if kind == "broken" and not splitter.broken:
            problems.append(f"{name}: expected a stream that is not well-formed")
        if kind == "xml" and (splitter.broken or not splitter.closed):
            problems.append(f"{name}: expected a whole, well-formed stream")
    session = _read(os.path.join(folder, "session.jsonl"))
    size += len(session)
    problems += _forbidden("session.jsonl", session, secret)
    bad_lines = _bad_lines(session)
    if bad_lines:
        return problems + bad_lines
    logged = [(entry["connection"], entry["direction"], entry["xml"]) for entry in map(json.loads, _lines(session))]
    if sorted(logged) != sorted(inside):
        problems.append("session.jsonl and the streams do not hold the same elements")
    if size > LARGEST:
        problems.append(f"{size} bytes in all, expected at most {LARGEST}")
    stanzas = counts(folder)["stanzas"]
    if stanzas < LEAST_STANZAS:
        problems.append(f"{stanzas} stanzas, expected at least {LEAST_STANZAS}")
    if summary(folder) not in _read(os.path.join(folder, "README.md")).decode():
        problems.append(f"README.md: expected the line of counts: {summary(folder)}")
    return problems


def counts(folder):
    """What is in the stored recording: number of elements by kind and direction."""
    found = dict.fromkeys(("elements", "in", "out", "stanzas", "message", "presence", "iq", "other", "errors"), 0)
    for entry in map(json.loads, _lines(_read(os.path.join(folder, "session.jsonl")))):
        element = parse(entry["xml"].encode())
        kind = element.tag.rpartition("}")[2] if element.tag in STANZAS else "other"
        for key in ("elements", entry["direction"], kind):
            found[key] += 1
        found["stanzas"] += element.tag in STANZAS
        found["errors"] += element.tag in STANZAS and element.get("type") == "error"
    return found


def summary(folder):
    """One line of counts, as the README of the folder quotes it."""
    return ", ".join(f"{number} {key}" for key, number in counts(folder).items())


def _forbidden(name, data, secret):
    found = {match.group() for pattern in (FORBIDDEN, secret) for match in pattern.finditer(data.decode())}
    return [f"{name}: {word!r} tells of the machine" for word in sorted(found)]


def _bad_lines(session):
    problems = []
    for number, line in enumerate(_lines(session), 1):
        try:
            entry = json.loads(line)
            parse(entry["xml"].encode())
            if entry["direction"] not in ("in", "out") or not isinstance(entry["connection"], str):
                problems.append(f"session.jsonl:{number}: expected a connection and the direction in or out")
        except (ValueError, KeyError, TypeError, ElementTree.ParseError) as error:
            problems.append(f"session.jsonl:{number}: expected an object with an element as its xml: {error!r}")
    return problems


def _lines(session):
    """Lines as JSON lines has them: text may hold other separators, which splitlines would take for ends."""
    return session.decode().removesuffix("\n").split("\n")


def _read(path):
    with open(path, "rb") as file:
        return file.read()
