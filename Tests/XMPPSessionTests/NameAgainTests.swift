// Requests that are made with the `id` of an older one while that is being ended, or its failures are remembered.

import Foundation
import Handlers
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct NameAgainTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    private static let other = xml("<iq type='get' to='room@chat.example.org' id='q2'/>")
    private static let last = xml("<iq type='get' to='room@chat.example.org' id='q3'/>")

    /// A round of endings lasts: while the first request of it ends, the second is answered. The third tells that the
    /// round has been past the second.
    private func answerInARound(
        _ home: Household, _ body: (_ handler: Handler) async throws -> Void
    ) async throws {
        let handler = try home.handler()
        try await home.session.request(query, handler: home.handler(invalidation: "Test|held"))
        try await home.session.request(Self.other, handler: handler)
        try await home.session.request(Self.last, handler: home.handler())
        try await eventually("all were sent") { server.stanzas.count == 3 }
        try await home.database.write { try $0.database.execute(sql: "UPDATE request SET deadline = 0") }
        home.session.observer.tellOfEndings()
        try await eventually("the first is ending") { home.journal.all == ["held timed-out"] }
        server.say("<iq type='result' from='room@chat.example.org' id='q2'/>")
        try await eventually("the second is answered") { home.journal.all.last == "answered result" }
        try await body(handler)
        home.journal.note("go on")
        try await eventually("the third has ended") { try await home.requests().allSatisfy { $0.id != "q3" } }
    }

    @Test func whatEndsIsNotTheRequestThatHasItsNameSince() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            try await answerInARound(home) { handler in
                try await eventually("it has ended") { try await home.requests().map(\.id) == ["q1", "q3"] }
                try await home.session.request(Self.other, handler: handler)
            }
            #expect(try await home.requests().map(\.id) == ["q2"])
            server.say("<iq type='result' from='room@chat.example.org' id='q2'/>")
            try await eventually("it is answered") { try await home.requests() == [] }
        }
        #expect(
            home.journal.all == ["held timed-out", "answered result", "go on", "ended timed-out", "answered result"])
    }

    @Test func theEndOfARequestThatWasAnsweredIsToldToNobody() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            try await answerInARound(home) { handler in
                try await eventually("it has ended") { try await home.requests().map(\.id) == ["q1", "q3"] }
                try await home.session.request(
                    xml("<iq type='get' to='room@chat.example.org' id='q4'/>"), handler: handler)
            }
        }
        #expect(home.journal.all == ["held timed-out", "answered result", "go on", "ended timed-out"])
    }
}
