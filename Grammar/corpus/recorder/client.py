"""A chat client as far as the scenes need one: it logs in, sends stanzas and answers what a client has to answer.

Every request is checked: a reply of another kind than the scene expects stops the recording. The scenes are in
scenes/, the bytes in wire.py.
"""

import base64
import hashlib
import hmac
from xml.sax.saxutils import quoteattr

from recorder.wire import Connection, parse

CLIENT = "{jabber:client}"
SASL = "urn:ietf:params:xml:ns:xmpp-sasl"
SM = "urn:xmpp:sm:3"
ERRORS = "{urn:ietf:params:xml:ns:xmpp-stanzas}"
CAPS_NODE = "https://client.example/caps"
FEATURES = sorted([
    "http://jabber.org/protocol/caps", "http://jabber.org/protocol/chatstates", "http://jabber.org/protocol/disco#info",
    "http://jabber.org/protocol/mood+notify",
    "http://jabber.org/protocol/muc", "http://jabber.org/protocol/nick+notify",
    "http://jabber.org/protocol/tune+notify", "jabber:iq:last", "jabber:iq:version", "urn:xmpp:avatar:metadata+notify",
    "urn:xmpp:bookmarks:1+notify", "urn:xmpp:chat-markers:0", "urn:xmpp:jingle:1", "urn:xmpp:message-correct:0",
    "urn:xmpp:ping", "urn:xmpp:receipts", "urn:xmpp:time", "eu.siacs.conversations.axolotl.devicelist+notify",
])
VERSION = base64.b64encode(hashlib.sha1(("client/pc//Looking Glass<" + "".join(f + "<" for f in FEATURES)).encode())
                           .digest()).decode()  # XEP-0115, section 5.1
CAPS = f"<c xmlns='http://jabber.org/protocol/caps' hash='sha-1' node='{CAPS_NODE}' ver='{VERSION}'/>"
INFO = ("<query xmlns='http://jabber.org/protocol/disco#info'{node}><identity category='client' type='pc'"
        " name='Looking Glass'/>" + "".join(f"<feature var='{f}'/>" for f in FEATURES) + "</query>")
# The answer to a request of each namespace; any other request gets service-unavailable.
ANSWERS = {
    "jabber:iq:version": "<query xmlns='jabber:iq:version'><name>Looking Glass</name><version>2.7</version></query>",
    "jabber:iq:last": "<query xmlns='jabber:iq:last' seconds='903'/>",
    "urn:xmpp:time": "<time xmlns='urn:xmpp:time'><tzo>+02:00</tzo><utc>2026-03-01T17:58:35Z</utc></time>",
    "urn:xmpp:ping": "", "jabber:iq:roster": "", "urn:xmpp:blocking": "", "urn:xmpp:jingle:1": "",
}


class Client:
    """One session of one user. The quote is the mark around its attributes: clients differ in that."""

    def __init__(self, recording, name, jid, password, quote="'"):
        self.recording, self.jid, self.password, self.quote = recording, jid, password, quote
        self.bare = jid.split("/")[0]
        self.connection = Connection(recording, name)
        self.handled = None  # stanzas counted for stream management, once it is on
        self.inbox = []  # parsed elements that the last step brought
        self._count = 0
        recording.clients.append(self)

    # Steps: send something, then let everybody read and answer.

    def send(self, text):
        """Sends text as it is and returns the elements that this client got until the server fell silent."""
        self.connection.transmit(text)
        return self.step()

    def step(self):
        clients = {client.connection: client for client in self.recording.clients}
        for client in clients.values():
            client.inbox = []
        while arrived := self.recording.settle():
            for connection, data in arrived:
                clients[connection]._take(parse(data))
        return self.inbox

    def stanza(self, name, inner="", **attributes):
        """Sends a stanza; `from_` stands for from, attributes that are None are left out. Returns its id."""
        if "id" not in attributes:
            self._count += 1
            attributes["id"] = f"{self.connection.name}-{self._count}"
        self.send(self._tag(name, attributes, inner))
        return attributes["id"]

    def iq(self, kind, inner="", to=None, error=None):
        """Sends a request and returns the reply: a result, or the error that the scene names."""
        identifier = self.stanza("iq", inner, type=kind, to=to)
        replies = [e for e in self.inbox if e.tag == CLIENT + "iq" and e.get("id") == identifier
                   and e.get("type") in ("result", "error")]
        found = [child.tag for e in replies for child in e.iterfind(f"{CLIENT}error/*")]
        if not replies or (found[:1] != [ERRORS + error] if error else found):
            raise AssertionError(f"{inner!r} to {to}: expected {error or 'a result'}, got {found or 'nothing'}")
        return replies[0]

    def message(self, to, inner, kind="chat", **attributes):
        return self.stanza("message", inner, type=kind, to=to, **attributes)

    def presence(self, inner="", **attributes):
        attributes.setdefault("id", None)
        return self.stanza("presence", inner, **attributes)

    def expect(self, path):
        """The scene goes on only if the last step brought an element that matches."""
        for element in self.inbox:
            if element.tag == path or element.find(path) is not None:
                return element
        raise AssertionError(f"{self.connection.name} waits for {path}, has {[e.tag for e in self.inbox]}")

    # Logging in.

    def login(self, mechanism="PLAIN"):
        """Opens the stream unless it is open, authenticates, restarts the stream; binds nothing yet."""
        if not self.connection.streams:
            self.open_stream()
        self.authenticate(mechanism)
        self.expect(f"{{{SASL}}}success")
        return self.open_stream()

    def open_stream(self, to="localhost"):
        self.connection.open_stream(to)
        return self.step()

    def bind(self):
        self.iq("set", "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>"
                + self.jid.split("/")[1] + "</resource></bind>")
        self.iq("set", "<session xmlns='urn:ietf:params:xml:ns:xmpp-session'/>")

    def authenticate(self, mechanism):
        user = self.bare.split("@")[0]
        if mechanism == "PLAIN":
            return self._sasl("auth", f"\0{user}\0{self.password}", mechanism)
        digest = mechanism.removeprefix("SCRAM-").replace("-", "").lower()
        first = f"n={user},r=fyko+d2lbbFgONRv9qkxdawL"
        (challenge,) = self._sasl("auth", "n,," + first, mechanism)
        server = base64.b64decode(challenge.text).decode()
        nonce, salt, rounds = (part.split("=", 1)[1] for part in server.split(","))
        salted = hashlib.pbkdf2_hmac(digest, self.password.encode(), base64.b64decode(salt), int(rounds))
        key = hmac.digest(salted, b"Client Key", digest)
        final = f"c=biws,r={nonce}"
        signature = hmac.digest(hashlib.new(digest, key).digest(), f"{first},{server},{final}".encode(), digest)
        proof = base64.b64encode(bytes(a ^ b for a, b in zip(key, signature))).decode()
        return self._sasl("response", f"{final},p={proof}")

    def _sasl(self, name, data, mechanism=None):
        attributes = {"xmlns": SASL, "mechanism": mechanism}
        return self.send(self._tag(name, attributes, base64.b64encode(data.encode()).decode()))

    # Leaving.

    def close(self):
        self.send("</stream:stream>")
        self.connection.drop()

    # What a client does by itself.

    def _take(self, element):
        self.inbox.append(element)
        if self.handled is not None and element.tag.startswith(CLIENT):
            self.handled += 1
        if element.tag == f"{{{SM}}}r":
            self.connection.transmit(f"<a xmlns='{SM}' h='{self.handled}'/>")
        elif element.tag == CLIENT + "iq" and element.get("type") in ("get", "set"):
            self._answer(element)

    def _answer(self, request):
        namespace = request[0].tag[1:].split("}")[0]
        attributes = {"type": "result", "id": request.get("id"), "to": request.get("from")}
        if namespace == "http://jabber.org/protocol/disco#info":
            node = request[0].get("node")
            inner = INFO.format(node=f" node={quoteattr(node)}" if node else "")
        elif namespace in ANSWERS:
            inner = ANSWERS[namespace]
        else:
            attributes["type"] = "error"
            inner = "<error type='cancel'><service-unavailable xmlns='" + ERRORS[1:-1] + "'/></error>"
        self.connection.transmit(self._tag("iq", attributes, inner))

    def _tag(self, name, attributes, inner):
        shown = "".join(f" {key.rstrip('_')}={self.quote}{value}{self.quote}"
                        for key, value in attributes.items() if value is not None)
        return f"<{name}{shown}>{inner}</{name}>" if inner else f"<{name}{shown}/>"
