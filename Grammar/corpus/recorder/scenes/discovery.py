"""Service discovery of everything there is, versions, times, pings, upload slots and the other services."""

INFO = "<query xmlns='http://jabber.org/protocol/disco#info'{}/>"
ITEMS = "<query xmlns='http://jabber.org/protocol/disco#items'{}/>"
SLOT = "<request xmlns='urn:xmpp:http:upload:0' filename='{}' size='{}' content-type='{}'/>"
SERVICES = ("localhost", "rooms.localhost", "pubsub.localhost", "share.localhost")


def look_around(cast):
    alice = cast.alice
    for service in SERVICES:
        alice.iq("get", INFO.format(""), to=service)
        alice.iq("get", ITEMS.format(""), to=service)
    alice.iq("get", INFO.format(""), to="alice@localhost")
    alice.iq("get", ITEMS.format(""), to="alice@localhost")
    alice.iq("get", INFO.format(' node="http://jabber.org/protocol/commands"'), to="localhost")
    alice.iq("get", INFO.format(" node='no such node'"), to="localhost", error="item-not-found")
    alice.iq("get", INFO.format(""), to="nowhere@rooms.localhost", error="item-not-found")
    alice.iq("get", INFO.format(""), to="elsewhere.example", error="not-allowed")
    for payload in ("<query xmlns='jabber:iq:version'/>", "<time xmlns='urn:xmpp:time'/>",
                    "<query xmlns='jabber:iq:last'/>", "<ping xmlns='urn:xmpp:ping'/>"):
        alice.iq("get", payload, to="localhost")
    cast.bob.iq("get", "<services xmlns='urn:xmpp:extdisco:2'/>", to="localhost")
    cast.bob.iq("get", "<credentials xmlns='urn:xmpp:extdisco:2'><service type='turn' host='turn.example.org'/>"
                       "</credentials>", to="localhost")
    cast.bob.iq("get", "<ping xmlns='urn:xmpp:ping'/>")
    upload(cast.bob)
    cast.bob.send(" ")  # a keep-alive between stanzas
    cast.bob.iq("get", "<unheard-of xmlns='urn:example:nothing'/>", to="localhost", error="service-unavailable")
    cast.bob.iq("set", "<query xmlns='jabber:iq:version'/>", to="localhost", error="service-unavailable")


def upload(bob):
    share = "share.localhost"
    bob.iq("get", SLOT.format("rabbit.png", 23456, "image/png"), to=share)
    bob.iq("get", SLOT.format("très cool.jpg", 700000, "image/jpeg"), to=share)
    bob.iq("get", SLOT.format("film.mkv", 99999999, "video/x-matroska"), to=share, error="not-acceptable")
    bob.iq("get", SLOT.format("../secret", 10, "text/plain"), to=share, error="bad-request")


def ask_each_other(cast):
    """Requests from client to client, the answers included."""
    alice, bob = cast.alice, cast.bob
    for payload in ("<query xmlns='jabber:iq:version'/>", "<time xmlns='urn:xmpp:time'/>",
                    "<query xmlns='jabber:iq:last'/>", "<ping xmlns='urn:xmpp:ping'/>", INFO.format("")):
        alice.iq("get", payload, to=bob.jid)
        bob.iq("get", payload, to=alice.jid)
    alice.iq("get", "<query xmlns='jabber:iq:last'/>", to="bob@localhost")
    alice.iq("get", "<open-sesame xmlns='urn:example:cave'/>", to=bob.jid, error="service-unavailable")
    alice.iq("get", "<ping xmlns='urn:xmpp:ping'/>", to="bob@localhost/cellar", error="service-unavailable")
    alice.iq("get", "<query xmlns='jabber:iq:version'/>", to="nobody@localhost", error="service-unavailable")
