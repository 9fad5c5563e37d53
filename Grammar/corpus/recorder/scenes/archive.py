"""The archives of a user and of a room: preferences, the query form, filters, pages and errors."""

from recorder.scenes.rooms import ROOM

MAM = "urn:xmpp:mam:2"
RSM = "<set xmlns='http://jabber.org/protocol/rsm'>{}</set>"
QUERY = "<query xmlns='" + MAM + "' queryid='{}'>{}</query>"
FIELD = "<field var='{}'{}><value>{}</value></field>"
FORM = ("<x xmlns='jabber:x:data' type='submit'>" + FIELD.format("FORM_TYPE", " type='hidden'", MAM) + "{}</x>")
SET = "{http://jabber.org/protocol/rsm}"


def query(cast):
    alice, bob = cast.alice, cast.bob
    alice.iq("get", f"<prefs xmlns='{MAM}'/>")
    alice.iq("set", f"<prefs xmlns='{MAM}' default='always'><always><jid>bob@localhost</jid></always>"
                    "<never><jid>spam@example.org</jid></never></prefs>")
    alice.iq("get", f"<query xmlns='{MAM}'/>")
    page(alice, "first", FORM.format(FIELD.format("with", "", "bob@localhost")) + RSM.format("<max>4</max>"))
    last = alice.inbox[-1].find(f".//{SET}last").text
    page(alice, "next", FORM.format(FIELD.format("with", "", "bob@localhost"))
         + RSM.format(f"<max>3</max><after>{last}</after>"))
    page(alice, "end", RSM.format("<max>3</max><before/>"))
    page(bob, "since", FORM.format(FIELD.format("start", "", "2020-01-01T00:00:00Z")
                                   + FIELD.format("end", "", "2020-02-01T00:00:00Z")))
    page(alice, "flipped", RSM.format("<max>2</max>") + "<flip-page/>")
    page(alice, "none", RSM.format("<max>0</max>"))
    alice.iq("set", QUERY.format("lost", RSM.format("<max>2</max><after>no-such-id</after>")),
             error="item-not-found")
    alice.iq("set", QUERY.format("wrong", FORM.format(FIELD.format("start", "", "yesterday"))), error="bad-request")
    alice.iq("set", QUERY.format("foreign", ""), to="bob@localhost", error="service-unavailable")
    page(alice, "room", RSM.format("<max>5</max>"), ROOM)
    page(alice, "room-end", RSM.format("<max>2</max><before/>"), ROOM)
    alice.iq("get", f"<query xmlns='{MAM}'/>", to=ROOM)


def page(client, name, inner, to=None):
    client.iq("set", QUERY.format(name, inner), to=to)
