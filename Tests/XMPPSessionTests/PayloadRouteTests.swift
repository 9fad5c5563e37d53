// Routes by payload, and payloads as stored values.

import Foundation
import HandlerMacros
import Locking
import StreamManagement
import TestSupport
import Testing
import XMPPPayloads

@testable import XMPPSession

extension Delay: Storable {}

@Handlers
enum Inbox {
    @Handler static func arrived(stanza: ChatMessage, iq: Element, journal: Journal) {
        journal.note("\(stanza.body ?? "") \(iq.name)")
    }
}

@Suite(.fewAtOnce) struct PayloadRouteTests {
    private let server = FakeServer()

    /// A chat client: it shows messages, and answers with receipts and markers.
    @Test func client() async throws {
        let home = try await Household()
        let session = home.session
        let log = Lock<[String]>([])
        @Sendable func note(_ text: String) { log.withLock { $0.append(text) } }
        @Sendable func show(_ body: String, from sender: JID) { note("\(sender): \(body)") }
        @Sendable func markDelivered(_ id: String) { note("delivered \(id)") }
        @Sendable func markDisplayed(_ id: String) { note("displayed \(id)") }
        do {
            try await session.on(ChatMessage.self) { message, stanza, work in
                if let receipt = message.receipt { markDelivered(receipt.id) }
                if let marker = message.marker { markDisplayed(marker.id) }
                guard let body = message.body, let sender = message.from else { return }
                show(body, from: sender)
                guard let id = message.id, message.wantsReceipt || message.isMarkable else { return }
                var answer = ChatMessage(to: sender)
                if message.wantsReceipt { answer.receipt = Receipt(id: id) }
                if message.isMarkable { answer.marker = .displayed(DisplayedMarker(id: id)) }
                try work.send(Element(answer))
            }
        }
        try await home.run(server) {
            server.say(
                """
                <message id='1' from='romeo@example.org/orchard' type='chat'><body>Hi</body>\
                <request xmlns='urn:xmpp:receipts'/><markable xmlns='urn:xmpp:chat-markers:0'/></message>
                """)
            server.say("<message from='romeo@example.org'><received xmlns='urn:xmpp:receipts' id='r'/></message>")
            server.say("<message from='a@b'><displayed xmlns='urn:xmpp:chat-markers:0' id='m'/></message>")
            try await server.receives(1)
            try await home.acknowledges(server)
        }
        #expect(log.withLock { $0 } == ["romeo@example.org/orchard: Hi", "delivered r", "displayed m"])
        let answer = try #require(server.stanzas.first)
        #expect(try answer.first(Receipt.self)?.id == "1" && answer.first(ChatMarker.self)?.id == "1")
        #expect(answer["to"] == "romeo@example.org/orchard")
    }

    /// Child elements, choices, and payloads that do not fit.
    @Test func children() async throws {
        let home = try await Household()
        let found = Lock<[String]>([])
        try await home.session.on(Delay.self) { delay, stanza, _ in
            found.withLock { $0.append("\(stanza["id"] ?? "") \(delay.reason ?? "")") }
        }
        try await home.session.on(ChatState.self) { state, _, _ in found.withLock { $0.append(state.rawValue) } }
        try await home.run(server) {
            server.say("<message id='1'><delay xmlns='urn:xmpp:delay' stamp='2002-09-10T23:08:25Z'>a</delay></message>")
            server.say("<message id='2'><delay xmlns='urn:xmpp:delay' stamp='yesterday'>b</delay></message>")
            server.say("<message id='3'><composing xmlns='http://jabber.org/protocol/chatstates'/></message>")
            try await home.acknowledges(server)
        }
        #expect(found.withLock { $0 } == ["1 a", "composing"])
    }

    /// A handler declares its stanza as a payload. It fails for a stanza that does not fit.
    @Test func handlers() async throws {
        let home = try await Household(handlers: Inbox.handlers) { $0.maximumHandlingAttempts = 1 }
        try await home.session.on("/{jabber:client}message", Inbox.$arrived.handler())
        let events = await home.session.stream.events()
        try await home.run(server) {
            server.say("<message id='1' from='a@b'><body>Hi</body></message>")
            server.say("<message id='2' from='@'/>")
            for await case .incomingDeadLetter(let stanza, _, let error) in events {
                #expect(stanza["id"] == "2" && (error?.error as? PayloadError)?.path == "/@from")
                break
            }
        }
        #expect(home.journal.all == ["Hi message"])
    }

    @Test func storedPayloads() throws {
        let delay = Delay(stamp: Date(timeIntervalSince1970: 5), reason: "late")
        #expect(try Delay(storedValue: delay.storedValue()) == delay)
        #expect(throws: PayloadError.self) { try Delay(storedValue: .element(Element(Receipt(id: "1")))) }
        #expect(throws: StorableMismatch.self) { try Delay(storedValue: .string("late")) }
    }
}
