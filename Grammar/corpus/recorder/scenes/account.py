"""Logging in, registration in band, the roster, presence, the block list, and the end of an account."""

from recorder.client import CAPS, CLIENT
from recorder.scenes.rooms import FIELD, REGISTER

ROSTER = "<query xmlns='jabber:iq:roster'>{}</query>"


def log_in(cast):
    for client, mechanism in ((cast.alice, "SCRAM-SHA-1"), (cast.phone, "PLAIN")):
        client.login(mechanism)
        client.bind()
        client.iq("set", "<enable xmlns='urn:xmpp:carbons:2'/>")
        client.iq("get", "<query xmlns='jabber:iq:roster' ver=''/>")
    # Bob is not there yet: the server keeps this for him.
    cast.alice.message("bob@localhost", "<body>Are you still asleep?</body><request xmlns='urn:xmpp:receipts'/>")
    cast.alice.presence(CAPS + "<show>chat</show><status>At the tea party</status><priority>5</priority>")
    cast.phone.presence(CAPS + "<show>away</show><idle xmlns='urn:xmpp:idle:1' since='2026-03-01T16:00:00Z'/>")
    cast.bob.login("SCRAM-SHA-256")
    cast.bob.bind()
    cast.bob.handled = 0
    cast.bob.send("<enable xmlns='urn:xmpp:sm:3' resume='true' max='60'/>")
    cast.token = cast.bob.expect("{urn:xmpp:sm:3}enabled").get("id")
    cast.bob.iq("get", ROSTER.format(""))
    cast.bob.presence(CAPS)
    cast.bob.expect(CLIENT + "body")


def meet(cast):
    """Both add the other, each in their own way of writing it down."""
    cast.alice.iq("set", ROSTER.format('<item jid="bob@localhost" name="Bob &amp; his tools"><group>Tea</group>'
                                       '<group>B&#252;cher</group></item>'))
    cast.alice.presence("<nick xmlns='http://jabber.org/protocol/nick'>Alice</nick>", to="bob@localhost",
                        type="subscribe")
    cast.bob.expect("{http://jabber.org/protocol/nick}nick")
    cast.bob.presence(to="alice@localhost", type="subscribed")
    cast.bob.iq("set", ROSTER.format("<item jid='alice@localhost' name='Алиса 🐇'><group>Wonderland</group></item>"))
    cast.bob.presence("<status>May I? ☕</status>", to="alice@localhost", type="subscribe")
    cast.alice.presence(to="bob@localhost", type="subscribed")
    cast.alice.iq("set", ROSTER.format("<item jid='bob@localhost' name='Bob'><group>Tea</group></item>"))
    for name in ("hatter", "hare", "dormouse"):
        cast.alice.iq("set", ROSTER.format(f"<item jid='{name}@localhost'><group>Tea</group></item>"))
    cast.alice.presence(to="hatter@localhost", type="subscribe")
    cast.alice.iq("set", ROSTER.format("<item jid='dormouse@localhost' subscription='remove'/>"))
    cast.alice.iq("set", ROSTER.format("<item jid='dormouse@localhost' subscription='remove'/>"),
                  error="item-not-found")
    cast.alice.iq("set", ROSTER.format("<item jid='alice@localhost'/>"), error="not-allowed")
    cast.alice.iq("set", ROSTER.format("<item name='nobody'/>"), error="bad-request")
    for show, status in (("away", "Croquet"), ("dnd", "Lesson: <b> & \"quotes\""), ("xa", "")):
        text = status.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        cast.bob.presence(f"<show>{show}</show>" + (f"<status xml:lang='en'>{text}</status>" if text else "") + CAPS)
    cast.bob.presence(CAPS + "<x xmlns='vcard-temp:x:update'><photo/></x>")
    cast.alice.iq("get", ROSTER.format(""))
    cast.bob.iq("get", ROSTER.format(""))


def register(cast):
    """Carol: refused, registers with the form, logs in on the same stream."""
    carol = cast.carol
    carol.open_stream()
    carol.authenticate("PLAIN")
    carol.expect("{urn:ietf:params:xml:ns:xmpp-sasl}not-authorized")
    carol.iq("get", REGISTER.format(""))
    form = "<x xmlns='jabber:x:data' type='submit'>" + FIELD.format("FORM_TYPE", "jabber:iq:register")
    carol.iq("set", REGISTER.format(form + FIELD.format("username", "carol") + "</x>"), error="not-acceptable")
    taken = FIELD.format("username", "alice") + FIELD.format("password", "guess")
    carol.iq("set", REGISTER.format(form + taken + "</x>"), error="conflict")
    carol.iq("set", REGISTER.format("<remove/>"), error="registration-required")
    good = "".join(FIELD.format(*pair) for pair in (
        ("username", "carol"), ("password", carol.password), ("email", "carol@example.org"), ("nick", "Carol"),
        ("url", "https://carol.example/?a=1&amp;b=2")))
    carol.iq("set", REGISTER.format(form + good + "</x>"))
    carol.login()
    carol.bind()
    carol.iq("get", REGISTER.format(""))
    carol.iq("set", REGISTER.format("<username>carol</username><password>card index</password>"))
    carol.iq("get", ROSTER.format(""))
    carol.presence("<show>chat</show>")
    carol.presence(to="alice@localhost", type="subscribe")
    cast.alice.presence(to="carol@localhost", type="unsubscribed")
    cast.alice.presence(to="carol@localhost", type="probe")


def block(cast):
    blocked = "<{} xmlns='urn:xmpp:blocking'>{}</{}>"
    cast.bob.iq("get", "<blocklist xmlns='urn:xmpp:blocking'/>")
    cast.bob.iq("set", blocked.format("block", "<item jid='carol@localhost'/><item jid='spam.example'/>", "block"))
    cast.bob.iq("get", "<blocklist xmlns='urn:xmpp:blocking'/>")
    cast.bob.message("carol@localhost", "<body>Can you hear me?</body>")
    cast.carol.message("bob@localhost", "<body>You blocked me!</body>")
    cast.carol.expect("{jabber:client}error")
    cast.carol.iq("get", "<ping xmlns='urn:xmpp:ping'/>", to="bob@localhost/garden", error="service-unavailable")
    cast.bob.iq("set", blocked.format("block", "", "block"), error="bad-request")
    cast.bob.iq("set", blocked.format("unblock", "<item jid='carol@localhost'/>", "unblock"))
    cast.bob.iq("set", blocked.format("unblock", "", "unblock"))


def part(cast):
    """Unsubscribing, leaving, and Carol's account is removed while she is online."""
    cast.alice.presence(to="bob@localhost", type="unsubscribe")
    cast.bob.presence(to="alice@localhost", type="unsubscribed")
    cast.alice.iq("set", ROSTER.format("<item jid='bob@localhost' subscription='remove'/>"))
    cast.carol.iq("set", REGISTER.format("<remove/>"))
    cast.carol.connection.drop()
    cast.alice.message("carol@localhost", "<body>Carol?</body>")
    cast.phone.presence("<status>Battery</status>", type="unavailable")
    cast.phone.close()
    cast.bob.presence(type="unavailable")
    cast.bob.close()
