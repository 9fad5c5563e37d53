// The table of requests: the handler, the deadline and the session of each. The durable session decides which answers
// count, and what happens without one. The row of a request owns its handler. Deleting the row ends the request.

public import Foundation
import GRDB
import Handlers
public import XMLTree
public import XMPPCore

/// A request that waits for its answer.
public struct StoredRequest: Sendable, Hashable {
    /// The number of the request: the database uses each number once. It is 0 until the request is stored.
    public let serial: Int64
    /// The `id` of the stanza and of its answer.
    public let id: String
    /// The `to` of the stanza.
    public let recipient: String?
    /// The kind of the handler's arguments, as the storing component names it.
    public let kind: String
    /// The stored form of the handler (`HandlerDispatcher.load(from:)`).
    public let handler: Data
    /// When the request is given up.
    public let deadline: Date?
    /// The seconds from the moment of storing to the deadline; `nil` if unknown.
    public let timeout: TimeInterval?
    /// Why the request ends without an answer for a handler; `nil` while an answer may come.
    public let end: End?

    /// Why a request ends. The raw values are stored, and the value stored last counts.
    public enum End: Int, Sendable {
        /// No answer will come: the session of the request is over.
        case lost = 1
        /// The answer came, and no handler could handle it.
        case notHandled = 2
        /// The answer came, and is beyond a limit of the parser.
        case rejected = 3
        /// No answer came in time.
        case timedOut = 4
        /// The answer came.
        case answered = 5
    }

    package init(
        serial: Int64 = 0, id: String, recipient: String?, kind: String, handler: Data, deadline: Date? = nil,
        timeout: TimeInterval? = nil, end: End? = nil
    ) {
        self.serial = serial
        self.id = id
        self.recipient = recipient
        self.kind = kind
        self.handler = handler
        self.deadline = deadline
        self.timeout = timeout
        self.end = end
    }
}

/// The argument that the handler of a request gets. The database stores the raw values.
package enum RequestKind: String {
    /// The answer.
    case iq
    /// The items of a node, or the error.
    case pubsubItems = "pubsub-items"
    /// The answer fulfills a promise, without a handler.
    case promise
    /// The answer is the value of a promise.
    case promisedAnswer = "promised-answer"

    /// Whether the row has a promise in place of a handler.
    package var hasPromise: Bool { self == .promise || self == .promisedAnswer }
}

/// A request that has ended, and that waits for a program that can load its handler.
public struct DeferredRequest: Sendable {
    /// The account of the request.
    public let account: JID
    /// The request, with the reason of its end.
    public let request: StoredRequest
    /// The answer; `nil` if the request has ended without one.
    public let answer: Element?
    /// Why the program could not load the handler.
    public let reason: String
    /// When it was deferred.
    public let since: Date
}

/// Requests within one transaction. The durable session changes them; others read them.
public struct RequestTransaction {
    let database: Database

    /// Stores a request.
    ///
    /// - Returns: `false` if another request of the account has the same `id`. Nothing is stored then.
    package func add(_ request: StoredRequest, of account: JID) throws -> Bool {
        try [
            request.id.databaseValue, request.recipient.databaseValue, request.kind.databaseValue,
            request.handler.databaseValue,
        ].checkStorable(table: "stanza_request")
        try database.run(
            """
            INSERT OR IGNORE INTO stanza_request (account, id, recipient, kind, handler, deadline, timeout, session)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT resumptionID FROM stanza_session WHERE account = ?1))
            """,
            [
                account.key, request.id, request.recipient, request.kind, request.handler,
                request.deadline?.timeIntervalSince1970, request.timeout,
            ])
        return database.changesCount > 0
    }

    /// Returns the request with this `id`.
    ///
    /// - Throws: `StanzaDatabaseError.invalidRecord` if it is unreadable; an error of GRDB.
    public func request(_ id: String, of account: JID) throws -> StoredRequest? {
        try rows("account = ? AND id = ? AND deferralReason IS NULL", [account.key, id]).first.map(request)
    }

    /// Returns the request with this serial number; `nil` if it has ended or is deferred.
    package func request(serial: Int64) throws -> StoredRequest? {
        try rows("serial = ? AND deferralReason IS NULL", [serial]).first.map(request)
    }

    /// Keeps a request that has ended, for a program that can load its handler. The caller has removed its row before,
    /// in the same transaction.
    package func deferRequest(
        _ request: StoredRequest, because end: StoredRequest.End, answer: Element?, reason: String, of account: JID,
        at date: Date
    ) throws {
        var (answer, end) = (answer.map { Data($0.xmlBytes(in: .clientStream)) }, end)
        // Written by us, an answer may be larger than it came. No program can handle it.
        if let size = answer?.count, size > PersistenceLimits.columnLength { (answer, end) = (nil, .notHandled) }
        try [reason.databaseValue, answer.databaseValue].checkStorable(table: "stanza_request")
        try database.run(
            """
            INSERT INTO stanza_request (serial, account, id, recipient, kind, handler, endReason, deferralReason,
                deferredAnswer, deferredSince)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                request.serial, account.key, request.id, request.recipient, request.kind, request.handler, end.rawValue,
                reason, answer, date.timeIntervalSince1970,
            ])
    }

    /// Returns the deferred requests of an account, the oldest first. Leaves out unreadable rows.
    ///
    /// - Throws: An error of GRDB.
    public func deferred(of account: JID) throws -> [DeferredRequest] {
        try rows("account = ? AND deferralReason IS NOT NULL", [account.key]).compactMap { try? deferred($0) }
    }

    /// Returns the deferred requests of all accounts, the oldest first. Leaves out unreadable rows.
    ///
    /// - Throws: An error of GRDB.
    public func deferred() throws -> [DeferredRequest] {
        try rows("deferralReason IS NOT NULL").compactMap { try? deferred($0) }
    }

    /// Ends a request. The row count decides which of several processes ends it.
    ///
    /// - Returns: Whether the request still waited.
    package func remove(_ serial: Int64, isDeferred: Bool = false) throws -> Bool {
        try database.run(
            "DELETE FROM stanza_request WHERE serial = ? AND (deferralReason IS NOT NULL) = ?", [serial, isDeferred])
        return database.changesCount > 0
    }

    /// Returns the requests that will not be answered any more, the oldest first: their session is over, or no handler
    /// could handle the answer. Leaves out unreadable rows: they must not keep the others from ending.
    package func lost(of account: JID) throws -> [StoredRequest] {
        try rows("account = ? AND endReason IS NOT NULL AND deferralReason IS NULL", [account.key])
            .compactMap { try? request($0) }
    }

    /// Returns the other requests that have a deadline, the oldest first. Leaves out unreadable rows.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - serial: Returns only requests that were stored after this one.
    package func timed(of account: JID, after serial: Int64) throws -> [StoredRequest] {
        try rows("account = ? AND serial > ? AND deadline IS NOT NULL AND endReason IS NULL", [account.key, serial])
            .compactMap { try? request($0) }
    }

    /// Stores why no handler is called with the answer to a request.
    package func end(_ serial: Int64, because end: StoredRequest.End) throws {
        try database.run("UPDATE stanza_request SET endReason = ?2 WHERE serial = ?1", [serial, end.rawValue])
    }

    /// Returns all open requests, the oldest first.
    ///
    /// - Throws: `StanzaDatabaseError.invalidRecord` if one of them is unreadable; an error of GRDB.
    public func requests(of account: JID) throws -> [StoredRequest] {
        try rows("account = ? AND deferralReason IS NULL", [account.key]).map(request)
    }

    /// Deletes all requests of an account that is removed, and rejects the promises of those without a handler.
    func removeAll(of account: JID) throws {
        let promises = PromiseTable(database: database)
        let now = try promises.lastMoment()?.time(by: SystemClock()) ?? Date()
        let rejection = PromiseRejection(
            code: "account-removed", message: "account-removed", account: account.key)
        let rows = try database.rows("SELECT kind, handler FROM stanza_request WHERE account = ?", [account.key])
        for reader in rows.map({ RowReader($0, table: "stanza_request") }) {
            // A damaged promise stays for the sweep.
            guard let kind: String = try? reader.value("kind"), RequestKind(rawValue: kind)?.hasPromise == true,
                let id = try? reader.uuid("handler"),
                var record = try? promises.promise(id), record.resolve(.rejected(rejection), at: now) == .resolved
            else { continue }
            try promises.update(record)
        }
        try database.run("DELETE FROM stanza_request WHERE account = ?", [account.key])
    }

    // MARK: Sessions

    /// Gives up all requests of an account whose stored session and waiting stanzas are gone.
    func loseAll(of account: JID) throws { try change("endReason = 1", where: "account = ?", [account.key]) }

    /// Gives up the requests that were sent in a session; with `nil`, those that were sent without one, while no stream
    /// runs. Requests whose stanzas wait to be sent, again or for the first time, continue.
    package func lose(of account: JID, sentIn session: String?) throws {
        let sent = "account = ?1 AND session IS ?2"
        let waiting = "SELECT id FROM stanza_outgoing WHERE account = ?1 AND id IS NOT NULL AND NOT isSent"
        try change("endReason = 1", where: "\(sent) AND id NOT IN (\(waiting))", [account.key, session])
        // They continue in the next session.
        try change("session = NULL", where: sent, [account.key, session])
    }

    /// Gives up a request whose stanza is not sent any more.
    func lose(_ id: String, of account: JID) throws {
        try change("endReason = 1", where: "account = ? AND id = ?", [account.key, id])
    }

    /// Adds the requests that were sent on its stream to a new resumable session.
    func join(_ session: String, of account: JID) throws {
        try change("session = ?2", where: "account = ?1 AND session IS NULL", [account.key, session])
    }

    /// Changes requests that have not ended.
    private func change(_ change: String, where condition: String, _ arguments: StatementArguments) throws {
        try database.run(
            "UPDATE stanza_request SET \(change) WHERE \(condition) AND deferralReason IS NULL AND endReason IS NULL",
            arguments)
    }

    // MARK: Rows

    /// The rows that meet a condition, the oldest first.
    private func rows(_ condition: String, _ arguments: StatementArguments = []) throws -> [Row] {
        try database.rows("SELECT * FROM stanza_request WHERE \(condition) ORDER BY serial", arguments)
    }

    private func request(_ row: Row) throws -> StoredRequest {
        let reader = RowReader(row, table: "stanza_request")
        let end: Int? = try reader.optional("endReason")
        return StoredRequest(
            serial: try reader.value("serial"), id: try reader.value("id"),
            recipient: try reader.optional("recipient"), kind: try reader.value("kind"),
            handler: try reader.value("handler"), deadline: try reader.optionalDate("deadline"),
            timeout: try reader.optionalSeconds("timeout"),
            // A later version may know other reasons.
            end: end.map { StoredRequest.End(rawValue: $0) ?? .notHandled })
    }

    private func deferred(_ row: Row) throws -> DeferredRequest {
        let reader = RowReader(row, table: "stanza_request")
        guard let account = JID(try reader.value("account") as String) else { throw reader.invalid }
        return DeferredRequest(
            account: account, request: try request(row), answer: try reader.optionalElement("deferredAnswer"),
            reason: try reader.value("deferralReason"), since: try reader.date("deferredSince"))
    }
}
