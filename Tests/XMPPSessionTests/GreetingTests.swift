// The app greets each new session once, also after a kill.

import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct GreetingTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    private func greeter(_ text: String) async throws -> Household {
        let home = try await Household(folder)
        await home.session.onNewSession { work in try work.send(xml("<presence id='\(text)'/>")) }
        return home
    }

    private var sent: [String?] { server.stanzas.map { $0["id"] } }

    @Test func aNewSessionIsGreetedOnce() async throws {
        let session = try await greeter("a").session
        await session.onNewSession { work in
            let presence = try MutableElement("presence", namespace: .uri("jabber:client"))
            try work.send(presence.freeze())
        }
        await session.stream.configure { $0 = .patient }
        let running = Task { [server] in try await session.run(connecting: server) }
        try await eventually("it is greeted") { server.stanzas.map(\.name) == ["presence"] }
        try await session.suspend(deadline: .seconds(5))
        _ = try await running.value
        let again = Task { [server] in try await session.run(connecting: server) }
        try await eventually("it is resumed") { server.resumptions == 1 }
        try await session.send(xml("<message id='last'/>"))
        try await eventually("the message is sent") { server.stanzas.count == 2 }
        #expect(server.stanzas.map(\.name) == ["presence", "message"])
        await session.close()
        _ = await again.result
    }

    /// The first process ends after its session begins and before the greeting.
    @Test func theNextProcessGreetsASessionThatWasNot() async throws {
        let killed = try await Household(folder)
        await killed.session.onNewSession { _ in
            // The greeting does not return before its process ends.
            try await Task.sleep(for: .seconds(86_400))
        }
        try await killed.run(server) {
            try await eventually("the session runs") { await killed.session.stream.state == .enabled }
        }
        killed.database.close()
        for text in ["second", "third"] {
            let home = try await greeter(text)
            try await home.run(server) {
                try await eventually("it is resumed") { server.resumptions == (text == "second" ? 1 : 2) }
                try await home.session.send(xml("<message id='\(text) message'/>"))
                try await eventually("the message is sent") { sent.contains("\(text) message") }
                if text == "second" { try await eventually("it is greeted") { sent.contains("second") } }
            }
            home.database.close()
        }
        #expect(Set(sent) == ["second", "second message", "third message"])
        #expect(server.binds == 1)
    }

    @Test func everySessionThatCannotBeResumedIsGreeted() async throws {
        server.offer(.withoutResumption)
        let home = try await greeter("a")
        try await home.run(server) {
            try await eventually("it is greeted") { sent.count == 1 }
            server.cut()
            try await eventually("the next one is, too") { sent.count == 2 }
            server.offer(.none)
            server.cut()
            try await eventually("a stream without stream management is, too") { sent.count == 3 }
        }
        #expect(sent == ["a", "a", "a"])
    }

    @Test func aGreetingThatFailsSendsNothing() async throws {
        let home = try await Household(folder)
        let journal = home.journal
        struct Failure: Error {}
        await home.session.onNewSession { work in
            journal.note("greeting")
            try work.send(xml("<presence id='\(journal.all.count)'/>"))
            if journal.all.count == 1 { throw Failure() }
        }
        try await home.run(server) { try await eventually("it is greeted") { !sent.isEmpty } }
        #expect(sent == ["2"])
        #expect(try await home.database.read { try $0.sessions.isGreeted(Household.account) })
    }

    /// The first greeting ignores its cancellation. The next run greets the session.
    @Test func aGreetingThatNeverReturnsEndsWithItsRun() async throws {
        let home = try await Household(folder)
        let journal = home.journal
        await home.session.onNewSession { work in
            journal.note("greeting")
            let isFirst = journal.all.count == 1
            try work.send(xml("<presence id='\(journal.all.count)'/>"))
            if isFirst { await journal.waitDeafly(for: "go on") }
        }
        try await home.run(server) { try await eventually("it begins") { journal.all == ["greeting"] } }
        try await home.run(server) { try await eventually("it is greeted") { !sent.isEmpty } }
        journal.note("go on")
        #expect(sent == ["2"])
    }

    /// A greeting may wait for the end of its own run.
    @Test func aGreetingMaySuspendTheSession() async throws {
        let home = try await Household(folder)
        await home.session.onNewSession { [session = home.session] _ in try await session.suspend(freezing: false) }
        guard case .suspended = try await home.start(server).value else {
            Issue.record("expected the run to be suspended")
            return
        }
    }
}
