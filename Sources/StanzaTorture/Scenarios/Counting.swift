// Scenarios about counts and acknowledgements. Scenario.swift explains the steps.

extension Scenario {
    static let counting: [Scenario] = [
        Scenario(
            "count", "XEP-0198 §4", "h is the number of received stanzas", .acknowledgements,
            .online, .ping(3), .echoed, .acknowledged, .ping(2), .echoed, .acknowledged),
        Scenario(
            "count-kinds", "XEP-0198 §4", "each iq, message and presence counts, whatever it contains",
            .acknowledgements,
            .online, .deliver("<message id='ID' from='localhost'/>"),
            .deliver("<message id='ID' type='headline'><x xmlns='urn:torture'/></message>"),
            .deliver("<message id='ID' type='normal' from='a@localhost'><subject>s</subject></message>"),
            .deliver("<presence id='ID' from='a@localhost/b'/>"),
            .deliver("<presence id='ID' type='unavailable' from='a@localhost/b'/>"),
            .deliver("<iq id='ID' type='result' from='localhost'/>"),
            .deliver("<iq id='ID' type='get' from='localhost'><query xmlns='urn:torture'/></iq>"),
            .acknowledged, .ping(1), .echoed, .acknowledged),
        Scenario(
            "count-before-enabled", "XEP-0198 §4", "a stanza that comes before <enabled/> does not count",
            .acknowledgements,
            .twist(.enabling, .first("<message id='early' type='headline' from='localhost'/>")), .online, .ping(1),
            .echoed, .acknowledged),
        Scenario(
            "count-after-enable", "XEP-0198 §4", "a stanza that is sent after <enable/> counts, before <enabled/>, too",
            .resumption,
            .twist(.enabling, .late(.seconds(1))), .online, .ask(2), .sent, .acknowledge, .hear(0), .ask(2),
            .pause(.seconds(1)), .cut(), .resumed, .sent),
        Scenario(
            "count-other-elements", "XEP-0198 §4", "white space, <r/> and <a/> do not count", .acknowledgements,
            .online, .write(" \n "), .request(3), .acknowledge, .acknowledge, .write("\n"), .ping(1), .echoed,
            .acknowledged),
        Scenario(
            "count-lookalikes", "XEP-0198 §4", "an element of another namespace is not a stanza", .acknowledgements,
            .online, .write("<message xmlns='urn:torture'><body>ping 99</body></message>"), .pause(.seconds(1)),
            .online, .ping(1), .echoed, .acknowledged),
        Scenario(
            "count-many", "XEP-0198 §4", "200 stanzas at once count, and each has its answer", .acknowledgements,
            .online, .ping(200), .echoed, .acknowledged),
        Scenario(
            "count-resumed", "XEP-0198 §5", "counts continue over resumptions", .resumption,
            .online, .ping(2), .echoed, .cut(), .resumed, .ping(2), .ask(2), .echoed, .sent, .cut(), .resumed, .ping(1),
            .echoed, .acknowledged),
        Scenario(
            "count-wrap", "XEP-0198 §4", "counts wrap from 2^32 - 1 to 0", .startValue,
            .online, .ping(15), .echoed, .acknowledged, .ask(15), .sent, .acknowledge, .hear(0), .ask(2),
            .pause(.seconds(1)), .cut(), .resumed, .sent, .ping(1), .echoed, .acknowledged),
    ]

    static let acknowledging: [Scenario] = [
        Scenario(
            "request-flood", "XEP-0198 §4", "100 requests are answered, and the session continues", .acknowledgements,
            .online, .request(100), .acknowledged, .ping(1), .echoed, .acknowledged),
        Scenario(
            "request-prefixed", "Namespaces in XML §3", "a prefix of a namespace changes no meaning", .acknowledgements,
            .online, .ping(1), .echoed, .write("<x:r xmlns:x=\"urn:xmpp:sm:3\"></x:r>"), .pause(.seconds(1)),
            .acknowledged),
        Scenario(
            "acknowledgement-too-high", "XEP-0198 §6", "a client ends a stream that acknowledges more than it has sent",
            .acknowledgements,
            .online, .write("<a xmlns='urn:xmpp:sm:3' h='1000000'/>"), .hangsUp, .online, .ping(1), .echoed),
        Scenario(
            "acknowledgement-lower", "good sense", "a client survives an h that is lower than the last one",
            .acknowledgements,
            .online, .ask(3), .sent, .acknowledge, .pause(.seconds(1)), .write("<a xmlns='urn:xmpp:sm:3' h='0'/>"),
            .pause(.seconds(1)), .online, .ping(1), .echoed),
        Scenario(
            "acknowledgement-malformed", "good sense", "a client survives an h that is not a number",
            .acknowledgements,
            .online, .write("<a xmlns='urn:xmpp:sm:3' h='many'/>"), .pause(.seconds(1)), .online, .ping(1), .echoed),
        Scenario(
            "acknowledgement-negative", "good sense", "a client survives a negative h", .acknowledgements,
            .online, .write("<a xmlns='urn:xmpp:sm:3' h='-1'/>"), .pause(.seconds(1)), .online, .ping(1), .echoed),
        Scenario(
            "acknowledgement-too-large", "good sense", "a client survives an h of more than 32 bits",
            .acknowledgements,
            .online, .write("<a xmlns='urn:xmpp:sm:3' h='18446744073709551616'/>"), .pause(.seconds(1)), .online,
            .ping(1), .echoed),
        Scenario(
            "acknowledgement-without-h", "good sense", "a client survives an <a/> without h", .acknowledgements,
            .online, .write("<a xmlns='urn:xmpp:sm:3'/>"), .pause(.seconds(1)), .online, .ping(1), .echoed),
        Scenario(
            "acknowledgement-missing", "good sense", "a client works with a server that is slow to acknowledge",
            .acknowledgements,
            .online, .answersRequests(false), .ask(30), .sent, .ping(1), .echoed, .requests(atMost: 100),
            .answersRequests(true), .acknowledge, .ask(2), .sent),
    ]
}
