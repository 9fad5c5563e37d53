// A batch keeps the order of stanzas: what a handler sends and looks up comes after the changes of earlier stanzas.

import Foundation
import Handlers
import Persistence
import SessionCore
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct BatchOrderTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    /// A process whose handler of the first presence waits until the stanzas after it have come.
    private func household(takingOver: Bool = false) async throws -> Household {
        let home = try await Household(folder, takingOver: takingOver, configuration: .patient, clock: SlowClock())
        try await home.session.on("/{jabber:client}presence") { [journal = home.journal] _, _ in
            journal.note("waiting")
            await journal.waitDeafly(for: "go on")
        }
        return home
    }

    /// Lets these stanzas come while the handler of an earlier stanza runs.
    private func sayDuringHandler(_ stanzas: [String], _ home: Household) async throws {
        try await eventually("the session runs") { await home.session.stream.state == .enabled }
        server.say("<presence/>")
        try await eventually("the first handler runs") { home.journal.all.contains("waiting") }
        for stanza in stanzas { server.say(stanza) }
        try await eventually("they have arrived") {
            await home.session.waitingCount == stanzas.count
        }
        home.journal.note("go on")
    }

    private static func messages(_ ids: ClosedRange<Int>) -> [String] { ids.map { "<message id='\($0)'/>" } }

    // MARK: Stanzas that handlers send

    /// The session sends the replies of earlier stanzas first, and has handled those stanzas by then.
    @Test(arguments: [false, true]) func aDirectStanzaOvertakesNoReply(isRequest: Bool) async throws {
        let home = try await household()
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
        try await home.run(server) {
            try await sayDuringHandler(Self.messages(1...2), home)
            try await eventually("both have left") { server.stanzas.count == 2 }
            if isRequest { server.say("<iq type='result' from='room@chat.example.org' id='q1'/>") }
            try await eventually("all are handled") { journal.all.contains { $0.hasPrefix("unhandled") } }
        }
        #expect(server.stanzas.map { $0["id"] } == ["re-1", "q1"])
        // Only this stanza and, for a request, its answer are unhandled.
        #expect(journal.all == ["waiting", "go on", "unhandled \(isRequest ? 2 : 1)"])
    }

    // MARK: Handlers that look up handlers

    enum LookUp: CaseIterable {
        case call, list, marks
    }

    @Test(arguments: LookUp.allCases) func aHandlerFindsTheHandlersOfEarlierStanzas(lookUp: LookUp) async throws {
        let home = try await household()
        let (journal, handlers) = (home.journal, home.session.handlers)
        let handler = try home.handler("Test|once")
        let arguments: HandlerArguments = ["journal": journal, "iq": xml("<iq type='result'/>")]
        if lookUp == .marks { try await handlers.store(handler) }
        try await home.session.on("/{jabber:client}message") { stanza, work in
            let own = handlers.using(work.database)
            switch (stanza["id"], lookUp) {
            case ("1", .marks): try await own.call(stored: handler.id, arguments)
            case ("1", _): try await own.store(handler)
            case (_, .call): try await own.call(stored: handler.id, arguments)
            case (_, .list): journal.note("list \(try await work.database.handlers().map(\.id) == [handler.id])")
            case (_, .marks):
                let mark = try await work.database.marks(of: [handler.id])[handler.id]
                journal.note("mark \(mark == .called)")
            }
        }
        try await home.run(server) {
            try await sayDuringHandler(Self.messages(1...2), home)
            try await eventually("all are handled") { await home.session.stream.isAllHandled(3) }
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

    @Test func aBatchThatHasLostItsSessionRunsNoHandlerAgain() async throws {
        let home = try await household()
        let journal = home.journal
        try await home.session.on("/{jabber:client}message") { stanza, _ in
            journal.note(stanza["id"] ?? "")
            if stanza["id"] == "3" { await journal.waitDeafly(for: "taken over") }
        }
        let running = home.start(server)
        try await sayDuringHandler(Self.messages(1...3), home)
        try await eventually("the last handler runs") { journal.all.contains("3") }
        let second = try await household(takingOver: true)
        journal.note("taken over")
        #expect(try await running.value == .takenOver)
        #expect(journal.all == ["waiting", "go on", "1", "2", "3", "taken over"])
        // The other process gets all of them.
        try await second.session.on("/{jabber:client}message") { [journal = second.journal] stanza, _ in
            journal.note(stanza["id"] ?? "")
        }
        second.journal.note("go on")
        try await second.run(server) {
            try await eventually("all are handled") { second.journal.all.contains("3") }
        }
        #expect(second.journal.all == ["go on", "waiting", "1", "2", "3"])
    }

    /// Another attempt would not help: the app passes a database that is not the session's.
    @Test func effectsOfAnotherDatabaseAreNoLostOwnership() {
        #expect(DurableSessionCore.DatabaseFailure(StorageError.takesNoEffects) == .broken)
        #expect(DurableSessionCore.DatabaseFailure(StorageError.takenOver(account: "a")) == .notOwner)
    }
}
