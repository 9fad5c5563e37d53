// Writes one of everything into a database. Before you add a migration, make a database of the last version with it,
// in Tests/PersistenceTests/Fixtures, and name it after its last migration. Every later version has to open them.

import Foundation
import Handlers
import Persistence
import Promises
import StreamManagement
import XMLTree
import XMPPCore

/// The content of a fixture's database.
enum Fixture {
    /// About a hundred years.
    private static let retention = Duration.seconds(3_000_000_000)

    static func write(to database: StanzaDatabase) async throws {
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        func promise(_ key: String, timeout: Duration? = nil) async throws -> Promise<String> {
            try await promises.create(String.self, key: key, timeout: timeout, retention: retention)
        }
        let asked = try await promise("pending")
        _ = try await promise("late", timeout: .seconds(1))
        try await promise("fulfilled").fulfill("done \u{0} é")
        let stanza = try Element(parsing: "<iq xmlns='jabber:client' type='error'/>")
        try await promise("rejected").reject(
            PromiseRejection(code: "forbidden", message: "no", stanza: stanza, account: "juliet@example.org"))
        try await promise("cancelled").cancel()
        let consumed = try await promise("consumed")
        try await consumed.fulfill("shown")
        _ = try await consumed.value

        let handlers = HandlerDispatcher(
            registry: try HandlerRegistry(handlers: [Answered.definition]), store: database)
        let waiting = try handlers.handler("Probe|answered", binding: ["promise": asked])
        try await handlers.store(waiting)
        let ended = try handlers.handler("Probe|answered", binding: ["promise": consumed])
        try await handlers.store(ended)
        try await handlers.invalidate(ended, because: .timedOut)
        // A program that does not know the handler defers its calls.
        let older = HandlerDispatcher(registry: try HandlerRegistry(), store: database)
        for words in ["first", "second"] { try await older.call(stored: waiting.id, ["words": words]) }

        let session = try database.openSession("juliet@example.org")
        var stream = StreamManagementCore()
        for event: StreamManagementCore.Event in [
            .enable(resumption: true, maximum: nil, address: "juliet@example.org/balcony"),
            .received(
                try Element(
                    parsing: "<enabled xmlns='urn:xmpp:sm:3' id='s1' resume='true' max='600'/>", in: .clientStream)),
            .send(try Element(parsing: "<message id='m1'/>", in: .clientStream), id: nil),
        ] {
            for case .store(let change, let urgency) in try stream.handle(
                event, at: Moment(uptime: .seconds(1), date: Date()))
            {
                try session.write([change], urgency)
            }
        }
        session.close()
        try await writeRequests(to: database, handlers)
    }

    /// A session whose process ends with open requests, and with a stanza that it could not handle twice.
    private static func writeRequests(to database: StanzaDatabase, _ handlers: HandlerDispatcher) async throws {
        let account: JID = "romeo@example.org"
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let session = try database.openSession(account)
        let resumption = ResumptionID("s2").map { Resumption(id: $0) }
        try session.write([.replace(StoredSession(resumption: resumption, handlingAttempts: 2))], .immediate)
        for (id, timeout) in [("open", nil), ("late", 1), ("lost", nil)] as [(String, TimeInterval?)] {
            let promise = try await promises.create(String.self, key: id + " request", retention: retention)
            let handler = try handlers.handler("Probe|answered", binding: ["promise": promise])
            try await handlers.store(handler)
            try await database.write { transaction in
                let request = StoredRequest(
                    id: id, recipient: nil, kind: "iq", handler: handler.id,
                    deadline: timeout.map { Date().addingTimeInterval($0) }, timeout: timeout)
                _ = try transaction.requests.add(request, of: account)
            }
        }
        try database.endRequest("lost", of: account, because: .notHandled) { _ in true }
        // The session stays open, so that the next process finds the owner's row.
        withExtendedLifetime(session) {}
    }
}
