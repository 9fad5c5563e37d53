// The examples of the articles and the doc comments, word for word, and their effects. .ci/examples compares them.

import Foundation
import StreamSimulator
import Synchronization
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct ExampleTests {
    private let storage = MemoryStorage()
    private let message = element("<message id='m1'/>")

    @Test func running() async throws {
        let configuration = StreamManagementConfiguration.quiet
        let servers = Servers([.server(), .server(), .server()])
        @Sendable func connect() async throws -> (ScriptedTransport, StreamFeatures) {
            (try await servers.next(), ScriptedTransport.features)
        }
        let storage = storage
        func show(_ text: String) { Issue.record("\(text)") }
        let closing = Task {
            // The first connection breaks, the second is closed by the server, and the third by the application.
            try await eventually("first") { await servers.current?.heard.last == "<enable resume='true'/>" }
            await servers.current?.cut()
            try await eventually("second") { await servers.count == 2 }
            await servers.current?.say(nil)
            try await eventually("third") { await servers.count == 3 }
            await servers.current?.say("<iq id='close'/>")
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
        #expect(await servers.count == 3)
        #expect(storage.session(of: "juliet@example.org") == nil)
    }

    @Test func receiving() async throws {
        let (session, server, run) = try await running(handling: .whenConsumed)
        let inbox = Inbox()
        for id in 1...3 { server.say("<message id='\(id)'/>") }
        let closing = Task {
            try await eventually("received") { await inbox.ids.count == 3 }
            await session.close()
        }
        for await stanza in session.stanzas {
            await inbox.add(stanza.element)
        }
        try await closing.value
        #expect(await inbox.ids == ["1", "2", "3"])
        _ = try await run.value
    }

    @Test func sending() async throws {
        let (session, server, run) = try await running()
        var shown: [String] = []
        func show(_ text: String) { shown.append(text) }
        let answering = Task {
            try await server.until { $0.heard.last == "<message id='m1'/>" }
            server.say("<sm:a h='1'/>")
        }
        let sent = try await session.send(message)
        for await state in sent.states {
            switch state {
            case .queued, .sent: show("…")
            case .acknowledged: show("✓")
            case .failed: show("not delivered")
            case .unknown: show("perhaps delivered")
            }
        }
        #expect(shown.last == "✓")
        try await answering.value
        server.cut()
        _ = try await run.value
    }

    @Test func sendingMany() async throws {
        let session = try await StreamSession(
            account: "juliet@example.org", storage: storage, clock: ManualClock())
        let server = ScriptedTransport.acknowledgingWhenAsked()
        let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
        func message(_ number: Int) -> Element { element("<message id='m\(number)'/>") }
        for number in 1...10_000 {
            try await session.send(message(number))
        }
        try await eventually("all are sent") { server.heard.last { $0 != "<r/>" } == "<message id='m10000'/>" }
        #expect(server.heard.count { $0.hasPrefix("<message") } == 10_000)
        server.cut()
        _ = try await run.value
    }

    @Test func events() async throws {
        let configuration = StreamManagementConfiguration.quiet { $0.resumesAutomatically = true }
        let session = try await StreamSession(
            account: "juliet@example.org", storage: storage, configuration: configuration, clock: ManualClock())
        let presence = element("<presence id='p1'/>")
        let confirmed = Inbox()
        @Sendable func confirm(_ ids: [StanzaID]) { Task { await confirmed.add(ids) } }
        let shown = Mutex<[String]>([])
        @Sendable func show(_ text: String) { shown.withLock { $0.append(text) } }
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
        try await eventually("listening") {
            _ = try? await session.run(connecting: ConnectorOf { _, _ in throw TestConnector.Failure(isFinal: true) })
            return !shown.withLock(\.isEmpty)
        }
        let first = ScriptedTransport.server()
        let run = Task { try await session.run(on: first, features: ScriptedTransport.features) }
        try await first.until { $0.heard.last == "<presence id='p1'/>" }
        first.cut()
        _ = try await run.value
        let second = ScriptedTransport.server(resumedWith: 1)
        let again = Task { try await session.run(on: second, features: ScriptedTransport.features) }
        try await eventually("confirmed") { await confirmed.ids == ["p1"] }
        #expect(second.heard == ["<resume previd='s1' h='0'/>"])
        await session.close()
        _ = try await again.value
        try await listening.value
        let lines = shown.withLock { $0 }
        #expect(lines.last?.hasPrefix("disconnected: lost(") == true)
        #expect(lines.dropLast().allSatisfy { $0.hasPrefix("no connection: ") })
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
        let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
        let asking = Task {
            try await session.until { $0.state == .enabled }
            for xml in ["<presence id='p1'/>", "<message id='m1'/>", "<iq id='i1'/>"] { server.say(xml) }
            try await eventually("stored") { await archive.ids.count == 3 }
            server.say("<sm:r/>")
            try await server.until { $0.heard.last == "<a h='3'/>" }
            await session.close()
        }
        for await stanza in session.stanzas {
            try await archive.store(stanza.element)
            try await session.markHandled(stanza)
        }
        try await asking.value
        #expect(await archive.ids == ["p1", "m1", "i1"])
        _ = try await run.value
    }

    @Test func writingAStorage() throws {
        var saved: [StoredSession?] = []
        var session: StoredSession?
        func save(_ new: StoredSession?) throws { saved.append(new) }
        func write(_ changes: [StorageChange], _ urgency: StorageUrgency) throws {
            var new = session
            for change in changes { new = StoredSession.applying(change, to: new) }
            try save(new)
            session = new
        }
        try write([.handled(StanzaCounter(rawValue: 1)), .handled(StanzaCounter(rawValue: 2))], .immediate)
        try write([.remove], .immediate)
        #expect(saved.map { $0?.handledByClient.rawValue } == [2, nil])
        #expect(session == nil)
    }

    // MARK: Doc comments

    @Test func aSession() async throws {
        let servers = Servers([.server(), .server()])
        @Sendable func connect() async throws -> (ScriptedTransport, StreamFeatures) {
            (try await servers.next(), ScriptedTransport.features)
        }
        let shown = Inbox()
        @Sendable func show(_ stanza: Element) { Task { await shown.add(stanza) } }
        let storage = storage
        let session = try await StreamSession(account: "juliet@example.org", storage: storage)
        await session.configure { $0 = .quiet }
        let closing = Task {
            try await eventually("first") { await servers.current?.heard.last == "<enable resume='true'/>" }
            await servers.current?.say("<message id='1'/>")
            try await eventually("shown") { await shown.ids == ["1"] }
            await servers.current?.cut()
            try await eventually("second") { await servers.count == 2 }
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
        #expect(await shown.ids == ["1"])
    }

    @Test func aSentStanza() async throws {
        let (session, server, run) = try await running()
        var shown: [StanzaState] = []
        func show(_ state: StanzaState) { shown.append(state) }
        let answering = Task {
            try await server.until { $0.heard.last == "<message id='m1'/>" }
            server.say("<sm:a h='1'/>")
        }
        let sent = try await session.send(message)
        for await state in sent.states { show(state) }  // queued, sent, acknowledged
        #expect(shown == [.queued, .sent, .acknowledged])
        try await answering.value
        server.cut()
        _ = try await run.value
    }

    @Test func memory() throws {
        let storage = MemoryStorage()
        let store = try storage.open("juliet@example.org")
        try store.write([.handled(StanzaCounter(rawValue: 1))], .immediate)
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

    /// A session on a server that has enabled stream management.
    private func running(
        handling: HandlingPolicy = .onArrival
    ) async throws -> (StreamSession, ScriptedTransport, Task<StreamEnd, any Error>) {
        let session = try await StreamSession(
            account: "juliet@example.org", storage: storage, configuration: .quiet, handling: handling,
            clock: ManualClock())
        let server = ScriptedTransport.server()
        let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
        try await session.until { $0.state == .enabled }
        return (session, server, run)
    }
}

/// The servers of the connections, one after another.
private actor Servers {
    private let all: [ScriptedTransport]
    private(set) var count = 0

    init(_ all: [ScriptedTransport]) {
        self.all = all
    }

    var current: ScriptedTransport? { count > 0 ? all[count - 1] : nil }

    func next() throws -> ScriptedTransport {
        guard count < all.count else { throw Unexpected() }
        count += 1
        return all[count - 1]
    }
}

/// The stanzas that an application keeps.
private actor Inbox {
    private(set) var ids: [String] = []

    func add(_ stanza: Element) { ids.append(stanza["id"] ?? "") }

    func add(_ ids: [StanzaID]) { self.ids += ids.map(\.rawValue) }

    func store(_ stanza: Element) throws { add(stanza) }
}
