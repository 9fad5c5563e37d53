"""A publish-subscribe service: nodes, subscriptions, items, affiliations and configuration forms."""

from recorder.scenes.profile import OWNER, PUBSUB

SERVICE = "pubsub.localhost"
NODE = "gazette"
EVENT = "{http://jabber.org/protocol/pubsub#event}"
ENTRY = ("<item id='{0}'><entry xmlns='http://www.w3.org/2005/Atom'><title>Headline {0}</title>"
         "<summary type='html'>&lt;p&gt;Ask &amp;amp; answer&lt;/p&gt;</summary>"
         "<link rel='alternate' type='text/html' href='https://news.example/{0}?a=1&amp;b=2'/>"
         "<id>tag:news.example,2026:{0}</id><published>2026-03-0{0}T12:00:00Z</published></entry></item>")


def follow(cast):
    alice, bob = cast.alice, cast.bob
    bob.iq("set", PUBSUB.format(f"<create node='{NODE}'/>"), to=SERVICE, error="forbidden")
    alice.iq("set", PUBSUB.format(
        f"<create node='{NODE}'/><configure><x xmlns='jabber:x:data' type='submit'><field var='FORM_TYPE'>"
        "<value>http://jabber.org/protocol/pubsub#node_config</value></field><field var='pubsub#title'>"
        "<value>The Gazette</value></field><field var='pubsub#max_items'><value>10</value></field></x></configure>"),
        to=SERVICE)
    alice.iq("set", PUBSUB.format(f"<create node='{NODE}'/>"), to=SERVICE, error="conflict")
    alice.iq("get", OWNER.format(f"<configure node='{NODE}'/>"), to=SERVICE)
    bob.iq("set", PUBSUB.format(f"<subscribe node='{NODE}' jid='bob@localhost'/>"), to=SERVICE)
    bob.iq("set", PUBSUB.format("<subscribe node='nothing' jid='bob@localhost'/>"), to=SERVICE, error="item-not-found")
    bob.iq("set", PUBSUB.format(f"<subscribe node='{NODE}' jid='carol@localhost'/>"), to=SERVICE, error="forbidden")
    for number in (1, 2, 3):
        alice.iq("set", PUBSUB.format(f"<publish node='{NODE}'>{ENTRY.format(number)}</publish>"), to=SERVICE)
        bob.expect(f"{EVENT}event/{EVENT}items/{EVENT}item")
    bob.iq("set", PUBSUB.format(f"<publish node='{NODE}'>{ENTRY.format(4)}</publish>"), to=SERVICE, error="forbidden")
    bob.iq("get", PUBSUB.format(f"<items node='{NODE}' max_items='2'/>"), to=SERVICE)
    bob.iq("get", PUBSUB.format(f"<items node='{NODE}'><item id='1'/></items>"), to=SERVICE)
    bob.iq("get", PUBSUB.format("<subscriptions/>"), to=SERVICE)
    alice.iq("get", OWNER.format(f"<subscriptions node='{NODE}'/>"), to=SERVICE)
    alice.iq("get", OWNER.format(f"<affiliations node='{NODE}'/>"), to=SERVICE)
    alice.iq("set", OWNER.format(f"<affiliations node='{NODE}'><affiliation jid='bob@localhost'"
                                 " affiliation='publisher'/></affiliations>"), to=SERVICE)
    bob.iq("get", PUBSUB.format("<affiliations/>"), to=SERVICE, error="service-unavailable")
    bob.iq("set", PUBSUB.format(f"<publish node='{NODE}'>{ENTRY.format(5)}</publish>"), to=SERVICE)
    alice.iq("set", PUBSUB.format(f"<retract node='{NODE}' notify='true'><item id='2'/></retract>"), to=SERVICE)
    bob.expect(f"{EVENT}event/{EVENT}items/{EVENT}retract")
    bob.iq("get", "<query xmlns='http://jabber.org/protocol/disco#info' node='gazette'/>", to=SERVICE)
    bob.iq("get", "<query xmlns='http://jabber.org/protocol/disco#items' node='gazette'/>", to=SERVICE)
    bob.iq("set", PUBSUB.format(f"<unsubscribe node='{NODE}' jid='bob@localhost'/>"), to=SERVICE)
    bob.iq("set", PUBSUB.format(f"<subscribe node='{NODE}' jid='bob@localhost'/>"), to=SERVICE)
    alice.iq("set", OWNER.format(f"<purge node='{NODE}'/>"), to=SERVICE)
    alice.iq("set", OWNER.format(f"<delete node='{NODE}'/>"), to=SERVICE)
    bob.expect(f"{EVENT}event")
    bob.iq("set", PUBSUB.format("<publish/>"), to=SERVICE, error="bad-request")
