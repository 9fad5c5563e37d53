// Generated payloads, which are written and read again: frozen, editable, and through their bytes.

import Foundation
import TestSupport
import Testing
import XMPPPayloads

@Suite struct XMPPPayloadRoundTripTests {
    @Test func generatedPayloads() throws {
        for index in 0..<SeededGenerator.cases(default: 100) {
            var random = SeededGenerator(salt: UInt64(index))
            for make in Generated.makers {
                let comment: Comment = "STANZA_SEED=\(SeededGenerator.seed), case \(index)"
                try check(make(&random), comment)
            }
        }
    }

    private func check<P: Payload & Equatable>(_ payload: P, _ comment: Comment) throws {
        let element = try Element(payload)
        #expect(try P(element) == payload, comment)
        // `==` of strings is canonical equivalence.
        #expect(try Element(P(element)).xmlString().utf8.elementsEqual(element.xmlString().utf8), comment)
        #expect(try P(MutableElement(payload)) == payload, comment)
        #expect(try P(Element(parsing: element.xmlString())) == payload, comment)
        let message = MutableElement("message", namespace: "jabber:client")
        try message.add(payload)
        #expect(try message.freeze().first(P.self) == payload, comment)
        // Unknown content is ignored.
        let other = element.thaw()
        other.addChild("unknown", namespace: "urn:unknown")
        other["unknown"] = "1"
        #expect(try P(other) == payload, comment)
    }
}

/// Random values of the payloads' types.
private enum Generated {
    // Other tests of this target declare payloads of these names.
    typealias ChatState = XMPPPayloads.ChatState
    typealias Delay = XMPPPayloads.Delay
    typealias Maker = @Sendable (inout SeededGenerator) -> any (Payload & Equatable)

    static let makers: [Maker] = [
        { Delay(from: maybe(&$0, jid), stamp: date(&$0), reason: maybe(&$0, text)) },
        { StanzaIdentifier(id: string(&$0), by: jid(&$0)) },
        { OriginID(id: string(&$0)) },
        { CarbonCopy.sent(SentCopy(forwarded(&$0))) },
        { ArchiveResult(id: string(&$0), queryID: maybe(&$0, string), forwarded: forwarded(&$0)) },
        { random in
            var query = ArchiveQuery(id: maybe(&random, string), page: maybe(&random, page))
            query.filter = maybe(&random) { random in
                ArchiveFilter(with: maybe(&random, jid), start: maybe(&random, date), ids: list(&random, text))
            }
            query.isFlipped = random.chance(50)
            return query
        },
        { ArchiveEnd(page: page(&$0), isComplete: $0.chance(50)) },
        { DiscoInfo(node: maybe(&$0, string), identities: list(&$0, identity), features: list(&$0, string)) },
        { DiscoItems(items: list(&$0) { DiscoItem(jid(&$0), name: maybe(&$0, string)) }) },
        { Receipt(id: string(&$0)) },
        { ChatMarker.displayed(DisplayedMarker(id: string(&$0))) },
        { $0.pick(ChatState.allCases) },
        { AvatarMetadata(list(&$0) { AvatarImage(id: string(&$0), type: string(&$0), bytes: number(&$0)) }) },
        { OMEMODevices(list(&$0) { OMEMODevice(id: id(&$0), label: maybe(&$0, string)) }) },
        { random in
            OMEMOBundle(
                signedPreKey: OMEMOSignedPreKey(id: id(&random), key: data(&random)), signature: data(&random),
                identityKey: data(&random), preKeys: list(&random) { OMEMOPreKey(id: id(&$0), key: data(&$0)) })
        },
        { EventItems(node: string(&$0), items: list(&$0, item), retracted: list(&$0, string)) },
        { PubSubItems(node: string(&$0), max: maybe(&$0, number), items: list(&$0, pubSubItem)) },
        { RoomJoin(password: maybe(&$0, string), history: maybe(&$0, history)) },
        { RoomStatus(item: maybe(&$0, roomItem), codes: list(&$0, number)) },
        { message(&$0) },
    ]

    static func maybe<Value>(_ random: inout SeededGenerator, _ make: (inout SeededGenerator) -> Value) -> Value? {
        random.chance(60) ? make(&random) : nil
    }

    static func list<Value>(_ random: inout SeededGenerator, _ make: (inout SeededGenerator) -> Value) -> [Value] {
        (0..<random.number(0...3)).map { _ in make(&random) }
    }

    static func number(_ random: inout SeededGenerator) -> Int { random.number(0...1_000_000) }
    static func id(_ random: inout SeededGenerator) -> UInt32 { UInt32(random.number(0...Int(UInt32.max))) }

    static func string(_ random: inout SeededGenerator) -> String {
        let characters = ["a", "Z", "5", " ", "<", "&", "\"", "'", "é", "e\u{301}", "😀", "\n", "]]>"]
        return (0..<random.number(0...6)).map { _ in random.pick(characters) }.joined()
    }

    /// An optional text that is not empty: an element with an empty text has none.
    static func text(_ random: inout SeededGenerator) -> String { "t" + string(&random) }

    static func jid(_ random: inout SeededGenerator) -> JID {
        random.pick(["a@example.org", "example.org", "b@example.org/c d", "é@example.org/é"])
    }

    /// A date in whole milliseconds, as texts have them.
    static func date(_ random: inout SeededGenerator) -> Date {
        let text = try? Date(timeIntervalSince1970: Double(random.number(0...4_000_000_000))).xmppDateTime
        return text.flatMap { Date(payloadText: $0) } ?? .distantPast
    }

    static func data(_ random: inout SeededGenerator) -> Data {
        Data((0..<random.number(0...40)).map { _ in UInt8(random.number(0...255)) })
    }

    static func page(_ random: inout SeededGenerator) -> ResultPage {
        var page = ResultPage(max: maybe(&random, number), before: maybe(&random, string))
        page.after = maybe(&random, string)
        page.first = maybe(&random) { FirstResult(id: string(&$0), index: maybe(&$0, number)) }
        page.count = maybe(&random, number)
        return page
    }

    static func identity(_ random: inout SeededGenerator) -> DiscoIdentity {
        DiscoIdentity(
            category: string(&random), type: string(&random), name: maybe(&random, string),
            language: maybe(&random) { $0.pick(["en", "de-CH"]) })
    }

    static func item(_ random: inout SeededGenerator) -> EventItem {
        let content = text(&random)
        return EventItem(
            id: maybe(&random, string), publisher: maybe(&random, string),
            payload: maybe(&random) { _ in
                MutableElement("content", namespace: "urn:content", text: content).freeze()
            })
    }

    static func pubSubItem(_ random: inout SeededGenerator) -> PubSubItem { PubSubItem(id: maybe(&random, string)) }

    static func history(_ random: inout SeededGenerator) -> RoomHistory {
        RoomHistory(maxStanzas: number(&random), since: maybe(&random, date))
    }

    static func roomItem(_ random: inout SeededGenerator) -> RoomItem {
        var item = RoomItem(
            affiliation: maybe(&random) { $0.pick(RoomItem.Affiliation.allCases) },
            role: maybe(&random) { $0.pick(RoomItem.Role.allCases) }, jid: maybe(&random, jid))
        item.reason = maybe(&random, string)
        return item
    }

    static func forwarded(_ random: inout SeededGenerator) -> Forwarded {
        let body = string(&random)
        let message = MutableElement("message", namespace: "jabber:client") { MutableElement("body", text: body) }
        return Forwarded(message.freeze(), delay: maybe(&random) { Delay(stamp: date(&$0)) })
    }

    static func message(_ random: inout SeededGenerator) -> ChatMessage {
        var message = ChatMessage(
            to: maybe(&random, jid), type: random.pick(MessageType.allCases), id: maybe(&random, string))
        for language in ["en", "de", nil] where random.chance(50) { message.bodies[language] = string(&random) }
        message.thread = maybe(&random, string)
        message.delays = list(&random) { Delay(stamp: date(&$0)) }
        message.stanzaIDs = list(&random) { StanzaIdentifier(id: string(&$0), by: jid(&$0)) }
        message.state = maybe(&random) { $0.pick(ChatState.allCases) }
        message.wantsReceipt = random.chance(50)
        message.receipt = maybe(&random) { Receipt(id: string(&$0)) }
        message.isMarkable = random.chance(50)
        message.marker = maybe(&random) { .received(ReceivedMarker(id: string(&$0))) }
        return message
    }
}
