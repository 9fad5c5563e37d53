// Scenarios about streams, stanzas and logins. Scenario.swift explains the steps.

extension Scenario {
    static let streams: [Scenario] = [
        Scenario(
            "restart", "RFC 6120 §4.9.3.20", "a client connects again after a restart of the server", .login,
            .online, .ping(1), .echoed, .restart, .anew, .ping(1), .echoed),
        Scenario(
            "stream-error", "RFC 6120 §4.9", "a client connects again after an unknown stream error", .login,
            .online, .ping(1), .echoed, .complain("undefined-condition"), .pause(.seconds(1)), .online, .ping(1),
            .echoed),
        Scenario(
            "conflict", "RFC 6120 §4.9.3.3", "a client that another one replaces does not fight for its resource",
            .login,
            .online, .ping(1), .echoed, .complain("conflict"),
            .connects(atMost: 3, during: .seconds(5), mayEnd: true)),
        Scenario(
            "errors-at-once", "RFC 6120 §3.3", "a client waits between attempts that fail", .login,
            .twist(.header, .end(streamError("remote-connection-failed")), times: 100),
            .pause(.seconds(1)), .connects(atMost: 20, during: .seconds(6))),
        Scenario(
            "other-host", "RFC 6120 §4.9.3.19", "a client follows <see-other-host/>", .login,
            .twist(
                .header,
                .end(
                    "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>127.0.0.1:SECONDPORT"
                        + "</see-other-host></stream:error></stream:stream>")), .comesToSecondPort, .online, .ping(1),
            .echoed),
        Scenario(
            "bytes", "RFC 6120 §4", "a stream may come byte by byte, and characters may be split", .login,
            .trickles(true), .online, .pingText("\u{e4} \u{20ac} \u{1d11e}"), .echoed, .ping(1), .echoed),
        Scenario(
            "references", "XML 1.0 §4.6", "references and CDATA sections are text", .login,
            .online, .pingText("&amp;&#x41;&#66;&lt;b&gt;"), .pingText("<![CDATA[<c>&amp;]]>"), .echoed),
        Scenario(
            "large-message", "RFC 6120 §13.12", "a stanza of 9,000 bytes is accepted", .login,
            .online, .pingText(String(repeating: "x", count: 9000)), .echoed, .ping(1), .echoed),
        Scenario(
            "deep-message", "good sense", "a client survives a stanza of 100 levels", .acknowledgements,
            .online,
            .deliver(
                "<message id='ID' from='a@localhost'>" + String(repeating: "<x xmlns='urn:torture'>", count: 100)
                    + String(repeating: "</x>", count: 100) + "</message>"),
            .pause(.seconds(1)), .online, .ping(1), .echoed, .acknowledged),
        Scenario(
            "namespace-fault", "good sense",
            "a stranger's stanza that is well-formed, and not in its namespaces, does not end a client for ever",
            .resumption,
            .online, .deliver("<message id='ID' from='stranger@localhost'><x xmlns='urn:p' p:y='1'/></message>"),
            .pause(.seconds(2)), .online, .ping(1), .echoed, .acknowledged),
        Scenario(
            "request-unknown", "RFC 6120 §8.4", "a client answers an unknown request with an error", .login,
            .online,
            .deliver("<iq id='unknown' type='get' from='localhost'><query xmlns='urn:torture'/></iq>"),
            .answered("unknown", type: "error")),
        Scenario(
            "errors-unanswered", "RFC 6120 §8.3.1", "a client does not answer errors", .login,
            .online,
            .deliver(
                "<message id='bounce' type='error' from='tester@localhost/torture'><body>ping 99</body><error type='cancel'>"
                    + "<service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>"),
            .deliver(
                "<iq id='error' type='error' from='localhost'><error type='cancel'>"
                    + "<service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"),
            .deliver("<iq id='result' type='result' from='localhost'/>"), .ping(1), .echoed, .unanswered("bounce"),
            .unanswered("error"), .unanswered("result")),
    ]

    static let loggingIn: [Scenario] = [
        Scenario(
            "login-unavailable", "RFC 6120 §6.5.11", "a client tries again after a temporary failure", .login,
            .twist(
                .authentication,
                .end(
                    "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><temporary-auth-failure/></failure></stream:stream>"
                )), .online, .ping(1), .echoed),
        Scenario(
            "login-cut", "good sense", "a client tries again after a reset while it logs in", .login,
            .twist(.header, .reset), .twist(.authentication, .reset), .twist(.binding, .reset), .online, .ping(1),
            .echoed),
        Scenario(
            "login-no-proof", "RFC 5802 §5", "a client refuses a server that does not prove itself", .login,
            .twist(.authentication, .wrongProof), .connects(atMost: 20, during: .seconds(3), mayEnd: true)),
        Scenario(
            "login-stream-error", "good sense", "a client tries again after a stream error while it logs in", .login,
            .twist(.header, .end(streamError("internal-server-error")), times: 2), .online, .ping(1), .echoed),
        Scenario(
            "bind-refused", "RFC 6120 §7.6.2", "a client tries again after a refused resource", .login,
            .twist(
                .binding,
                .end(
                    "<iq type='error' id='SESSION'><error type='wait'>"
                        + "<resource-constraint xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq></stream:stream>"
                )
            ), .online, .ping(1), .echoed),
        Scenario(
            "sasl2", "XEP-0388", "a client that uses SASL2 and Bind 2 works", .sasl2,
            .online, .ping(2), .echoed, .acknowledged),
        Scenario(
            "sasl2-resumed", "XEP-0198 §8", "a client resumes inline", .sasl2,
            .online, .ping(2), .echoed, .hear(0), .ask(3), .pause(.seconds(1)), .cut(), .resumed, .sent, .ping(1),
            .echoed, .acknowledged),
        Scenario(
            "sasl2-refused", "XEP-0198 §8", "a client whose inline resumption fails works with the new resource",
            .sasl2,
            .online, .ping(1), .echoed, .acknowledged, .refusesConnections(true), .cut(),
            .forget(keepsTombstones: false), .refusesConnections(false), .anew, .ping(1), .echoed, .acknowledged),
    ]

    private static func streamError(_ condition: String) -> String {
        "<stream:error><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>"
    }
}
