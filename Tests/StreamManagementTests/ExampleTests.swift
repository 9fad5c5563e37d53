// The examples of the articles and the doc comments, word for word, and their effects. .ci/check compares them.

import Foundation
import Locking
import Simulators
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct ExampleTests {
    private let storage = MemoryStorage()
    private let message = element("<message id='m1'/>")

    @Test func running() async throws {
        let configuration = StreamManagementConfiguration.quiet
        let connector = TestConnector()
        func connect() async throws -> (any StanzaTransport, StreamFeatures) { try await connector.connect() }
        let storage = storage
        func show(_ text: String) { Issue.record("\(text)") }
        let closing = Task {
            // The first connection breaks, the second is closed by the server, and the third by the application.
            let first = try await connector.server(1)
            try await first.until { $0.heard.last == "<enable resume='true'/>" }
            first.cut()
            try await connector.server(2).say(nil as String?)
            try await connector.server(3).say("<iq id='close'/>")
        }
        let session: StreamSession
        do {
            session = try await StreamSession(
                account: "juliet@example.org", storage: storage, configuration: configuration)
        } catch StorageError.inUse {
            show("another process runs the session")
            return
        }
        let quitting = Task {
            for await _ in session.stanzas { await session.close() }
        }
        while true {
            let (transport, features) = try await connect()
            let end = try await session.run(on: transport, features: features)
            if case .closed = end { break }
        }
        try await closing.value
        await quitting.value
        #expect(connector.places.count == 3)
        #expect(storage.session(of: "juliet@example.org") == nil)
    }

    @Test func receiving() async throws {
        let (session, server, run) = try await StreamSession.running(handling: .whenConsumed)
        let inbox = Inbox()
        for id in 1...3 { server.say("<message id='\(id)'/>") }
        let closing = Task {
            try await inbox.until { $0.ids.count == 3 }
            await session.close()
        }
        for await stanza in session.stanzas {
            await inbox.add(stanza.element)
        }
        try await closing.value
        #expect(inbox.ids == ["1", "2", "3"])
        _ = try await run.value
    }

    @Test func sending() async throws {
        let (session, server, run) = try await StreamSession.running()
        var shown: [String] = []
        func show(_ text: String) { shown.append(text) }
        let answering = Task {
            try await server.until { $0.heard.last == "<message id='m1'/>" }
            server.say("<sm:a h='1'/>")
            server.say(bounce(of: "m1"))
        }
        let sent = try await session.send(message)
        for await state in sent.states {
            switch state {
            case .queued, .sent: show("…")
            case .acknowledged: show("✓")
            case .bounced(let error): show("refused: \(error.condition)")
            case .failed: show("not delivered")
            case .unknown: show("perhaps delivered")
            }
        }
        #expect(shown.suffix(2) == ["✓", "refused: service-unavailable"])
        try await answering.value
        try await server.cut(ending: run)
    }

    @Test func sendingMany() async throws {
        let session = try await StreamSession(
            account: "juliet@example.org", storage: storage, clock: ManualClock())
        let server = ScriptedTransport.acknowledgingWhenAsked()
        let run = session.begin(on: server)
        func message(_ number: Int) -> Element { element("<message id='m\(number)'/>") }
        for number in 1...10_000 {
            try await session.send(message(number))
        }
        try await server.until { $0.heard.last { $0 != "<r/>" } == "<message id='m10000'/>" }
        #expect(server.heard.count { $0.hasPrefix("<message") } == 10_000)
        // The session asks no more often than the queue is full (D23).
        #expect(server.heard.count { $0 == "<r/>" } <= 20)
        try await server.cut(ending: run)
    }

    @Test func events() async throws {
        let configuration = StreamManagementConfiguration.quiet { $0.resumesAutomatically = true }
        let session = try await StreamSession(
            account: "juliet@example.org", storage: storage, configuration: configuration, clock: ManualClock())
        let presence = element("<presence id='p1'/>")
        let confirmed = Inbox()
        @Sendable func confirm(_ ids: [StanzaID]) { for id in ids { confirmed.add(id.rawValue) } }
        let shown = Inbox()
        @Sendable func show(_ text: String) { shown.add(text) }
        let listening = Task {
            for await event in await session.events() {
                switch event {
                case .resumed(let result): confirm(result.acknowledged)
                case .enabled: try await session.send(presence)
                case .disconnected(let end): show("disconnected: \(end)")
                case .notConnected(let failure): show("no connection: \(failure)")
                default: break
                }
            }
        }
        // Until the task listens.
        while shown.ids.isEmpty {
            await #expect(throws: TestConnector.Failure.self) {
                try await session.run(connecting: TestConnector(errors: [.init(isFinal: true)]))
            }
        }
        let first = ScriptedTransport.server()
        let run = Task { try await session.run(on: first, features: ScriptedTransport.features) }
        try await first.until { $0.heard.last == "<presence id='p1'/>" }
        first.cut()
        _ = try await run.value
        let second = ScriptedTransport.server(resumedWith: 1)
        let again = Task { try await session.run(on: second, features: ScriptedTransport.features) }
        try await confirmed.until { $0.ids == ["p1"] }
        #expect(second.heard == ["<resume previd='s1' h='0'/>"])
        await session.close()
        _ = try await again.value
        try await listening.value
        #expect(shown.ids.last?.hasPrefix("disconnected: lost(") == true)
        #expect(shown.ids.dropLast().allSatisfy { $0.hasPrefix("no connection: ") })
    }

    @Test func configuring() {
        var configuration = StreamManagementConfiguration()
        configuration.resumesAutomatically = true
        configuration.acknowledgementRequests = .init(count: 5, interval: .seconds(2))
        configuration.failurePolicy = .ask
        let core = TestCore.enabled(configuration)
        var sent: [String] = []
        for number in 1...5 { sent += TestCore.sent(core.send("<message id='m\(number)'/>")) }
        #expect(sent.filter { $0 == "send <r/>" }.count == 1)
        #expect(sent.last == "send <r/>")
    }

    @Test func deciding() async throws {
        let storage = storage
        let handling = HandlingPolicy.deciding { $0.name == "message" ? .pending(id: nil) : .handled }
        let session = try await StreamSession(account: "juliet@example.org", storage: storage, handling: handling)
        await session.configure { $0 = .quiet }
        let archive = Inbox()
        let server = ScriptedTransport.server()
        let run = session.begin(on: server)
        let asking = Task {
            try await session.until { $0.state == .enabled }
            for xml in ["<presence id='p1'/>", "<message id='m1'/>", "<iq id='i1'/>"] { server.say(xml) }
            try await archive.until { $0.ids.count == 3 }
            server.say("<sm:r/>")
            try await server.until { $0.heard.last == "<a h='3'/>" }
            await session.close()
        }
        for await stanza in session.stanzas {
            try await archive.store(stanza.element)
            try await session.markHandled(stanza)
        }
        try await asking.value
        #expect(archive.ids == ["p1", "m1", "i1"])
        _ = try await run.value
    }

    @Test func writingAStorage() throws {
        var saved: [StoredSession?] = []
        var session: StoredSession?
        func save(_ new: StoredSession?) throws { saved.append(new) }
        func write(_ changes: [StorageChange]) throws {
            var new = session
            for change in changes { new = StoredSession.applying(change, to: new) }
            try save(new)
            session = new
        }
        try write([.handled(StanzaCounter(rawValue: 1)), .handled(StanzaCounter(rawValue: 2))])
        try write([.remove])
        #expect(saved.map { $0?.handledByClient.rawValue } == [2, nil])
        #expect(session == nil)
    }

    // MARK: Doc comments

    @Test func aSession() async throws {
        let connector = TestConnector()
        func connect() async throws -> (any StanzaTransport, StreamFeatures) { try await connector.connect() }
        let shown = Inbox()
        @Sendable func show(_ stanza: Element) { shown.add(stanza["id"] ?? "") }
        let storage = storage
        let session = try await StreamSession(account: "juliet@example.org", storage: storage)
        await session.configure { $0 = .quiet }
        let closing = Task {
            let first = try await connector.server(1)
            first.say("<message id='1'/>")
            try await shown.until { $0.ids == ["1"] }
            first.cut()
            _ = try await connector.server(2)
            await session.close()
        }
        Task {
            for await stanza in session.stanzas { show(stanza.element) }
        }
        while true {
            let (transport, features) = try await connect()
            let end = try await session.run(on: transport, features: features)
            if case .closed = end { break }
        }
        try await closing.value
        #expect(shown.ids == ["1"])
    }

    @Test func aSentStanza() async throws {
        let (session, server, run) = try await StreamSession.running()
        var shown: [StanzaState] = []
        func show(_ state: StanzaState) { shown.append(state) }
        let answering = Task {
            try await server.until { $0.heard.last == "<message id='m1'/>" }
            server.say("<sm:a h='1'/>")
            server.say(bounce(of: "m1"))
        }
        let sent = try await session.send(message)
        for await state in sent.states { show(state) }  // queued, sent, acknowledged, and perhaps bounced
        #expect(shown.prefix(3) == [.queued, .sent, .acknowledged] && shown.count == 4)
        guard case .bounced(let error) = sent.state else { throw Unexpected() }
        #expect(error.type == "cancel")
        #expect(await sent.outcome() == sent.state)
        #expect(server.heard.prefix(3) == ["bind", "<enable resume='true'/>", "<message id='m1'/>"])
        try await answering.value
        try await server.cut(ending: run)
    }

    @Test func greeting() async throws {
        let session = try await StreamSession.quiet()
        let presence = element("<presence id='p1'/>")
        let server = ScriptedTransport.server()
        let waiting = try await session.send(message)
        try await session.send(element("<message id='m2' type='groupchat' to='coven@chat.example.net'/>"))

        await session.awaitGreetings()
        let events = await session.events()
        Task {
            for await case .enabled in events { try await session.greet(with: [presence]) }
        }

        let run = session.begin(on: server)
        try await waiting.becomes(.sent)
        #expect(server.heard.suffix(2) == ["<presence id='p1'/>", "<message id='m1'/>"])
        #expect(await session.held.map(\.id) == ["m2"])
        #expect(await session.unacknowledged.count == 3)
        try await session.release { $0["id"] == "m2" }
        try await server.until { $0.heard.last?.contains("m2") == true }
        try await server.cut(ending: run)
    }

    @Test func memory() throws {
        let storage = MemoryStorage()
        let store = try storage.open("juliet@example.org")
        try store.write([.handled(StanzaCounter(rawValue: 1))])
        #expect(storage.session(of: "juliet@example.org")?.handledByClient.rawValue == 1)
    }

    @Test func counters() {
        let last = StanzaCounter(rawValue: .max)
        let next = last.advanced(by: 2)  // 1
        let distance = next.distance(from: last)  // 2
        #expect(next.rawValue == 1 && distance == 2)
    }

    @Test func core() throws {
        let now = Moment(uptime: .zero, date: TestCore.start)
        var performed: [StreamManagementCore.Action] = []
        func perform(_ action: StreamManagementCore.Action) { performed.append(action) }
        var core = StreamManagementCore()
        var actions: [StreamManagementCore.Action] = []
        try core.handle(.enable(resumption: true, maximum: nil, address: nil), at: now, into: &actions)
        for action in actions { perform(action) }
        #expect(performed.contains { $0.text.contains("<enable") })
    }
}

extension TestConnector {
    /// Connects as an app does that looks for servers itself.
    fileprivate func connect() async throws -> (any StanzaTransport, StreamFeatures) {
        let connected = try await connect(to: nil) { _ in [] }
        return (connected.transport, connected.features)
    }
}

/// The identifiers and lines that an app keeps.
private final class Inbox: Changing {
    let changes = Changes()
    private let kept = Lock<[String]>([])

    var ids: [String] { kept.withLock(\.self) }

    func add(_ id: String) {
        kept.withLock { $0.append(id) }
        changes.note()
    }

    func add(_ stanza: Element) async { add(stanza["id"] ?? "") }

    func store(_ stanza: Element) async throws { await add(stanza) }
}
