"""A room: configured by form, joined, talked in, moderated, with its errors, and destroyed."""

from recorder.client import CLIENT

ROOM = "tea@rooms.localhost"
LOCKED = "study@rooms.localhost"
JOIN = "<x xmlns='http://jabber.org/protocol/muc'>{}</x>"
ADMIN = "<query xmlns='http://jabber.org/protocol/muc#admin'>{}</query>"
OWNER = "<query xmlns='http://jabber.org/protocol/muc#owner'>{}</query>"
REGISTER = "<query xmlns='jabber:iq:register'>{}</query>"
USER = "{http://jabber.org/protocol/muc#user}"
FIELD = "<field var='{}'><value>{}</value></field>"
FORM = "<x xmlns='jabber:x:data' type='{}'>" + FIELD.format("FORM_TYPE", "http://jabber.org/protocol/muc#{}") + "{}</x>"
DISCO = "<query xmlns='http://jabber.org/protocol/disco#{}'{}/>"


def form(name, *fields, kind="submit"):
    return FORM.format(kind, name, "".join(FIELD.format(*field) for field in fields))


def join(client, room, nick, inner=""):
    client.presence(JOIN.format(inner), to=f"{room}/{nick}")


def open_room(cast):
    alice = cast.alice
    join(alice, ROOM, "Alice")
    alice.expect(f"{USER}x/{USER}status[@code='201']")
    join(cast.bob, ROOM, "Bob")  # the room is locked until it is configured
    cast.bob.expect(f"{CLIENT}error")
    alice.iq("get", OWNER.format(""), to=ROOM)
    alice.iq("set", OWNER.format(form(
        "roomconfig", ("muc#roomconfig_roomname", "Tea &amp; cake"), ("muc#roomconfig_lang", "en"),
        ("muc#roomconfig_roomdesc", "It is always six o'clock"), ("muc#roomconfig_persistentroom", "1"),
        ("muc#roomconfig_publicroom", "1"), ("muc#roomconfig_whois", "anyone"), ("muc#roomconfig_changesubject", "0"),
        ("{http://prosody.im/protocol/muc}roomconfig_allowmemberinvites", "1"),
        ("muc#roomconfig_historylength", "10"), ("muc#roomconfig_enablearchiving", "1"))), to=ROOM)
    alice.message(ROOM, "<subject>What is a raven like?</subject>", kind="groupchat")
    for kind, node in (("info", ""), ("items", ""), ("info", " node='x-roomuser-item'")):
        cast.bob.iq("get", DISCO.format(kind, node), to=ROOM)
    cast.bob.iq("get", DISCO.format("items", ""), to="rooms.localhost")
    cast.bob.iq("get", OWNER.format(""), to=ROOM, error="forbidden")
    cast.bob.message(ROOM, "<body>May I come in?</body>", kind="groupchat")
    cast.bob.expect(f"{CLIENT}error")


def converse(cast):
    alice, bob, carol = cast.alice, cast.bob, cast.carol
    for number in range(3):
        alice.message(ROOM, f"<body>Move {number}: down</body>", kind="groupchat")
    join(bob, ROOM, "Bob", "<history maxstanzas='2'/>")
    bob.expect(f"{{urn:xmpp:delay}}delay")
    join(carol, ROOM, "Alice")  # taken
    carol.expect(f"{CLIENT}error")
    join(carol, ROOM, "Carol ☕")  # not a nickname that the server's tables know
    carol.expect(f"{CLIENT}error")
    join(carol, ROOM, "Кэрол", "<history since='2026-01-01T00:00:00Z'/>")
    for number, (client, text) in enumerate((
            (bob, "Hello all"), (carol, "Alice: pass the butter?"), (alice, "/me passes the butter"),
            (bob, "🧈"), (carol, "Danke — “thanks”"), (alice, "&lt;3"))):
        client.message(ROOM, f"<body>{text}</body><active xmlns='http://jabber.org/protocol/chatstates'/>"
                       "<markable xmlns='urn:xmpp:chat-markers:0'/>"
                       f"<origin-id xmlns='urn:xmpp:sid:0' id='room-{number}'/>", kind="groupchat", id=f"room-{number}")
    bob.message(ROOM, "<body>Hello everybody</body><replace xmlns='urn:xmpp:message-correct:0' id='room-0'/>",
                kind="groupchat")
    carol.message(ROOM, "<reactions xmlns='urn:xmpp:reactions:0' id='room-3'><reaction>😋</reaction></reactions>",
                  kind="groupchat")
    bob.message(f"{ROOM}/Alice", "<body>psst, in private</body><x xmlns='http://jabber.org/protocol/muc#user'/>")
    bob.message(f"{ROOM}/Nobody", "<body>anybody?</body>")
    bob.expect(f"{CLIENT}error")
    bob.iq("get", "<ping xmlns='urn:xmpp:ping'/>", to=f"{ROOM}/Bob")  # XEP-0410: am I still in there?
    cast.phone.iq("get", "<ping xmlns='urn:xmpp:ping'/>", to=f"{ROOM}/Alice", error="not-acceptable")
    bob.iq("get", "<query xmlns='jabber:iq:version'/>", to=f"{ROOM}/Alice")
    bob.presence("<show>away</show><status>Fetching cups</status>", to=f"{ROOM}/Bob")
    carol.presence(to=f"{ROOM}/Carol")  # a new nickname
    carol.presence(to=f"{ROOM}/Bob")
    carol.expect(f"{CLIENT}error")
    bob.message(ROOM, "<subject>Mine now</subject>", kind="groupchat")
    bob.expect(f"{CLIENT}error")
    cast.phone.iq("get", "<vCard xmlns='vcard-temp'/>", to=ROOM, error="service-unavailable")


def moderate(cast):
    """Roles, affiliations, invitations, voice, registration with the room, a password and a members-only room."""
    alice, bob, carol = cast.alice, cast.bob, cast.carol
    for kind in ("affiliation='owner'", "affiliation='member'", "role='participant'"):
        alice.iq("get", ADMIN.format(f"<item {kind}/>"), to=ROOM)
    alice.iq("set", ADMIN.format("<item affiliation='admin' jid='bob@localhost'><reason>Helps</reason></item>"),
             to=ROOM)
    alice.iq("set", ADMIN.format("<item affiliation='member' jid='hatter@localhost' nick='Hatter'/>"), to=ROOM)
    alice.iq("get", ADMIN.format("<item affiliation='admin'/>"), to=ROOM)
    carol.iq("set", ADMIN.format("<item nick='Bob' role='none'/>"), to=ROOM, error="not-allowed")
    bob.iq("set", ADMIN.format("<item affiliation='none' jid='alice@localhost'/>"), to=ROOM, error="not-acceptable")
    bob.iq("set", ADMIN.format("<item nick='Carol' role='visitor'/>"), to=ROOM)
    carol.message(ROOM, "<body>mute?</body>", kind="groupchat")
    carol.message(ROOM, form("request", ("muc#role", "participant")), kind=None)
    alice.expect("{jabber:x:data}x")
    alice.message(ROOM, form("request", ("muc#role", "participant"), ("muc#jid", carol.jid),
                             ("muc#roomnick", "Carol"), ("muc#request_allow", "true")), kind=None)
    bob.iq("get", REGISTER.format(""), to=ROOM)
    bob.iq("set", REGISTER.format(form("register", ("muc#register_roomnick", "Bob"))), to=ROOM)
    carol.iq("get", REGISTER.format(""), to=ROOM, error="registration-required")
    bob.iq("set", ADMIN.format("<item nick='Carol' role='none'><reason>Spilled &amp; spoiled</reason></item>"), to=ROOM)
    carol.expect(f"{USER}x/{USER}status[@code='307']")
    join(carol, ROOM, "Carol")
    alice.iq("set", ADMIN.format("<item affiliation='outcast' jid='carol@localhost'/>"), to=ROOM)
    join(carol, ROOM, "Carol")
    carol.expect(f"{CLIENT}error")
    alice.iq("get", ADMIN.format("<item affiliation='outcast'/>"), to=ROOM)
    alice.iq("set", ADMIN.format("<item affiliation='none' jid='carol@localhost'/>"), to=ROOM)
    alice.message(ROOM, "<x xmlns='http://jabber.org/protocol/muc#user'><invite to='carol@localhost'>"
                        "<reason>Come back</reason></invite></x>", kind=None)
    carol.expect(f"{USER}x/{USER}invite")
    carol.message(ROOM, "<x xmlns='http://jabber.org/protocol/muc#user'><decline to='alice@localhost'>"
                        "<reason>Too late</reason></decline></x>", kind=None)
    bob.message("carol@localhost", f"<x xmlns='jabber:x:conference' jid='{ROOM}' reason='Please'/>", kind=None)
    locked(cast)


def locked(cast):
    alice, bob = cast.alice, cast.bob
    join(alice, LOCKED, "Alice")
    alice.iq("set", OWNER.format("<x xmlns='jabber:x:data' type='submit'/>"), to=LOCKED)  # an instant room
    alice.iq("get", OWNER.format(""), to=LOCKED)
    alice.iq("set", OWNER.format(form("roomconfig", ("muc#roomconfig_passwordprotectedroom", "1"),
                                      ("muc#roomconfig_roomsecret", "cauldron"))), to=LOCKED)
    join(bob, LOCKED, "Bob")
    bob.expect(f"{CLIENT}error")
    join(bob, LOCKED, "Bob", "<password>cauldron</password>")
    alice.iq("set", OWNER.format(form("roomconfig", ("muc#roomconfig_membersonly", "1"),
                                      ("muc#roomconfig_persistentroom", "1"),
                                      ("muc#roomconfig_moderatedroom", "1"))), to=LOCKED)
    join(cast.carol, LOCKED, "Carol")
    cast.carol.expect(f"{CLIENT}error")
    alice.iq("set", OWNER.format("<destroy jid='tea@rooms.localhost'><reason>Merged</reason></destroy>"), to=LOCKED)
    join(bob, LOCKED, "Bob")
    bob.expect(f"{CLIENT}error")


def leave(cast):
    cast.bob.presence("<status>Late, late!</status>", to=f"{ROOM}/Bob", type="unavailable")
    cast.bob.iq("get", "<ping xmlns='urn:xmpp:ping'/>", to=f"{ROOM}/Bob", error="not-acceptable")
    cast.alice.message(ROOM, "<body>Nobody left</body>", kind="groupchat")
