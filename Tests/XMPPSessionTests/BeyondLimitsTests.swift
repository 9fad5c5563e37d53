// Stanzas that exceed a limit of the parser. They do not end the stream, and such an answer ends its request.

import Handlers
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
