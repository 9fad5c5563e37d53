// Scenarios about cut connections and resumption. Scenario.swift explains the steps.

import StreamReference

extension Scenario {
    static let cutting: [Scenario] = [
        Scenario(
            "cut", "XEP-0198 §5", "a client resumes its session after a lost connection", .resumption,
            .online, .ping(2), .echoed, .cut(), .resumed, .ping(2), .echoed, .acknowledged),
        Scenario(
            "cut-by-reset", "XEP-0198 §5", "a client resumes its session after a reset", .resumption,
            .online, .ping(2), .echoed, .cut(asReset: true), .resumed, .ping(2), .echoed, .acknowledged),
        Scenario(
            "cut-before-acknowledgement", "XEP-0198 §5",
            "an answered stanza counts in <resume/>: it is not handled twice", .resumption,
            .online, .acknowledged, .ping(3), .echoed, .cut(), .resumed, .pause(.seconds(1)), .acknowledged),
        Scenario(
            "cut-in-message", "XEP-0198 §5", "a stanza whose connection is cut in its middle arrives once", .resumption,
            .online, .cutAfter(1), .ping(1), .resumed, .echoed, .cutAfter(40), .ping(1), .resumed, .echoed,
            .cutAfter(90), .ping(1), .resumed, .echoed, .acknowledged),
        Scenario(
            "cut-after-message", "XEP-0198 §5", "a stanza that arrives with the end of its connection is handled once",
            .resumption,
            .online, .cutAfter(.max), .ping(1), .resumed, .echoed, .acknowledged),
        Scenario(
            "cut-with-numbers", "XEP-0198 §5", "unacknowledged stanzas are sent again, once each and in order",
            .resumption,
            .online, .hear(0), .ask(5), .pause(.seconds(1)), .cut(), .resumed, .sent, .ask(2), .sent),
        Scenario(
            "cut-stamp", "good sense", "a stamp that the client adds does not show its address to an anonymous room",
            .resumption, .online, .hear(0), .ask(2), .pause(.seconds(1)), .cut(), .resumed, .sent, .unnamed),
        Scenario(
            "cut-in-number", "XEP-0198 §5", "a stanza that was cut in its middle is sent again", .resumption,
            .online, .hear(30), .ask(3), .pause(.seconds(1)), .cut(), .resumed, .sent),
        Scenario(
            "cut-acknowledgement", "XEP-0198 §5", "stanzas that <resumed/> acknowledges are not sent again",
            .resumption,
            .online, .answersRequests(false), .ask(5), .sent, .cut(), .resumed, .answersRequests(true),
            .pause(.seconds(1)), .ask(1), .sent),
        Scenario(
            "cut-in-resumption", "XEP-0198 §5", "a client resumes although its last attempt was cut", .resumption,
            .twist(.resumption, .reset), .online, .hear(0), .ask(3), .pause(.seconds(1)), .cut(), .resumed, .sent,
            .ping(1), .echoed, .acknowledged),
        Scenario(
            "cut-before-resumed", "XEP-0198 §5", "a client resumes although it has not received <resumed/>",
            .resumption,
            .twist(.resumption, .answerLost), .online, .hear(0), .ask(3), .pause(.seconds(1)), .cut(), .resumed, .sent,
            .ping(1), .echoed, .acknowledged),
        Scenario(
            "cut-again", "XEP-0198 §5", "stanzas are sent again after each of two cuts", .resumption,
            .online, .hear(0), .ask(3), .pause(.seconds(1)), .cut(), .resumed, .sent, .hear(0), .ask(3),
            .pause(.seconds(1)), .cut(), .resumed, .sent, .ping(1), .echoed, .acknowledged),
        Scenario(
            "cut-unnoticed", "XEP-0198 §5",
            "a client resumes a session that the server still has on another connection", .resumption,
            .online, .ping(1), .echoed, .leave, .resumed, .ping(2), .echoed, .acknowledged),
    ]

    static let resuming: [Scenario] = [
        Scenario(
            "resume-odd-id", "XEP-0198 §3", "an id of a session is opaque", .resumption,
            .set { $0.idPrefix = "<'\"& \u{e9}" + String(repeating: "x", count: 1000) }, .online, .cut(),
            .resumed, .ping(1), .echoed),
        Scenario(
            "resume-no-maximum", "XEP-0198 §3", "<enabled/> without max allows resumption", .resumption,
            .set { $0.announcesMaximum = false }, .online, .cut(), .resumed, .ping(1), .echoed),
        Scenario(
            "resume-not-allowed", "XEP-0198 §3", "<enabled/> without resume forbids resumption", .acknowledgements,
            .set { $0.isResumable = false }, .online, .ping(1), .echoed, .cut(), .anew, .ping(1), .echoed),
        Scenario(
            "resume-location", "XEP-0198 §5", "a client reconnects to the location of its session", .resumption,
            .set { $0.location = "127.0.0.1:SECONDPORT" }, .online, .cut(), .comesToSecondPort, .resumed, .ping(1),
            .echoed),
        Scenario(
            "resume-after-pause", "XEP-0198 §5", "a client resumes after three seconds without a server", .resumption,
            .online, .ping(1), .echoed, .refusesConnections(true), .cut(), .pause(.seconds(3)),
            .refusesConnections(false), .resumed, .ping(1), .echoed, .acknowledged),
        Scenario(
            "resume-once", "XEP-0198 §5", "a client binds no resource and enables nothing after <resumed/>",
            .resumption,
            .online, .cut(), .resumed, .pause(.seconds(2)), .ping(1), .echoed, .acknowledged),
    ]

    static let refusing: [Scenario] = [
        Scenario(
            "refused", "XEP-0198 §5", "a client binds a resource after <failed/>, and works", .resumption,
            .online, .ping(1), .echoed, .acknowledged, .refusesConnections(true), .cut(),
            .forget(keepsTombstones: false),
            .refusesConnections(false), .anew, .ping(2), .echoed, .acknowledged),
        Scenario(
            "refused-with-h", "XEP-0198 §5", "stanzas that <failed/> acknowledges are not sent again", .resumption,
            .online, .answersRequests(false), .ask(3), .sent, .acknowledged, .refusesConnections(true), .cut(),
            .forget(keepsTombstones: true), .refusesConnections(false), .answersRequests(true), .anew,
            .pause(.seconds(1)), .ping(1), .echoed, .acknowledged),
        Scenario(
            "refused-after-maximum", "XEP-0198 §5", "a client works after the time of its session is over", .resumption,
            .set { $0.maximum = 2 }, .online, .ping(1), .echoed, .acknowledged, .refusesConnections(true), .cut(),
            .pause(.seconds(4)), .forget(keepsTombstones: false), .refusesConnections(false), .anew, .ping(1), .echoed,
            .acknowledged),
        Scenario(
            "resume-closed", "good sense", "a client gives up a session whose resumption always ends the stream",
            .resumption,
            isSlow: true,
            .twist(.resumption, .end("</stream:stream>"), times: 50), .online, .ping(1), .echoed, .cut(), .anew,
            .ping(1), .echoed),
        Scenario(
            "resume-internal-error", "good sense", "a client gives up a session whose resumption always fails",
            .resumption,
            isSlow: true,
            .twist(
                .resumption,
                .end(
                    "<stream:error><internal-server-error xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>"
                        + "</stream:stream>"), times: 50), .online, .ping(1), .echoed, .cut(), .anew, .ping(1), .echoed),
        Scenario(
            "resume-unanswered", "good sense", "a client gives up a session whose resumption has no answer",
            .resumption,
            isSlow: true,
            .twist(.resumption, .instead(""), times: 50), .online, .ping(1), .echoed, .cut(), .anew, .ping(1), .echoed),
        Scenario(
            "resume-unanswered-once", "good sense", "a client connects again if its <resume/> has no answer",
            .resumption,
            isSlow: true,
            .twist(.resumption, .instead("")), .online, .ping(1), .echoed, .cut(),
            .pause(.seconds(1)), .online, .ping(1), .echoed),
        Scenario(
            "resume-other-answer", "XEP-0198 §5", "another element than <resumed/> and <failed/> does not resume",
            .resumption,
            .twist(.resumption, .first("<a xmlns='urn:xmpp:sm:3' h='0'/>")), .online, .ping(1), .echoed, .cut(),
            .pause(.seconds(1)), .online, .ping(1), .echoed),
        Scenario(
            "resumed-too-high", "XEP-0198 §6",
            "a client ends a stream whose <resumed/> acknowledges more than it has sent", .resumption,
            .twist(.resumption, .instead("<resumed xmlns='urn:xmpp:sm:3' previd='SESSION' h='1000000'/>")), .online,
            .ping(1), .echoed, .cut(), .hangsUp, .pause(.seconds(1)), .online, .ping(1), .echoed),
        Scenario(
            "enable-refused", "XEP-0198 §3", "a client works without stream management after <failed/>", .login,
            .twist(.enabling, .instead(failed), times: 50), .online, .ping(2), .echoed),
        Scenario(
            "enable-not-offered", "XEP-0198 §3", "a client enables nothing that is not offered", .login,
            .offersManagement(false), .online, .ping(2), .echoed),
    ]

    private static let failed =
        "<failed xmlns='urn:xmpp:sm:3'><feature-not-implemented xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></failed>"
}
