// The app greets each new session once, also after a kill.

import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct GreetingTests {
    private let server = FakeServer()

    private func greeter(_ text: String, _ folder: TemporaryFolder? = nil) async throws -> Household {
        let home = try await Household(folder)
        await home.session.onNewSession { work in try work.send(xml("<presence id='\(text)'/>")) }
        return home
    }

    @Test func aNewSessionIsGreetedOnce() async throws {
        let home = try await Household()
        let session = home.session
        await session.onNewSession { work in
            let presence = MutableElement("presence", namespace: .uri("jabber:client"))
            try work.send(presence.freeze())
        }
        try await home.run(server) {
            try await server.receives(1)
            try await session.suspend(gracePeriod: .seconds(5))
        }
        try await home.run(server) {
            try await session.send(xml("<message id='last'/>"))
            try await server.receives("last")
        }
        #expect(server.stanzas.map(\.name) == ["presence", "message"])
        #expect(server.resumptions == 1)
    }

    /// The first process ends after its session begins and before the greeting.
    @Test func theNextProcessGreetsASessionThatWasNot() async throws {
        let killed = try await Household()
        await killed.session.onNewSession { _ in
            // The greeting does not return before its process ends.
            try await Task.sleep(for: .seconds(86_400))
        }
        try await killed.run(server) {}
        killed.database.close()
        for text in ["second", "third"] {
            let home = try await greeter(text, killed.folder)
            try await home.run(server) {
                try await home.session.send(xml("<message id='\(text) message'/>"))
                try await server.receives("\(text) message")
                if text == "second" { try await server.receives("second") }
            }
            home.database.close()
        }
        #expect(Set(server.ids) == ["second", "second message", "third message"])
        #expect(server.binds == 1)
    }

    /// The core decides when it is tried again (Tests/SessionRules). A session without stream management is greeted,
    /// too.
    @Test func aGreetingThatFailsSendsNothing() async throws {
        let server = FakeServer(.none)
        let home = try await Household()
        let journal = home.journal
        await home.session.onNewSession { work in
            journal.note("greeting")
            try work.send(xml("<presence id='\(journal.all.count)'/>"))
            if journal.all.count == 1 { throw Household.Failure() }
        }
        try await home.run(server) { try await server.receives(1) }
        #expect(server.ids == ["2"])
    }

    /// A greeting can ask the server, and send at once.
    @Test func aGreetingWaitsForItsOwnRequests() async throws {
        let home = try await Household()
        server.answer { $0.name == "iq" ? ["<iq type='result' id='\($0["id"] ?? "")'/>"] : [] }
        try await home.session.send(xml("<message id='m1'/>"))
        await home.session.onNewSession { [session = home.session] work in
            try await session.send(xml("<presence id='p1'/>"))
            _ = try await session.request(xml("<iq type='get' id='i1'><query xmlns='jabber:iq:roster'/></iq>"))
            try work.send(xml("<presence id='p2'/>"))
        }
        try await home.run(server) { try await server.receives("m1") }
        #expect(server.ids == ["p1", "i1", "p2", "m1"])
    }

    /// A greeting may wait for the end of its own run.
    @Test func aGreetingMaySuspendTheSession() async throws {
        let home = try await Household()
        await home.session.onNewSession { [weak session = home.session] _ in
            try await session?.suspend(freezing: false)
        }
        #expect(try await home.start(server).value == .suspended)
    }
}
