"""One-to-one chat: states, receipts, markers, carbons, corrections, markup, many scripts, encryption, errors."""

from recorder.scenes.profile import OMEMO, key

STATE = "<{} xmlns='http://jabber.org/protocol/chatstates'/>"
RECEIPT = "<{} xmlns='urn:xmpp:receipts'{}/>"
MARKER = "<{} xmlns='urn:xmpp:chat-markers:0'{}/>"
ORIGIN = "<origin-id xmlns='urn:xmpp:sid:0' id='{}'/>"
HINT = "<{} xmlns='urn:xmpp:hints'/>"

# What is said, in several scripts and with everything that has to be escaped.
TALK = [
    ("alice", "Good morning, Bob!"),
    ("bob", "Morning :) Tea at five?"),
    ("alice", "Half past five &lt;sharp&gt; &amp; bring \"the good\" cups"),
    ("bob", "d&#8217;accord &#x2014; caf&#233; cre\u0300me"),
    ("alice", "e\u0301 is not é, and Å is not Å: one code point, two, or the ångström sign"),
    ("bob", "👩‍👩‍👧‍👦 🏳️‍🌈 🇺🇦 👍🏽 — families, flags, skin"),
    ("alice", "שלום עולם, مرحبا بالعالم, and back again"),
    ("bob", "\u202dforced\u202c \u2067ימין\u2069 z\u200bw\u200cj"),
    ("alice", "日本語テキスト、한국어、中文；ไทย, हिन्दी"),
    ("bob", "<![CDATA[if (a < b && b > c) return \"]]\";]]>"),
    ("alice", "line one\nline two\n\n\tindented"),
    ("bob", "  spaces  kept  "),
    ("alice", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 beyond the basic plane: 𐍈 𝒳 🀄"),
    ("bob", "Grüße aus Łódź, Đakovo, Ísafjörður, Iași, İzmir (i/İ/ı)"),
    ("alice", "tabs&#9;and&#13;returns&#10;by number"),
    ("bob", "https://tea.example/menu?kind=green&amp;cups=2#top"),
]


def talk(cast):
    """A conversation with states, receipts and read markers; Alice's phone sees copies of it."""
    names = {"alice": (cast.alice, "bob@localhost/garden"), "bob": (cast.bob, "alice@localhost")}
    for number, (who, text) in enumerate(TALK):
        sender, to = names[who]
        other, back = names["bob" if who == "alice" else "alice"]
        if number % 3 == 0:
            sender.message(to, STATE.format("composing") + HINT.format("no-store"))
        identifier = f"talk-{number}"
        sender.message(to, f"<body>{text}</body>" + STATE.format("active") + RECEIPT.format("request", "")
                       + MARKER.format("markable", "") + ORIGIN.format(identifier), id=identifier)
        if number % 2 == 0:
            other.message(back, RECEIPT.format("received", f" id='{identifier}'") + HINT.format("store"))
        if number % 4 == 3:
            other.message(back, MARKER.format("displayed", f" id='{identifier}'"))
    cast.bob.message("alice@localhost", "<body>And jam tarts?</body>")
    cast.phone.expect("{urn:xmpp:carbons:2}received")
    cast.bob.message("alice@localhost/phone", "<body>This one only for the phone</body><thread>tea-2026</thread>")
    cast.alice.message("bob@localhost", "<body>Not for my other device</body><private xmlns='urn:xmpp:carbons:2'/>"
                       + HINT.format("no-copy"))
    for state in ("paused", "inactive", "gone"):
        cast.bob.message("alice@localhost", STATE.format(state))
    cast.phone.iq("set", "<disable xmlns='urn:xmpp:carbons:2'/>")
    cast.phone.send("<inactive xmlns='urn:xmpp:csi:0'/>")
    cast.bob.message("alice@localhost", "<body>Phone asleep?</body>")
    cast.phone.send("<active xmlns='urn:xmpp:csi:0'/>")
    cast.phone.iq("set", "<enable xmlns='urn:xmpp:carbons:2'/>")


def edit(cast):
    """Corrections, reactions, replies, retraction, markup, several languages, attached addresses."""
    alice, bob = cast.alice, "bob@localhost"
    alice.message(bob, "<body>See you at the tree house</body>", id="edit-1")
    alice.message(bob, "<body>See you at the three-legged horse</body><replace id='edit-1'"
                       " xmlns='urn:xmpp:message-correct:0'/>", id="edit-2")
    cast.bob.message("alice@localhost", "<reactions id='edit-1' xmlns='urn:xmpp:reactions:0'><reaction>🐴</reaction>"
                                        "<reaction>👍🏽</reaction></reactions>" + HINT.format("store"))
    cast.bob.message("alice@localhost", "<body>&gt; See you at the three-legged horse\nOn my way</body>"
                     "<reply to='alice@localhost/balcony' id='edit-2' xmlns='urn:xmpp:reply:0'/>"
                     "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'>"
                     "<body start='0' end='38'/></fallback>")
    alice.message(bob, "<apply-to id='edit-1' xmlns='urn:xmpp:fasten:0'><retract xmlns='urn:xmpp:message-retract:0'/>"
                       "</apply-to><fallback xmlns='urn:xmpp:fallback:0'/><body>/me takes something back</body>")
    alice.message(bob, "<subject>Menu</subject><subject xml:lang='de'>Speisekarte</subject><body>Tea</body>"
                       "<body xml:lang='de'>Tee</body><body xml:lang='pt-BR'>Chá</body>"
                       "<thread parent='e0ffe42b28561960c6b12b944a092794b9683a38'>0e3141cd80894871a68e6fe6b1ec56fa"
                       "</thread>", kind="normal")
    alice.message(bob, "<body>A *bold* word</body><html xmlns='http://jabber.org/protocol/xhtml-im'>"
                       "<body xmlns='http://www.w3.org/1999/xhtml'><p>A <strong>bold</strong> word, <em>really</em>"
                       "<br/><img src='cid:sha1+8f35fef110ffc5df08d579a50083ff9308fb6242@bob.xmpp.org' alt=''/></p>"
                       "</body></html>")
    address = "https://share.localhost/upload/v5Y3/rabbit.png"
    cast.bob.message("alice@localhost", f"<body>{address}</body><x xmlns='jabber:x:oob'><url>{address}</url>"
                                        "<desc>The rabbit</desc></x>")
    cast.bob.message("alice@localhost", "<spoiler xmlns='urn:xmpp:spoiler:0' xml:lang='en'>The end</spoiler>"
                                        "<body>It was all a dream</body>")
    cast.bob.message("alice@localhost", "<attention xmlns='urn:xmpp:attention:0'/>", kind="headline")
    cast.bob.message("alice@localhost", """
    <body>Sent by a client that indents</body>
    <addresses xmlns="http://jabber.org/protocol/address">
        <address type="cc" jid="carol@localhost" desc="Carol"/>
        <address type="noreply"/>
    </addresses>
    <x:note xmlns:x="urn:example:notes" x:colour="yellow" colour="none"><x:text>prefixed</x:text></x:note>
""", kind=None)


def encrypt(cast):
    for number, (sender, to) in enumerate(((cast.alice, "bob@localhost"), (cast.bob, "alice@localhost")) * 2):
        keys = "".join(f"<key rid='{rid}'{first}>{key(60)}</key>"
                       for rid, first in ((31415, ""), (27182, " prekey='true'"), (27183, "")))
        payload = f"<payload>{key(24 + number)}</payload>" if number < 3 else ""
        sender.message(to, f"<encrypted xmlns='{OMEMO}'><header sid='31415'>{keys}<iv>{key(12)}</iv></header>{payload}"
                       "</encrypted><body>I sent you an OMEMO encrypted message.</body>" + HINT.format("store")
                       + f"<encryption xmlns='urn:xmpp:eme:0' name='OMEMO' namespace='{OMEMO}'/>")


def fail(cast):
    """Stanzas that nobody can take."""
    alice = cast.alice
    for to in ("nobody@localhost", "alice@elsewhere.example", "nobody@pubsub.localhost"):
        alice.message(to, "<body>Hello?</body>")
        alice.expect("{jabber:client}error")
    alice.message("bob@localhost/cellar", "<body>Is anybody down there?</body>", kind="groupchat")
    alice.message("bob@localhost", "<error type='wait'><recipient-unavailable"
                  " xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>", kind="error", id="talk-1")
    alice.iq("get", "", error="bad-request")
    alice.iq("get", "<a xmlns='urn:example:one'/><b xmlns='urn:example:two'/>", error="bad-request")
    alice.iq("query", "<ping xmlns='urn:xmpp:ping'/>", error="bad-request")
    alice.stanza("message", "<body>to a bad address</body>", to="@localhost")
    alice.expect("{jabber:client}error")
    alice.presence(to="nobody@localhost", type="probe")
    cast.carol.message("localhost/announce/online", "<body>Not from me</body>", kind="headline")
    alice.message("localhost/announce/online", "<subject>Tea</subject><body>Tea is served</body>", kind="headline")
