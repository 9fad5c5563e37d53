// The table of requests: whose answer calls which handler, until when, and in which session. What an answer is, and
// what is done when none comes, is the durable session's business.

public import Foundation
import GRDB

/// A request that waits for its answer.
public struct StoredRequest: Sendable, Hashable {
    /// Identifies the request for good: the database uses each number once. It is 0 until the request is stored.
    public let serial: Int64
    /// The `id` of the stanza, which its answer has, too.
    public let id: String
    /// The `to` of the stanza.
    public let recipient: String?
    /// What the handler is called with, in words of whoever stores it.
    public let kind: String
    /// The stored handler.
    public let handler: UUID
    /// When it is given up.
    public let deadline: Date?
    /// After how many seconds that is, counted from when it was stored; `nil` where that is not known.
    public let timeout: TimeInterval?
    /// Why it ends without an answer that a handler is called with; `nil` while one may come.
    public let end: End?

    /// Why a request ends. The raw values are stored, and what was stored later counts.
    public enum End: Int, Sendable {
        /// No answer will come: the session is over that it was sent in.
        case lost = 1
        /// Its answer came, and nobody could handle it.
        case notHandled = 2
        /// Its answer came, and is beyond a limit of the parser.
        case rejected = 3
    }

    package init(
        serial: Int64 = 0, id: String, recipient: String?, kind: String, handler: UUID, deadline: Date? = nil,
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

/// The other occasions of a request's handler.
package struct HandlerSharing: Sendable, Hashable {
    /// The serials of the other requests.
    package let serials: Set<Int64>
    package let hasParkedCall: Bool

    /// Whether anything is left when those requests have ended.
    package func isShared(without ended: Set<Int64>) -> Bool { hasParkedCall || !serials.isSubset(of: ended) }
}

/// Requests inside of one transaction. They are the durable session's: others look at them.
public struct RequestTransaction {
    let database: Database

    /// Stores a request.
    /// - Returns: `false` if another one of that account has the same `id`, and nothing was stored.
    package func add(_ request: StoredRequest, of account: String) throws -> Bool {
        try [request.id.databaseValue, request.recipient.databaseValue, request.kind.databaseValue]
            .checkLengths(table: "request")
        try statement(
            """
            INSERT OR IGNORE INTO request (account, id, recipient, kind, handler, deadline, timeout, session)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT resumptionID FROM streamSession WHERE account = ?1))
            """
        ).execute(arguments: [
            account, request.id, request.recipient, request.kind, request.handler.data,
            request.deadline?.timeIntervalSince1970, request.timeout,
        ])
        return database.changesCount > 0
    }

    /// The request of that `id`.
    public func request(_ id: String, of account: String) throws -> StoredRequest? {
        try Row.fetchOne(
            statement("SELECT * FROM request WHERE account = ? AND id = ?"), arguments: [account, id]
        ).map(request)
    }

    /// The request with that serial number; `nil` if it has ended.
    package func request(serial: Int64) throws -> StoredRequest? {
        try Row.fetchOne(statement("SELECT * FROM request WHERE serial = ?"), arguments: [serial]).map(request)
    }

    /// Whether a request still waits.
    package func contains(_ serial: Int64) throws -> Bool {
        try Bool.fetchOne(
            statement("SELECT EXISTS (SELECT 1 FROM request WHERE serial = ?)"), arguments: [serial]) ?? false
    }

    /// Ends a request. The row count decides which of several processes ends it.
    /// - Returns: Whether it still waited.
    package func remove(_ serial: Int64) throws -> Bool {
        try statement("DELETE FROM request WHERE serial = ?").execute(arguments: [serial])
        return database.changesCount > 0
    }

    /// The requests that will not be answered any more, because their session is over, or their time, or because nobody
    /// could handle the answer. Rows that cannot be read are left out: they must not keep the others from being ended.
    package func ended(of account: String, at date: Date) throws -> [StoredRequest] {
        try Row.fetchAll(
            statement("SELECT * FROM request WHERE account = ?1 AND (isLost <> 0 OR deadline <= ?2) ORDER BY serial"),
            arguments: [account, date.timeIntervalSince1970]
        ).compactMap { try? request($0) }
    }

    /// Whether a request waits to call that handler, or a call of it waits for a program that can load it.
    package func uses(_ handler: UUID) throws -> Bool {
        try Bool.fetchOne(
            statement(
                """
                SELECT EXISTS (SELECT 1 FROM request WHERE handler = ?1)
                    OR EXISTS (SELECT 1 FROM parkedCall WHERE handler = ?1)
                """), arguments: [handler.data]) ?? false
    }

    /// The other requests that wait to call the same handler, and whether a call of it waits for a program that can
    /// load it.
    package func sharing(_ request: StoredRequest) throws -> HandlerSharing {
        let serials = try Int64.fetchSet(
            statement("SELECT serial FROM request WHERE handler = ?1 AND serial <> ?2"),
            arguments: [request.handler.data, request.serial])
        let hasParkedCall = try Bool.fetchOne(
            statement("SELECT EXISTS (SELECT 1 FROM parkedCall WHERE handler = ?1)"),
            arguments: [request.handler.data])
        return HandlerSharing(serials: serials, hasParkedCall: hasParkedCall ?? false)
    }

    /// Notes why no handler is called with the answer to a request.
    package func end(_ serial: Int64, because end: StoredRequest.End) throws {
        try statement("UPDATE request SET isLost = ?2 WHERE serial = ?1").execute(arguments: [serial, end.rawValue])
    }

    /// All open requests, the oldest first.
    /// - Throws: `StanzaDatabaseError.invalidRecord` if one of them cannot be read.
    public func requests(of account: String) throws -> [StoredRequest] {
        try Row.fetchAll(statement("SELECT * FROM request WHERE account = ? ORDER BY serial"), arguments: [account])
            .map(request)
    }

    /// Those that will not be answered any more, and those that have a deadline. Rows that cannot be read are left out,
    /// as `ended(of:at:)` does.
    package func lostOrTimed(of account: String) throws -> [StoredRequest] {
        try Row.fetchAll(
            statement(
                """
                SELECT * FROM request WHERE account = ? AND (isLost <> 0 OR deadline IS NOT NULL) ORDER BY serial
                """), arguments: [account]
        ).compactMap { try? request($0) }
    }

    /// Gives up those that were sent on a stream without a resumable session. Call it while there is no stream.
    package func loseUnresumable(of account: String) throws {
        try loseForgotten(of: account)
        try lose(of: account, sentIn: nil)
    }

    /// Whether some were sent in a session that is not the stored one: whoever has forgotten that knew nothing of
    /// requests.
    package func hasForgotten(of account: String) throws -> Bool { try !forgottenSessions(of: account).isEmpty }

    /// Gives them up.
    package func loseForgotten(of account: String) throws {
        for session in try forgottenSessions(of: account) { try lose(of: account, sentIn: session) }
    }

    private func forgottenSessions(of account: String) throws -> [String] {
        try String.fetchAll(
            statement(
                """
                SELECT DISTINCT session FROM request WHERE account = ?1 AND isLost = 0 AND session IS NOT NULL
                    AND session IS NOT (SELECT resumptionID FROM streamSession WHERE account = ?1)
                """), arguments: [account])
    }

    /// Gives up all: what is stored of the account is gone, and with it what waited to be sent.
    func loseAll(of account: String) throws {
        try statement("UPDATE request SET isLost = 1 WHERE account = ? AND isLost = 0").execute(arguments: [account])
    }

    // MARK: Sessions

    /// Those that wait to be sent, again or for the first time, go on.
    func lose(of account: String, sentIn session: String?) throws {
        try statement(
            """
            UPDATE request SET isLost = 1 WHERE account = ?1 AND session IS ?2 AND isLost = 0 AND NOT EXISTS (
                SELECT 1 FROM outgoingStanza
                WHERE outgoingStanza.account = ?1 AND outgoingStanza.id = request.id AND NOT isSent)
            """
        ).execute(arguments: [account, session])
        // They go on in whatever session comes next.
        try statement("UPDATE request SET session = NULL WHERE account = ?1 AND session IS ?2 AND isLost = 0")
            .execute(arguments: [account, session])
    }

    /// A request whose stanza was asked about ends, unless that is to be sent.
    func loseUnlessStored(_ id: String, of account: String) throws {
        try statement(
            """
            UPDATE request SET isLost = 1 WHERE account = ?1 AND id = ?2 AND isLost = 0 AND NOT EXISTS (
                SELECT 1 FROM outgoingStanza WHERE outgoingStanza.account = ?1 AND outgoingStanza.id = ?2)
            """
        ).execute(arguments: [account, id])
    }

    /// A resumable session begins, with all that was sent on its stream.
    func join(_ session: String, of account: String) throws {
        try statement("UPDATE request SET session = ?2 WHERE account = ?1 AND session IS NULL AND isLost = 0")
            .execute(arguments: [account, session])
    }

    // MARK: Rows

    private func statement(_ sql: String) throws -> Statement { try database.cachedStatement(sql: sql) }

    private func request(_ row: Row) throws -> StoredRequest {
        let reader = RowReader(row, table: "request")
        let end: Int = try reader.value("isLost")
        return StoredRequest(
            serial: try reader.value("serial"), id: try reader.value("id"),
            recipient: try reader.optional("recipient"), kind: try reader.value("kind"),
            handler: try reader.uuid("handler"), deadline: try reader.optionalDate("deadline"),
            timeout: try reader.optionalSeconds("timeout"),
            // A later version may know other reasons.
            end: end == 0 ? nil : StoredRequest.End(rawValue: end) ?? .notHandled)
    }
}
