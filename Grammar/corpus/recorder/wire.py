"""The wire: cuts a stream into its top-level elements, byte for byte, and keeps every connection's bytes.

Knows nothing of what the stanzas mean; client.py does. Storing what was recorded is store.py's work.
"""

import re
import select
import socket
import time
import xml.etree.ElementTree as ElementTree
from xml.parsers import expat

HEADER = ("<?xml version='1.0'?><stream:stream to='{to}' version='1.0' xml:lang='en' xmlns='jabber:client'"
          " xmlns:stream='http://etherx.jabber.org/streams'>")
# What a client stream binds: a stanza taken out of its stream is read inside these two tags.
WRAPPER = (b"<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>",
           b"</stream:stream>")
ROUND_TRIPS = 3  # of the probe: the server reads in turns and writes one turn later
QUIET = 0.01  # seconds without a byte after the probe's answer
PATIENCE = 20  # seconds until a silent server is given up


def connect(port):
    """A connection that sends at once: what waits in the kernel would be overtaken by the probe's question."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def parse(stanza):
    """The element tree of one top-level element as it stood on the wire."""
    return ElementTree.fromstring(WRAPPER[0] + stanza + WRAPPER[1])[0]


class Splitter:
    """Reads one stream document in pieces and returns the exact bytes of each top-level element once it is whole."""

    def __init__(self):
        self.data = b""
        self.closed = False
        self.broken = False
        self._depth = 0
        self._start = 0
        self._last_start = 0
        self._whole = []
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._opened
        self._parser.EndElementHandler = self._ended

    def feed(self, data):
        self.data += data
        self._whole = []
        try:
            self._parser.Parse(data, False)
        except expat.ExpatError:
            self.broken = True
        return self._whole

    def document(self):
        """The bytes as a whole document: a stream that was left without a closing tag gets one."""
        return self.data if self.closed or self.broken else self.data + b"</stream:stream>"

    def _opened(self, _name, _attributes):
        self._last_start = self._parser.CurrentByteIndex
        if self._depth == 1:
            self._start = self._last_start
        self._depth += 1

    def _ended(self, _name):
        self._depth -= 1
        self.closed = self._depth == 0
        if self._depth == 1:
            # For <a/> expat reports the index behind the tag, for <a></a> the index of the closing tag.
            end = self._parser.CurrentByteIndex
            if not (self._last_start == self._start and self.data[:end].endswith(b"/>")):
                end = self.data.index(b">", end) + 1
            self._whole.append(self.data[self._start:end])


class Connection:
    """One TCP connection: any number of streams one after another, two documents for each of them."""

    def __init__(self, recording, name):
        self.recording, self.name = recording, name
        self.socket = connect(recording.port)
        self.streams = []  # pairs of splitters: (from the server, to the server)
        self.fresh = []  # whole elements that came in and are not in the log yet
        self.alive = True
        recording.connections.append(self)

    def open_stream(self, to="localhost"):
        self.streams.append((Splitter(), Splitter()))
        self.transmit(HEADER.format(to=to))

    def transmit(self, text):
        data = text.encode()
        for element in self.streams[-1][1].feed(data):
            self.recording.log.append((self.name, "out", element))
        self.socket.sendall(data)

    def receive(self):
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
        if data:
            self.fresh += self.streams[-1][0].feed(data)
        else:
            self.drop()

    def drop(self):
        """Ends the TCP connection without a word, as a lost network does."""
        if self.alive:
            self.alive = False
            self.socket.close()


class Recording:
    """All connections of a session and the log of their elements in order."""

    def __init__(self, port):
        self.port = port
        self.connections = []
        self.clients = []  # who reads and answers on those connections
        self.log = []  # (connection, "in" or "out", bytes)
        self._probe = connect(port)
        self._ask_probe(HEADER.format(to="localhost"), rb"</stream:features>")

    def settle(self):
        """Waits until the server has nothing more to say; logs and returns what came: [(connection, bytes)].

        The elements are ordered by connection, so that the log does not depend on the timing of the sockets.
        """
        for _ in range(ROUND_TRIPS):
            self._ask_probe("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PROBE'/>", rb"</failure>")
        while self._pump(QUIET):
            pass
        arrived = []
        for connection in self.connections:
            arrived += [(connection, element) for element in connection.fresh]
            connection.fresh = []
        self.log += [(connection.name, "in", element) for connection, element in arrived]
        return arrived

    def _ask_probe(self, text, end):
        """One turn of the connection that is not recorded: its answer proves that the server came round."""
        self._probe.sendall(text.encode())
        seen, deadline = b"", time.monotonic() + PATIENCE
        while not re.search(end, seen):
            self._pump(0.05)
            if select.select([self._probe], [], [], 0)[0]:
                seen += self._probe.recv(65536)
            if time.monotonic() > deadline:
                raise TimeoutError("the server does not answer")

    def _pump(self, seconds):
        """Reads whatever waits on the recorded connections; false when nothing came for that long."""
        sockets = {c.socket: c for c in self.connections if c.alive}
        ready = select.select([*sockets, self._probe] if seconds > QUIET else list(sockets), [], [], seconds)[0]
        for ready_socket in ready:
            if ready_socket in sockets:
                sockets[ready_socket].receive()
        return bool(ready)
