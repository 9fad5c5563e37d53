"""Personal eventing: nickname, vCard, avatar, tune, mood, place, devices and keys, bookmarks, private storage."""

import base64
import hashlib
import random
import struct
import zlib

from recorder.scenes.rooms import FIELD

PUBSUB = "<pubsub xmlns='http://jabber.org/protocol/pubsub'>{}</pubsub>"
OWNER = "<pubsub xmlns='http://jabber.org/protocol/pubsub#owner'>{}</pubsub>"
OMEMO = "eu.siacs.conversations.axolotl"
BOOKMARKS = "urn:xmpp:bookmarks:1"
OPTIONS = ("<publish-options><x xmlns='jabber:x:data' type='submit'><field var='FORM_TYPE' type='hidden'>"
           "<value>http://jabber.org/protocol/pubsub#publish-options</value></field>{}</x></publish-options>")
RANDOM = random.Random(20260301)  # the same keys in every recording


def publish(cast):
    alice, bob = cast.alice, cast.bob
    put(alice, "http://jabber.org/protocol/nick", "<nick xmlns='http://jabber.org/protocol/nick'>Alice 🫖</nick>")
    put(alice, "urn:xmpp:vcard4", "<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'><fn><text>Alice Liddell</text></fn>"
        "<n><surname>Liddell</surname><given>Alice</given></n><bday><date>1852-05-04</date></bday>"
        "<adr><locality>Oxford</locality><country>United Kingdom</country></adr>"
        "<email><parameters><type><text>home</text></type></parameters><text>alice@example.org</text></email></vcard>")
    avatar(alice, bob)
    put(bob, "http://jabber.org/protocol/tune", "<tune xmlns='http://jabber.org/protocol/tune'><artist>Jefferson"
        " Airplane</artist><length>152</length><title>White Rabbit</title><track>10</track></tune>")
    put(bob, "http://jabber.org/protocol/tune", "<tune xmlns='http://jabber.org/protocol/tune'/>")
    put(bob, "http://jabber.org/protocol/mood", "<mood xmlns='http://jabber.org/protocol/mood'><curious/>"
        "<text>Curiouser &amp; curiouser</text></mood>")
    put(alice, "http://jabber.org/protocol/geoloc", "<geoloc xmlns='http://jabber.org/protocol/geoloc'>"
        "<lat>51.7534</lat><lon>-1.2540</lon><locality>Oxford</locality></geoloc>")
    keys(alice, 31415)
    keys(bob, 27182)
    alice.iq("get", fetch(f"{OMEMO}.devicelist"), to="bob@localhost")
    alice.iq("get", fetch(f"{OMEMO}.bundles:27182"), to="bob@localhost")
    alice.iq("get", fetch(f"{OMEMO}.bundles:1"), to="bob@localhost", error="item-not-found")
    bob.iq("get", fetch("urn:xmpp:vcard4"), to="alice@localhost")
    alice.iq("get", "<vCard xmlns='vcard-temp'/>")
    alice.iq("get", "<vCard xmlns='vcard-temp'/>", to="bob@localhost")
    bookmarks(alice)
    bob.iq("set", PUBSUB.format("<publish node='urn:xmpp:vcard4'><item/></publish>"), to="alice@localhost",
           error="forbidden")
    alice.iq("get", "<query xmlns='http://jabber.org/protocol/disco#items'/>", to="bob@localhost")


def put(client, node, payload, item="current", options=""):
    client.iq("set", PUBSUB.format(f"<publish node='{node}'><item id='{item}'>{payload}</item></publish>{options}"))


def fetch(node, inner=""):
    return PUBSUB.format(f"<items node='{node}'>{inner}</items>")


def avatar(alice, bob):
    image = picture(32)
    name = hashlib.sha1(image).hexdigest()
    data = base64.b64encode(image).decode()
    put(alice, "urn:xmpp:avatar:data", f"<data xmlns='urn:xmpp:avatar:data'>{data}</data>", name)
    put(alice, "urn:xmpp:avatar:metadata", "<metadata xmlns='urn:xmpp:avatar:metadata'>"
        f"<info bytes='{len(image)}' id='{name}' type='image/png' width='32' height='32'/></metadata>", name)
    bob.expect(".//{urn:xmpp:avatar:metadata}info")
    bob.iq("get", fetch("urn:xmpp:avatar:data", f"<item id='{name}'/>"), to="alice@localhost")
    bob.iq("get", fetch("urn:xmpp:avatar:metadata"), to="alice@localhost")
    put(bob, "urn:xmpp:avatar:metadata", "<metadata xmlns='urn:xmpp:avatar:metadata'/>")


def picture(side):
    """A PNG of a chessboard."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + b"".join(b"\x00\x30\x60" if (x // 6 + y // 6) % 2 else bytes((255 - x, 250, 200 + y))
                                     for x in range(side)) for y in range(side))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def key(count=33):
    return base64.b64encode(RANDOM.randbytes(count)).decode()


def keys(client, device):
    open_access = OPTIONS.format(FIELD.format("pubsub#access_model", "open"))
    put(client, f"{OMEMO}.devicelist",
        f"<list xmlns='{OMEMO}'><device id='{device}'/><device id='{device + 1}'/></list>",
        options=open_access)
    previous = "".join(f"<preKeyPublic preKeyId='{n}'>{key()}</preKeyPublic>" for n in range(1, 9))
    put(client, f"{OMEMO}.bundles:{device}", f"<bundle xmlns='{OMEMO}'><signedPreKeyPublic signedPreKeyId='1'>{key()}"
        f"</signedPreKeyPublic><signedPreKeySignature>{key(64)}</signedPreKeySignature><identityKey>{key()}"
        f"</identityKey><prekeys>{previous}</prekeys></bundle>", options=open_access)


def bookmarks(alice):
    options = OPTIONS.format("".join(FIELD.format(*pair) for pair in (
        ("pubsub#persist_items", "true"), ("pubsub#max_items", "max"), ("pubsub#send_last_published_item", "never"),
        ("pubsub#access_model", "whitelist"))))
    for room, join, nick in (("tea", "true", "Alice"), ("croquet", "false", "Алиса"), ("maths", "0", "Al")):
        put(alice, BOOKMARKS, f"<conference xmlns='{BOOKMARKS}' name='{room.title()}' autojoin='{join}'>"
            f"<nick>{nick}</nick><extensions><color xmlns='urn:example:client'>teal</color></extensions></conference>",
            f"{room}@rooms.localhost", options)
    alice.iq("get", fetch(BOOKMARKS))
    alice.iq("set", PUBSUB.format(f"<retract node='{BOOKMARKS}' notify='1'>"
                                  "<item id='maths@rooms.localhost'/></retract>"))
    alice.iq("get", fetch(BOOKMARKS))
    alice.iq("get", OWNER.format(f"<configure node='{BOOKMARKS}'/>"))
    alice.iq("get", "<query xmlns='jabber:iq:private'><storage xmlns='storage:bookmarks'/></query>")
    alice.iq("set", PUBSUB.format(f"<publish node='{BOOKMARKS}'><item id='tea@rooms.localhost'/></publish>"
                                  + OPTIONS.format(FIELD.format("pubsub#access_model", "open"))), error="conflict")
