// Requests of one handler, some of which end in a program that does not know the handler. Each request has its outcome,
// in any order.

import Handlers
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import XMPPSession

@Suite(.fewAtOnce) struct ParkedTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    private static let other = xml("<iq type='get' to='room@chat.example.org' id='q2'/>")
    private static let answer = "<iq type='result' from='room@chat.example.org' id='q1'/>"
    private static let otherAnswer = "<iq type='error' from='room@chat.example.org' id='q2'/>"

    /// Makes two requests with one handler, then lets an older program run the session.
    ///
    /// - Returns: A later process of the program that knows the handler.
    private func whileAnOlderProgramRuns(
        _ body: (Household) async throws -> Void
    ) async throws -> Household {
        let app = try await Household(folder)
        let handler = try app.handler("Test|once")
        try await app.session.request(query, handler: handler, timeout: nil)
        try await app.session.request(Self.other, handler: handler, timeout: nil)
        try await app.run(server) {
            try await eventually("both were sent") { server.stanzas.count == 2 }
        }
        let old = try await Household(folder, handlers: Household.handlers.filter { $0.name != "Test|once" })
        try await old.run(server) {
            try await eventually("the session is resumed") { await old.session.stream.didResume }
            try await body(old)
        }
        #expect(old.journal.all == [])
        return try await Household(folder)
    }

    private func expectParked(_ calls: Int, in home: Household) async throws {
        let handlers = try await home.database.handlers()
        #expect(handlers.map { $0.parking?.calls.count } == [calls])
    }

    private func replay(in home: Household, asOne: Bool) async throws {
        try await home.database.collect { work in
            let handlers = asOne ? home.session.handlers.using(work) : home.session.handlers
            let replays = try await handlers.replay(["journal": home.journal, "work": work])
            for call in replays.flatMap(\.calls) { try call.get() }
        }
    }

    @Test(arguments: [false, true]) func whatWasParkedIsDoneForEachRequest(asOne: Bool) async throws {
        let home = try await whileAnOlderProgramRuns { old in
            for text in [Self.answer, Self.otherAnswer] { server.say(text) }
            try await eventually("both have ended") { try await old.requests() == [] }
        }
        try await expectParked(2, in: home)
        try await replay(in: home, asOne: asOne)
        #expect(home.journal.all == ["once result", "once error"])
        #expect(try await home.database.handlers() == [])
    }

    @Test(arguments: [false, true]) func anInvalidationThatWasParkedIsNotTheEnd(asOne: Bool) async throws {
        let home = try await whileAnOlderProgramRuns { old in
            try await old.end("q1")
            try await eventually("the first has ended") { try await old.requests().count == 1 }
            server.say(Self.otherAnswer)
            try await eventually("both have ended") { try await old.requests() == [] }
        }
        try await expectParked(2, in: home)
        try await replay(in: home, asOne: asOne)
        #expect(home.journal.all == ["ended timed-out", "once error"])
        #expect(try await home.database.handlers() == [])
    }

    @Test(arguments: [false, true]) func whatWasParkedIsNotTheEndWhileARequestWaits(asOne: Bool) async throws {
        let home = try await whileAnOlderProgramRuns { old in
            try await old.end("q1")
            try await eventually("the first has ended") { try await old.requests().count == 1 }
        }
        try await expectParked(1, in: home)
        try await replay(in: home, asOne: asOne)
        #expect(home.journal.all == ["ended timed-out"])
        try await home.run(server) {
            server.say(Self.otherAnswer)
            try await eventually("both have ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["ended timed-out", "once error"])
        #expect(try await home.database.handlers() == [])
    }

    @Test(arguments: [false, true]) func anAnswerIsNotTheEndOfWhatWasParked(asOne: Bool) async throws {
        let home = try await whileAnOlderProgramRuns { old in
            server.say(Self.answer)
            try await eventually("the first has ended") { try await old.requests().count == 1 }
        }
        try await home.run(server) {
            server.say(Self.otherAnswer)
            try await eventually("both have ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["once error"])
        try await expectParked(1, in: home)
        try await replay(in: home, asOne: asOne)
        #expect(home.journal.all == ["once error", "once result"])
        #expect(try await home.database.handlers() == [])
    }
}
