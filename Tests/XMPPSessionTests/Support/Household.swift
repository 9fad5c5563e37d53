// A session with its database, promises and handlers, as an app has it.

import Foundation
import Handlers
import Logging
import Persistence
import Promises
import StreamManagement
import Synchronization
import Testing
import XMLTree

@testable import XMPPSession

/// The folder of a test's database.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "stanza-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var database: String { url.appending(path: "test.db").path }
}

/// The lines that handlers note, in order.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// Waits for a line. The wait ignores cancellation and does not block a thread.
    func waitDeafly(for line: String) async {
        while !all.contains(line) { await Task { try? await Task.sleep(for: .milliseconds(2)) }.value }
    }
}

/// Refers weakly to the session that a handler closes, because the session keeps the arguments of its handlers.
final class Closer: Sendable {
    private struct Known {
        weak var session: DurableSession?
    }

    private let known = Mutex(Known())

    func set(_ session: DurableSession) { known.withLock { $0.session = session } }

    func close() async { await known.withLock { $0.session }?.close() }
}

/// The handler with which another handler makes a request.
final class Asker: Sendable {
    private let handler = Mutex<Handler?>(nil)

    func set(_ handler: Handler?) { self.handler.withLock { $0 = handler } }

    func ask(in work: StanzaWork) async throws {
        guard let handler = handler.withLock(\.self) else { return }
        try await work.request(xml("<iq type='get' to='room@chat.example.org' id='again'/>"), handler: handler)
    }
}

/// A process with a session of juliet@example.org.
struct Household {
    static let account = "juliet@example.org"

    let database: StanzaDatabase
    let promises: PromiseCentre
    let session: DurableSession
    let journal = Journal()
    let asker = Asker()
    private let closer = Closer()
    /// The folder is removed with its last reference, and a session does not write to a removed database.
    private let folder: TemporaryFolder

    init(
        _ folder: TemporaryFolder, role: PromiseCentre.Role = .consumer, takingOver: Bool = false,
        configuration: StreamManagementConfiguration = .patient, options: StanzaDatabase.Options = .init(),
        handlers: [HandlerDefinition] = Household.handlers, grace: Duration = .seconds(600),
        clock: any SessionClock = SystemClock(), logger: Logger = Logger(label: "stanza.session")
    ) async throws {
        self.folder = folder
        database = try await StanzaDatabase.open(at: folder.database, options: options)
        promises = try await PromiseCentre.start(store: database, role: role)
        session = try await DurableSession(
            account: Self.account, database: database, registry: try HandlerRegistry(handlers: handlers),
            promises: promises, arguments: ["journal": journal, "closer": closer, "asker": asker],
            configuration: configuration, takingOver: takingOver, clock: clock, logger: logger)
        closer.set(session)
        await session.setHandlersGrace(grace)
    }

    /// Runs the session until the body returns.
    func run(_ server: FakeServer, _ body: () async throws -> Void) async throws {
        let running = start(server)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        running.cancel()
        _ = await running.result
        try result.get()
    }

    /// Runs the session.
    func start(_ server: FakeServer, takingOver: Bool = false) -> Task<StreamEnd, any Error> {
        var policy = ReconnectionPolicy()
        policy.first = .milliseconds(1)
        policy.maximum = .milliseconds(10)
        return Task { [session, policy] in
            try await session.run(connecting: server, policy: policy, takingOver: takingOver)
        }
    }

    func requests() async throws -> [StoredRequest] {
        try await database.read { try $0.requests.requests(of: Self.account) }
    }

    /// Lets a request time out.
    func end(_ id: String) async throws {
        try await database.write {
            try $0.database.execute(sql: "UPDATE request SET deadline = 0 WHERE id = ?", arguments: [id])
        }
        session.observer.tellOfEndings()
    }

    // MARK: Handlers

    /// Notes the answer, and fulfills the promise, if one is bound.
    static let answered = HandlerDefinition(
        "Test|answered", HandlerParameter("iq", Element.self), HandlerParameter("journal", Journal.self),
        HandlerParameter("promise", Promise<String>?.self), HandlerParameter("work", DatabaseWork.self)
    ) { iq, journal, promise, work in
        journal.note("answered \(iq["type"] ?? "")")
        try promise?.fulfil(iq["type"] ?? "", in: work)
    }

    static let ended = HandlerDefinition(
        "Test|ended", HandlerParameter("journal", Journal.self),
        HandlerParameter("reason", InvalidationReason.self), HandlerParameter("promise", Promise<String>?.self),
        HandlerParameter("work", DatabaseWork.self)
    ) { journal, reason, promise, work in
        journal.note("ended \(reason)")
        try promise?.reject(PromiseRejection(code: reason.rawValue, message: "no answer"), in: work)
    }

    static let failing = HandlerDefinition("Test|failing", HandlerParameter("journal", Journal.self)) { journal in
        journal.note("failing")
        throw Failure()
    }

    /// Waits until the journal has the line `go on`.
    static let slow = HandlerDefinition(
        "Test|slow", isSingleShot: true, HandlerParameter("journal", Journal.self),
        HandlerParameter("promise", Promise<String>.self), HandlerParameter("work", DatabaseWork.self)
    ) { journal, promise, work in
        journal.note("slow")
        while !journal.all.contains("go on") { try await Task.sleep(for: .milliseconds(2)) }
        try promise.fulfil("answered", in: work)
    }

    static let items = HandlerDefinition(
        "Test|items", HandlerParameter("journal", Journal.self), HandlerParameter("items", PubSubItems?.self),
        HandlerParameter("error", StanzaError?.self)
    ) { journal, items, error in
        journal.note("items \(items?.ids ?? []) \(error?.condition ?? "")")
    }

    /// Invalidations that fail.
    static let cancelled = HandlerDefinition("Test|cancelled", HandlerParameter("journal", Journal.self)) { journal in
        journal.note("failing end")
        throw CancellationError()
    }

    static let closed = HandlerDefinition("Test|closed", HandlerParameter("journal", Journal.self)) { journal in
        journal.note("failing end")
        throw StanzaDatabaseError.closed
    }

    /// Handlers that close their own session.
    static let closing = HandlerDefinition(
        "Test|closing", HandlerParameter("closer", Closer.self), HandlerParameter("journal", Journal.self)
    ) { closer, journal in
        await closer.close()
        journal.note("closed")
    }

    static let closingAndFailing = HandlerDefinition(
        "Test|closingAndFailing", HandlerParameter("closer", Closer.self), HandlerParameter("journal", Journal.self)
    ) { closer, journal in
        await closer.close()
        journal.note("failing")
        throw Failure()
    }

    /// Ignores cancellation.
    static let deaf = HandlerDefinition("Test|deaf", HandlerParameter("journal", Journal.self)) { journal in
        journal.note("deaf")
        await journal.waitDeafly(for: "go on")
    }

    /// An invalidation that waits until the journal has the line `go on`.
    static let held = HandlerDefinition(
        "Test|held", HandlerParameter("journal", Journal.self), HandlerParameter("reason", InvalidationReason.self)
    ) { journal, reason in
        journal.note("held \(reason)")
        while !journal.all.contains("go on") { try await Task.sleep(for: .milliseconds(2)) }
    }

    /// Can be called once.
    static let once = HandlerDefinition(
        "Test|once", isSingleShot: true, HandlerParameter("journal", Journal.self), HandlerParameter("iq", Element.self)
    ) { journal, iq in
        journal.note("once \(iq["type"] ?? "")")
    }

    /// Makes another request, and notes a refusal. `askingInVain` fails instead.
    static let asking = HandlerDefinition(
        "Test|asking", isSingleShot: true, HandlerParameter("journal", Journal.self),
        HandlerParameter("asker", Asker.self), HandlerParameter("session", StanzaWork.self)
    ) { journal, asker, work in
        do {
            try await asker.ask(in: work)
            journal.note("asked")
        } catch let error as HandlerError {
            journal.note("refused \(error.kind)")
        }
    }

    static let askingInVain = HandlerDefinition(
        "Test|askingInVain", isSingleShot: true, HandlerParameter("journal", Journal.self),
        HandlerParameter("asker", Asker.self), HandlerParameter("session", StanzaWork.self)
    ) { journal, asker, work in
        journal.note("asking")
        try await asker.ask(in: work)
    }

    /// Rejects its promise and sends a message.
    static let sending = HandlerDefinition(
        "Test|sending", HandlerParameter("promise", Promise<String>.self), HandlerParameter("work", DatabaseWork.self),
        HandlerParameter("session", StanzaWork.self)
    ) { promise, work, session in
        try promise.reject(PromiseRejection(code: "over", message: "no answer"), in: work)
        try session.send(xml("<message/>"))
    }

    /// Adds a change that fails.
    static let tooLarge = HandlerDefinition(
        "Test|tooLarge", HandlerParameter("journal", Journal.self), HandlerParameter("work", DatabaseWork.self)
    ) { journal, work in
        journal.note("too large")
        try work.add { _ in throw StanzaDatabaseError.recordTooLarge(table: "note", maximum: 1) }
    }

    struct Failure: Error {}

    static let handlers = [
        answered, ended, failing, slow, items, cancelled, closed, closing, closingAndFailing, deaf, held, once, asking,
        askingInVain, sending, tooLarge,
    ]

    func handler(
        _ name: HandlerName = "Test|answered", _ arguments: HandlerArguments = [:],
        invalidation: HandlerName = "Test|ended"
    ) throws -> Handler {
        try session.handlers.handler(name, invalidation: invalidation, binding: arguments)
    }
}

let query = xml("<iq type='get' to='room@chat.example.org' id='q1'><vCard xmlns='vcard-temp'/></iq>")
