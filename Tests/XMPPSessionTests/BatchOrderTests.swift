// A batch keeps the order of stanzas: a handler sends and reads after the changes of earlier stanzas.

import Handlers
import Persistence
import SessionCore
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct BatchOrderTests {
    private let server = FakeServer()

    // MARK: Stanzas that handlers send

    /// The session sends the replies of earlier stanzas first, and has handled those stanzas by then.
    @Test(arguments: [false, true]) func aDirectStanzaOvertakesNoReply(isRequest: Bool) async throws {
        let home = try await Household(clock: SlowClock())
        let (session, journal) = (home.session, home.journal)
        try await session.on("/{jabber:client}message") { [weak session] stanza, work in
            guard let session, stanza["id"] == "2" else {
                return try work.send(xml("<message to='romeo@example.org' id='re-1'/>"))
            }
            if isRequest {
                _ = try await session.request(query)
            } else {
                try await session.send(xml("<message to='romeo@example.org' id='q1'/>"))
            }
            journal.note("unhandled \(await session.stream.unhandledCount)")
        }
        // Only this stanza and, for a request, its answer are unhandled.
        let line = "unhandled \(isRequest ? 2 : 1)"
        try await home.run(server) {
            try await home.duringHandler(server, 2) { server.say(1...2) }
            try await server.receives(2)
            if isRequest { server.say(answer) }
            try await home.notes(line)
        }
        #expect(server.ids == ["re-1", "q1"])
        #expect(journal.all == ["waiting", "go on", line])
    }

    // MARK: Handlers that look up handlers

    enum LookUp: CaseIterable {
        case call, list, marks
    }

    @Test(arguments: LookUp.allCases) func aHandlerFindsTheHandlersOfEarlierStanzas(lookUp: LookUp) async throws {
        let home = try await Household(clock: SlowClock())
        let (journal, handlers) = (home.journal, home.session.workContext.handlers)
        let handler = try home.handler("Test|once")
        let arguments: HandlerArguments = ["journal": journal, "iq": xml("<iq type='result'/>")]
        if lookUp == .marks { try await handlers.store(handler) }
        try await home.session.on("/{jabber:client}message") { stanza, work in
            let own = handlers.using(work.changes)
            switch (stanza["id"], lookUp) {
            case ("1", .marks): try await own.call(stored: handler.id, arguments)
            case ("1", _): try await own.store(handler)
            case (_, .call): try await own.call(stored: handler.id, arguments)
            case (_, .list): journal.note("list \(try await work.changes.handlers().map(\.id) == [handler.id])")
            case (_, .marks):
                let mark = try await work.changes.marks(of: [handler.id])[handler.id]
                journal.note("mark \(mark == .called)")
            }
        }
        try await home.run(server) {
            try await home.duringHandler(server, 2) { server.say(1...2) }
            try await home.handles(3)
        }
        let found =
            switch lookUp {
            case .call: ["once result"]
            case .list: ["list true"]
            case .marks: ["once result", "mark true"]
            }
        #expect(journal.all.dropFirst(2) == found[...])
    }

    // MARK: Failures

    /// It stores and sends nothing either.
    @Test func aBatchThatHasLostItsSessionRunsNoHandlerAgain() async throws {
        let home = try await Household(clock: SlowClock())
        try await home.onMessage { [journal = home.journal] id, work in
            try work.send(xml("<message id='never'/>"))
            if id == "3" { await journal.waitDeafly(for: "taken over") }
        }
        let running = await home.online(server)
        try await home.duringHandler(server, 3) { server.say(1...3) }
        try await home.notes("3")
        let second = try await Household(home.folder, takingOver: true)
        home.journal.note("taken over")
        #expect(try await running.value == .takenOver)
        #expect(home.journal.all == ["waiting", "go on", "1", "2", "3", "taken over"])
        // The other process gets all of them.
        try await second.onMessage()
        try await second.run(server) { try await second.notes("3") }
        #expect(second.journal.all == ["1", "2", "3"])
        #expect(server.stanzas == [])
    }

    /// Another attempt would not help: the app passes a database that is not the session's.
    @Test func effectsOfAnotherDatabaseAreNoLostOwnership() {
        #expect(DurableSessionCore.DatabaseFailure(StorageError.takesNoEffects) == .broken)
        #expect(DurableSessionCore.DatabaseFailure(StorageError.takenOver(account: "a")) == .notOwner)
    }
}
