// A session with its database, promises and handlers, as an app has it.

import Foundation
import Handlers
import Logging
import Persistence
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

/// A process with a session of juliet@example.org.
struct Household {
    static let account: JID = "juliet@example.org"

    let database: StanzaDatabase
    let promises: PromiseCenter
    let session: DurableSession
    let journal = Journal()
    let asker = Asker()
    /// The folder is removed with its last reference, and a session does not write to a removed database.
    let folder: TemporaryFolder
    private let closer = Closer()

    /// A process. The next process of the session gets the folder of the first.
    init(
        _ folder: TemporaryFolder? = nil, role: PromiseCenter.Role = .consumer, takingOver: Bool = false,
        configuration: StreamManagementConfiguration = .patient, options: StanzaDatabase.Options = .init(),
        handlers: [HandlerDefinition] = Household.handlers, grace: Duration = .seconds(600),
        clock: any MachineClock = SystemClock(), logger: Logger = Logger(label: "stanza.session"),
        _ configure: (inout StreamManagementConfiguration) -> Void = { _ in }
    ) async throws {
        let isNew = folder == nil
        let folder = try folder ?? TemporaryFolder()
        if isNew { try await Self.migrated.value.write(to: URL(filePath: folder.database)) }
        var configuration = configuration
        configure(&configuration)
        self.folder = folder
        database = try await StanzaDatabase.open(at: folder.database, options: options)
        promises = try await PromiseCenter.start(store: database, role: role)
        session = try await DurableSession(
            account: Self.account, database: database, registry: try HandlerRegistry(handlers: handlers),
            promises: promises, arguments: ["journal": journal, "closer": closer, "asker": asker],
            configuration: configuration, takingOver: takingOver, clock: clock, logger: logger)
        closer.set(session)
        await session.otherwise(.ignore)
        await session.setLimits { ($0.closingTime, $0.pause) = (grace, .milliseconds(20)) }
    }

    /// A database with all tables. Most tests take less time than the migrations, each of which waits for the disk.
    private static let migrated = Task {
        let folder = try TemporaryFolder()
        try await StanzaDatabase.open(at: folder.database).close()
        return try Data(contentsOf: URL(filePath: folder.database))
    }

    /// Runs the session, and the body as soon as the session is online.
    func run(_ server: FakeServer, _ body: () async throws -> Void) async throws {
        try await session.whileOnline(running(on: server), body)
    }

    /// Runs the session, and returns when it is online.
    func online(_ server: FakeServer, takingOver: Bool = false) async -> Task<StreamEnd, any Error> {
        await session.online(running(on: server, takingOver: takingOver))
    }

    /// Runs the session.
    func start(_ server: FakeServer) -> Task<StreamEnd, any Error> { Task(operation: running(on: server)) }

    private func running(
        on server: FakeServer, takingOver: Bool = false
    ) -> @Sendable () async throws -> StreamEnd {
        var policy = ReconnectionPolicy()
        policy.first = .milliseconds(1)
        policy.maximum = .milliseconds(10)
        return { [session, policy] in
            try await session.run(connecting: server, policy: policy, takingOver: takingOver)
        }
    }

    /// Breaks the connection, and waits until the session has noticed it.
    func disconnect(_ server: FakeServer) async throws {
        server.setDown(true)
        server.cut()
        try await session.stream.until("the connection is gone") { !$0.isOnline }
    }

    /// Suspends the session and leaves the database open.
    func suspend(gracePeriod: Duration = .seconds(5)) async throws {
        try await session.suspend(gracePeriod: gracePeriod, freezing: false)
    }

    /// Makes a request without a timeout.
    func request(_ iq: Element = query, _ handler: Handler? = nil) async throws {
        try await session.request(iq, handler: handler ?? self.handler(), timeout: nil)
    }

    /// Waits until all requests have ended.
    func endsRequests() async throws {
        try await eventually("all requests have ended") { try await requests() == [] }
    }

    /// Waits until the journal has this line.
    func notes(_ line: String) async throws {
        try await journal.wait(for: line)
    }

    /// Waits until the server has an acknowledgement of each stanza.
    func acknowledges(_ server: FakeServer) async throws {
        try await eventually("the server has all acknowledgements") {
            if await session.stream.state == .enabled { try? await session.stream.sendAcknowledgement() }
            return server.unacknowledgedCount == 0
        }
    }

    /// Waits until this many stanzas have arrived in the session and are handled.
    func handles(_ count: Int) async throws {
        try await session.stream.until("all are handled") { $0.isAllHandled(count) }
    }

    /// Waits until the request of the stanza with this number is found.
    func finds(_ number: Int64) async throws {
        try await eventually("the request is found") {
            await session.update { $0.deliveries[.init(rawValue: number)]?.found != nil }
        }
    }

    /// Lets this many stanzas arrive, with the body, while the handler of an earlier stanza runs.
    func duringHandler(_ server: FakeServer, _ count: Int, _ body: () async throws -> Void) async throws {
        try await session.on("/{jabber:client}presence") { [journal] _, _ in
            journal.note("waiting")
            await journal.waitDeafly(for: "go on")
        }
        server.say("<presence/>")
        try await notes("waiting")
        try await body()
        // The session receives no more than it may leave unhandled.
        try await eventually("they have arrived") { await session.waitingCount >= min(count, 900) }
        journal.note("go on")
    }

    /// Notes the `id` of each message, and then calls the body.
    func onMessage(
        _ body: @escaping @Sendable (_ id: String, StanzaWork) async throws -> Void = { _, _ in }
    ) async throws {
        try await session.on("/{jabber:client}message") { [journal] stanza, work in
            journal.note(stanza["id"] ?? "")
            try await body(stanza["id"] ?? "", work)
        }
    }

    func requests() async throws -> [StoredRequest] {
        try await database.read { try $0.requests.requests(of: Self.account) }
    }

    /// Lets a request time out.
    func end(_ id: String) async throws {
        try await database.write {
            try $0.db.execute(sql: "UPDATE stanza_request SET deadline = 0 WHERE id = ?", arguments: [id])
        }
        await session.handle(.requestsChanged)
    }

    func handler(
        _ name: HandlerName = "Test|answered", _ arguments: HandlerArguments = [:],
        invalidation: HandlerName = "Test|ended"
    ) throws -> Handler {
        try session.workContext.handlers.handler(name, invalidation: invalidation, binding: arguments)
    }
}

let query = xml("<iq type='get' to='room@chat.example.org' id='q1'><vCard xmlns='vcard-temp'/></iq>")
let answer = "<iq type='result' from='room@chat.example.org' id='q1'/>"
let otherQuery = xml("<iq type='get' to='room@chat.example.org' id='q2'/>")
let otherAnswer = "<iq type='error' from='room@chat.example.org' id='q2'/>"

extension DurableSession {
    /// Runs the session, and returns when it is online or the run has ended.
    nonisolated func online(
        _ run: @escaping @Sendable () async throws -> StreamEnd
    ) async -> Task<StreamEnd, any Error> {
        let events = await stream.events()
        let beginning = Task {
            for await event in events {
                switch event {
                case .enabled, .resumed, .notOffered, .notEnabled: return
                default: continue
                }
            }
        }
        let running = Task {
            defer { beginning.cancel() }
            return try await run()
        }
        await beginning.value
        return running
    }

    /// Runs the session, and the body as soon as the session is online.
    nonisolated func whileOnline(
        _ run: @escaping @Sendable () async throws -> StreamEnd, _ body: () async throws -> Void
    ) async throws {
        let running = await online(run)
        do {
            try await body()
        } catch {
            await running.stop()
            throw error
        }
        await running.stop()
    }
}

extension Task<StreamEnd, any Error> {
    /// Ends the run of a session.
    func stop() async {
        cancel()
        _ = await result
    }
}
