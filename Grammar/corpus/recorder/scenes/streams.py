"""Streams as such: refused ones, failed authentication, stream management with a lost network, stream errors."""

from recorder.client import SASL, SM

STREAM = "{http://etherx.jabber.org/streams}"


def refuse(cast):
    """Guests that never get in."""
    stranger = cast.client("guest-1", "guest@elsewhere.example/x", "guess")
    stranger.open_stream(to="elsewhere.example")
    stranger.expect(f"{STREAM}error")
    stranger.connection.drop()
    guest = cast.client("guest-2", "guest@localhost/x", "guess", '"')
    guest.open_stream()
    guest.authenticate("PLAIN")
    guest.expect(f"{{{SASL}}}not-authorized")
    for text in (f'<auth xmlns="{SASL}" mechanism="KERBEROS_V4"/>',
                 f'<auth xmlns="{SASL}" mechanism="PLAIN">=not base64=</auth>',
                 f'<auth xmlns="{SASL}" mechanism="SCRAM-SHA-1">biwsbj1ndWVzdCxyPWFiY2RlZg==</auth>',
                 f'<abort xmlns="{SASL}"/>'):
        guest.send(text)
        assert guest.inbox, f"no answer to {text}"
    guest.stanza("iq", "<query xmlns='jabber:iq:roster'/>", type="get")
    guest.step()
    guest.connection.drop()


def resume(cast):
    """Bob's network breaks, messages wait for him, his next connection takes the session up again."""
    old = cast.bob
    old.send(f"<r xmlns='{SM}'/>")
    old.expect(f"{{{SM}}}a")
    handled = old.handled
    old.connection.drop()
    old.step()
    for text in ("Bob?", "The line is dead", "🔌"):
        cast.alice.message("bob@localhost/garden", f"<body>{text}</body>")
    bob = cast.client("bob-2", old.jid, old.password)
    bob.login("SCRAM-SHA-1")
    bob.send(f"<resume xmlns='{SM}' previd='gone-long-ago' h='3'/>")
    bob.expect(f"{{{SM}}}failed")
    bob.handled = handled
    bob.send(f"<resume xmlns='{SM}' previd='{cast.token}' h='{handled}'/>")
    bob.expect(f"{{{SM}}}resumed")
    bob.message("alice@localhost", "<body>Back again</body>")
    bob.send(f"<r xmlns='{SM}'/>")
    bob.expect(f"{{{SM}}}a")
    bob.send(f"<enable xmlns='{SM}'/>")  # it is on already
    cast.bob = bob


def fail(cast):
    """How sessions end: asked for too much, said what may not be said, broke the XML, or said goodbye."""
    wrongs = {
        "guest-3": "<letter to='alice@localhost'><body>What kind of stanza is this?</body></letter>",
        "guest-4": "<!-- a comment is not allowed on a stream --><presence/>",
        "guest-5": "<message to='alice@localhost'><body>Not <b>well-formed</body></message>",
        "guest-6": "<message to='alice@localhost'><body>An &undefined; entity</body></message>",
    }
    for name, wrong in wrongs.items():
        client = cast.client(name, "bob@localhost/" + name, "builder")
        client.login()
        client.bind()
        client.send(wrong)
        client.expect(f"{STREAM}error")
        client.connection.drop()
    first = cast.client("guest-7", "alice@localhost/balcony", "wonderland")
    first.login()
    first.bind()  # the same resource: the older session is replaced
    cast.alice.connection.drop()
    first.presence("<status>Good night</status>", type="unavailable")
    first.close()
