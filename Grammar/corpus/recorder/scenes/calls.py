"""A call: proposed by message, negotiated and ended by Jingle between two clients."""

JMI = "<{} xmlns='urn:xmpp:jingle-message:0' id='{}'>{}</{}>"
JINGLE = "<jingle xmlns='urn:xmpp:jingle:1' action='{}' sid='{}'{}>{}</jingle>"
SID = "ca3cf894-5325-482f-a412-a6e9f832298d"
AUDIO = "<description xmlns='urn:xmpp:jingle:apps:rtp:1' media='audio'>{}</description>"
PAYLOADS = ("<payload-type id='111' name='opus' clockrate='48000' channels='2'><parameter name='minptime' value='10'/>"
            "<parameter name='useinbandfec' value='1'/><rtcp-fb xmlns='urn:xmpp:jingle:apps:rtp:rtcp-fb:0'"
            " type='transport-cc'/></payload-type><payload-type id='9' name='G722' clockrate='8000'/>"
            "<payload-type id='0' name='PCMU' clockrate='8000'/><rtcp-mux/>"
            "<rtp-hdrext xmlns='urn:xmpp:jingle:apps:rtp:rtp-hdrext:0' id='1'"
            " uri='urn:ietf:params:rtp-hdrext:ssrc-audio-level'/>")
TRANSPORT = "<transport xmlns='urn:xmpp:jingle:transports:ice-udp:1' ufrag='{}' pwd='{}'>{}</transport>"
PRINT = ("<fingerprint xmlns='urn:xmpp:jingle:apps:dtls:0' hash='sha-256' setup='{}'>" + ":".join(["1F", "2E"] * 16)
         + "</fingerprint>")
CANDIDATE = ("<candidate component='1' foundation='{0}' generation='0' id='c{0}' ip='{1}' network='1' port='{2}'"
             " priority='{3}' protocol='udp' type='{4}'/>")


def negotiate(cast):
    alice, bob = cast.alice, cast.bob
    alice.message("bob@localhost", JMI.format("propose", SID, AUDIO.format(""), "propose")
                  + "<store xmlns='urn:xmpp:hints'/>")
    bob.message(alice.jid, JMI.format("ringing", SID, "", "ringing"))
    bob.message("bob@localhost", JMI.format("accept", SID, "", "accept"))
    bob.message(alice.jid, JMI.format("proceed", SID, "<device xmlns='http://gultsch.de/xmpp/drafts/omemo/dlts-srtp-"
                                                      "verification' id='27182'/>", "proceed"))
    alice.iq("set", jingle("session-initiate", f" initiator='{alice.jid}'", content(
        PAYLOADS, "8hhy", PRINT.format("actpass"))), to=bob.jid)
    bob.iq("set", jingle("session-info", "", "<ringing xmlns='urn:xmpp:jingle:apps:rtp:info:1'/>"), to=alice.jid)
    hosts = (("192.0.2.1", "host"), ("198.51.100.23", "srflx"), ("203.0.113.9", "relay"), ("2001:db8::9", "host"))
    for number, (address, kind) in enumerate(hosts, 1):
        candidate = CANDIDATE.format(number, address, 40000 + number, 2130706431 - number, kind)
        sender, to = (alice, bob.jid) if number % 2 else (bob, alice.jid)
        sender.iq("set", jingle("transport-info", "", content(None, "8hhy", candidate)), to=to)
    bob.iq("set", jingle("session-accept", f" responder='{bob.jid}'", content(
        PAYLOADS, "9uB6", PRINT.format("active"))), to=alice.jid)
    for info in ("<mute xmlns='urn:xmpp:jingle:apps:rtp:info:1' name='audio'/>",
                 "<unmute xmlns='urn:xmpp:jingle:apps:rtp:info:1' name='audio'/>"):
        alice.iq("set", jingle("session-info", "", info), to=bob.jid)
    bob.iq("set", jingle("session-terminate", "", "<reason><success/><text>Tea is ready</text></reason>"),
           to=alice.jid)
    other = "second-call"
    bob.message("alice@localhost", JMI.format("propose", other, AUDIO.format(""), "propose"))
    bob.message("alice@localhost", JMI.format(
        "retract", other, "<reason xmlns='urn:xmpp:jingle:1'><cancel/><text>Retracted</text></reason>", "retract"))


def jingle(action, attributes, inner):
    return JINGLE.format(action, SID, attributes, inner)


def content(payloads, fragment, inner):
    description = "" if payloads is None else AUDIO.format(payloads)
    return ("<content creator='initiator' name='voice'>" + description
            + TRANSPORT.format(fragment, "asd88fgpdd777uzjYhagZg", inner) + "</content>")
