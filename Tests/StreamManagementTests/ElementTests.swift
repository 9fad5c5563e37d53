// The elements that a session reads and writes: features, inline negotiation, addresses, identifiers, errors.

import Foundation
import Simulators
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct ElementTests {
    private func limits(_ text: String, namespace: String = "urn:xmpp:stream-limits:0") -> StreamLimits {
        StreamFeatures(element("<stream:features><limits xmlns='\(namespace)'>\(text)</limits></stream:features>"))
            .limits
    }

    @Test("XEP-0478, RFC 6120 §13.12: limits are positive numbers of 32 bits, and at least 10,000 bytes")
    func streamLimits() {
        let rows: [(text: String, bytes: UInt32?)] = [
            ("262144", 262_144), ("10000", 10_000), ("9999", 10_000), ("1", 10_000), ("", nil), ("0", nil), ("-1", nil),
            ("+5", nil), (" 5", nil), ("5 ", nil), ("1e3", nil), ("4294967296", nil), ("99999999999999999999", nil),
            ("٣", nil), ("<a>5</a>", nil),
        ]
        for (text, bytes) in rows {
            let read = limits("<max-bytes>\(text)</max-bytes><idle-seconds>1800</idle-seconds>")
            #expect(read == StreamLimits(bytes: bytes.map { .init($0) }, idleSeconds: 1800), "\(text)")
        }
        #expect(limits("<max-bytes>20000</max-bytes>") == StreamLimits(bytes: 20_000))
        #expect(limits("<max-bytes>20000</max-bytes>", namespace: "urn:x") == StreamLimits())
    }

    private func features(_ inline: String) -> StreamFeatures {
        StreamFeatures(
            element(
                "<stream:features><authentication xmlns='urn:xmpp:sasl:2'>\(inline)</authentication></stream:features>")
        )
    }

    private static let bind2 = """
        <inline><sm xmlns='urn:xmpp:sm:3'/><bind xmlns='urn:xmpp:bind:0'><inline><feature var='urn:xmpp:carbons:2'/>\
        <feature/><feature var='urn:xmpp:sm:3'/></inline></bind></inline>
        """

    @Test(
        "R37 The client asks inline only for inline features of the server, and for resuming before binding",
        arguments: [
            ("", []), ("<inline/>", []),
            (
                "<inline><bind xmlns='urn:xmpp:bind:0'/></inline>",
                ["<bind xmlns='urn:xmpp:bind:0'><tag>Verona</tag></bind>"]
            ),
            ("<inline><sm xmlns='urn:xmpp:sm:3'/></inline>", ["<resume previd='s1' h='0'/>"]),
            (
                bind2,
                [
                    "<resume previd='s1' h='0'/>",
                    "<bind xmlns='urn:xmpp:bind:0'><tag>Verona</tag><enable resume='true'/></bind>",
                ]
            ),
        ])
    func inlineOffers(inline: String, expected: [String]) throws {
        let elements = try InlineNegotiation.elements(
            resume: .resume(#require(ResumptionID("s1")), handled: .zero),
            enable: .enable(resumption: true, maximum: nil), tag: "Verona", features: features(inline))
        #expect(elements.map(\.text) == expected)
        #expect(features(Self.bind2).inlineBindFeatures == ["urn:xmpp:carbons:2", "urn:xmpp:sm:3"])
        #expect(features(Self.bind2).supportsInlineEnabling)
    }

    @Test("R37 After an inline resumption nothing is bound; after its failure, one answer has a new session")
    func inlineResults() throws {
        func result(_ success: String) -> InlineNegotiation.Result {
            InlineNegotiation.Result(success: element("<success xmlns='urn:xmpp:sasl:2'>\(success)</success>"))
        }
        let bound = "<bound xmlns='urn:xmpp:bind:0'><sm:enabled id='s2' resume='true'/></bound>"
        let resumed = result("<sm:resumed previd='s1' h='0'/>\(bound)")
        #expect(resumed.isResumed && resumed.bound == nil && resumed.enabling == nil)
        let failed = result("<sm:failed/>\(bound)")
        #expect(!failed.isResumed && failed.resumption?.name == "failed" && failed.enabling?["id"] == "s2")
        #expect(InlineNegotiation.Result(success: element("<sm:resumed previd='s1' h='0'/>")) == result(""))
    }

    @Test(
        "R13 location is host, host:port, [IPv6] or [IPv6]:port",
        arguments: [
            ("example.org", "example.org", nil), ("example.org:5222", "example.org", 5222),
            ("192.0.2.1:5223", "192.0.2.1", 5223), ("[2001:db8::1]", "2001:db8::1", nil),
            ("[2001:41D0:1:A49b::1]:9222", "2001:41D0:1:A49b::1", 9222), ("[fe80::1%eth0]:1", "fe80::1%eth0", 1),
            ("bücher.example", "bücher.example", nil), ("host:65535", "host", 65535),
        ] as [(String, String, UInt16?)])
    func locations(text: String, host: String, port: UInt16?) {
        let location = ServerLocation(text)
        #expect(location?.host == host && location?.port == port && location?.description == text)
    }

    @Test(
        "R13 Other texts name no location",
        arguments: [
            "", ":5222", "example.org:", "example.org:0", "example.org:65536", "example.org:http", "2001:db8::1",
            "[2001:db8::1", "[]:5222", "[example.org]:1", "[::1]5222", "a b", "user@host", "host/path",
            String(repeating: "a", count: 400),
        ])
    func noLocations(text: String) {
        #expect(ServerLocation(text) == nil)
    }

    @Test("R14 Identifiers of sessions and stanzas are compared code point by code point")
    func identifiers() {
        #expect(ResumptionID("\u{1}") == nil && ResumptionID("") == nil)
        #expect(ResumptionID("e\u{301}") != ResumptionID("\u{e9}"))
        #expect(StanzaID("e\u{301}") != StanzaID("\u{e9}"))
    }

    @Test("R4 Counters wrap from 2^32-1 to 0, and distances across the wrap are exact", arguments: [UInt32.max, 0, 7])
    func wrap(start: UInt32) {
        let counter = StanzaCounter(rawValue: start)
        #expect(counter.advanced(by: 2).rawValue == start &+ 2)
        #expect(counter.advanced(by: 2).distance(from: counter) == 2)
        #expect(counter.distance(from: counter.advanced(by: 1)) == .max)
        #expect(StanzaCounter("\(start)") == counter)
    }

    @Test("A violation of the protocol is sent as a stream error") func streamErrors() {
        let error = StreamError.handledCountTooHigh(
            handled: StanzaCounter(rawValue: 9), sent: StanzaCounter(rawValue: 2))
        #expect(
            error.element
                == element(
                    """
                    <stream:error><err:undefined-condition/><err:text xml:lang='en'>the acknowledgement covers 9 \
                    stanzas, but only 2 were sent</err:text>\
                    <sm:handled-count-too-high h='9' send-count='2'/></stream:error>
                    """))
        #expect(StreamError.invalidHandledCount.element.firstChild?.name == "invalid-xml")
    }

    @Test("A stanza beyond a limit says so as an error, on one line")
    func rejectedStanza() {
        let error: any Error = rejected("<message id='m1'><a><b/></a></message>")
        #expect(error.localizedDescription == "\(error)")
        #expect(error.localizedDescription.hasPrefix("the parser skipped the stanza 'message': "))
        #expect(error.localizedDescription.contains("raise `depth` in ParserLimits"))
    }

    /// Servers bind addresses that RFC 7622 refuses.
    @Test(
        "A message gets one stamp, without its sender, however often it is sent",
        arguments: ["i\u{2665}u@example.org/a", "juliet@example.org/\u{301}", "not an address"])
    func delayStamp(address: String) throws {
        let date = Date(timeIntervalSince1970: 0)
        let once = DelayStamp.stamped(element("<message id='1'/>"), firstSent: date, address: address)
        #expect(once.children.count == 1 && once.children.allSatisfy { $0["from"] == nil })
        for address in [address, "romeo@example.org/orchard"] {
            #expect(DelayStamp.stamped(once, firstSent: date, address: address) == once)
        }
        let own = element(
            "<message><delay xmlns='urn:xmpp:delay' from='i\u{2665}u@example.org' stamp='x'/></message>")
        #expect(DelayStamp.stamped(own, firstSent: date, address: "i\u{2665}u@example.org/\u{E0100}") == own)
    }

    @Test("Ends with equal descriptions are equal") func streamEnds() {
        struct One: Error {}
        struct Other: Error {}
        let ends: [StreamEnd] = [
            .closed, .closedByPeer, .lost(One()), .lost(Other()), .abandoned(.acknowledgementMissing),
            .violation(.wrongSession), .superseded, .suspended, .takenOver, .storageFailed(One()),
        ]
        for (index, one) in ends.enumerated() {
            #expect(one.streamError == nil)
            for (place, other) in ends.enumerated() { #expect((one == other) == (index == place)) }
        }
    }

    @Test("Bytes that the system accepts at once are not a sign of life") func traffic() {
        let before = ByteCounts(received: 1, sent: 1)
        let rows: [(ByteCounts, hasMoved: Bool)] = [
            (before, false), (ByteCounts(received: 1, sent: 20), false),
            (ByteCounts(received: 1, sent: 20, waiting: 1), true),
            (ByteCounts(received: 1, sent: 1, waiting: 1), false),
            (ByteCounts(received: 2, sent: 1), true),
        ]
        for (counts, hasMoved) in rows { #expect(counts.hasMoved(since: before) == hasMoved, "\(counts)") }
    }
}
