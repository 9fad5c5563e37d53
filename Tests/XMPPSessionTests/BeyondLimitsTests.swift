// Stanzas that exceed a limit of the parser or break Namespaces in XML. They do not end the stream, and such an answer
// ends its request.

import Handlers
import Locking
import Persistence
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import XMPPSession

@Suite(.fewAtOnce) struct BeyondLimitsTests {
    private let server = FakeServer()

    /// A stanza that begins with `start` and is deeper than a parser accepts.
    private static func deep(_ start: String) -> String { Excess.depth.stanza(start) }

    @Test func anAnswerEndsTheTaskThatWaits() async throws {
        let home = try await Household()
        try await home.run(server) {
            let request = Task { try await home.session.request(query) }
            try await server.receives(1)
            // Neither of the first two senders is the recipient of the request.
            server.say(Self.deep("iq type='result' from='mallory@example.org' id='q1'"))
            server.say(Self.deep("iq type='result' id='q1'"))
            server.say(Self.deep("iq type='result' from='room@chat.example.org' id='q1'"))
            let error = await #expect(throws: RequestError.self) { try await request.value }
            let stanza = try #require(error?.rejected)
            #expect(stanza.isBeyondLimit && stanza.from == "room@chat.example.org")
            try await home.acknowledges(server)
        }
        #expect(server.binds == 1)
    }

    /// An answer that the server gives for the account has no `from`.
    @Test(arguments: Excess.allCases) private func anAnswerOfTheServerIsRecognized(excess: Excess) {
        #expect(isAnswerOfTheServer(excess.stanza("iq type='result' id='q1'", bytes: ParserLimits.stanza.bytes)))
        // The parser stops in this start tag, so a `from` may follow.
        let attributes = (1...257).map { "a\($0)=''" }.joined(separator: " ")
        #expect(!isAnswerOfTheServer("<iq type='result' id='q1' \(attributes)/>"))
    }

    private func isAnswerOfTheServer(_ text: String) -> Bool {
        guard case .failure(let stanza) = received(text) else { return false }
        return LostAnswer(rejected: stanza)?.answers(requestTo: nil, account: Household.account) == true
    }

    /// Faults of namespaces, as servers relay them from any sender.
    private static let faults = [
        "<message id='f1' from='mallory@example.org'><x xmlns='urn:p' p:y='1'/></message>",
        "<presence type='subscribe' id='f2' from='mallory@example.org'><a:b:c/></presence>",
        "<iq type='get' id='f3' from='mallory@example.org'><x xmlns:ns1='http://www.w3.org/XML/1998/namespace'/></iq>",
        "<message id='f4' xmlns:p='u' xmlns:q='u' p:a='1' q:a='2'/>",
    ]

    /// A stored message of a stranger must not come again in each session, nor must those around it.
    @Test func faultsOfNamespacesComeOnce() async throws {
        let home = try await Household()
        try await home.onMessage()
        let events = await home.session.stream.events()
        let rejected = Lock<[String]>([])
        let listening = Task {
            for await event in events {
                if case .rejected(let stanza) = event { rejected.withLock { $0.append(stanza.id ?? "") } }
            }
        }
        try await home.run(server) {
            server.say("<message id='m1'/>")
            for fault in Self.faults { server.say(fault) }
            server.say("<message id='m2'/>")
            try await home.notes("m2")
            try await home.acknowledges(server)
            // The connection is lost after a fault that the server knows to be handled, and before the next one.
            server.cut()
            try await server.isResumed(1)
            server.say(Self.faults[0])
            server.say("<message id='m3'/>")
            try await home.notes("m3")
            try await home.acknowledges(server)
        }
        #expect(home.journal.all == ["m1", "m2", "m3"] && server.binds == 1)
        #expect(server.stanzas.count { $0["type"] == "error" } == 1)
        let refusal = try #require(server.stanzas.first { $0["type"] == "error" })
        #expect(refusal["id"] == "f3" && refusal["to"] == "mallory@example.org")
        #expect(refusal.firstChild?.firstChild?.name == "not-acceptable")
        try await eventually("all were reported") { rejected.withLock { $0 == ["f1", "f2", "f3", "f4", "f1"] } }
        listening.cancel()

        // The next process gets only the messages after them.
        let next = try await Household(home.folder, takingOver: true)
        try await next.onMessage()
        try await next.run(server) {
            server.say("<message id='m4'/>")
            try await next.notes("m4")
            try await next.acknowledges(server)
        }
        #expect(next.journal.all == ["m4"])
    }

    @Test func anAnswerWithAFaultEndsItsRequest() async throws {
        let home = try await Household()
        try await home.run(server) {
            let request = Task { try await home.session.request(query) }
            try await server.receives(1)
            server.say("<iq type='result' from='room@chat.example.org' id='q1'><p:x/></iq>")
            let error = await #expect(throws: RequestError.self) { try await request.value }
            #expect(error?.rejected?.error.kind == .unboundPrefix("p"))
            #expect(error.map { !"\($0)".contains("request less") } ?? false)
            try await home.acknowledges(server)
        }
    }

    @Test func anAnswerInvalidatesTheHandler() async throws {
        let home = try await Household()
        server.answer { $0["id"] == "q1" ? [Self.deep("iq type='error' from='room@chat.example.org' id='q1'")] : [] }
        try await home.run(server) {
            try await home.request()
            try await home.endsRequests()
        }
        #expect(home.journal.all == ["ended answer-rejected"])
    }
}

extension RequestError {
    fileprivate var rejected: RejectedStanza? { if case .answerRejected(let stanza) = self { stanza } else { nil } }
}

/// A limit that a stanza exceeds.
enum Excess: CaseIterable {
    case attributes, depth, name, bytes

    static let limits = ParserLimits(bytes: 20_000)

    /// A stanza that begins with `start` and exceeds the limit.
    func stanza(_ start: String, bytes: Int = limits.bytes) -> String {
        let name = start.prefix { $0 != " " }
        switch self {
        case .attributes:
            let attributes = (1...257).map { "a\($0)=''" }.joined(separator: " ")
            // ejabberd does not forward unknown attributes of the stanza itself.
            return "<\(start)><q xmlns='urn:x' \(attributes)/></\(name)>"
        case .depth:
            let depth = ParserLimits.defaultDepth
            return "<\(start)>" + String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
                + "</\(name)>"
        case .name: return "<\(start)><\(String(repeating: "a", count: 1100))/></\(name)>"
        case .bytes: return "<\(start)><body>\(String(repeating: "a", count: bytes))</body></\(name)>"
        }
    }
}
