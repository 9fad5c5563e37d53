// The tables of stream management's sessions: changes in, rows out. StreamManagement's StorageChange.swift defines each
// change; SessionStorageTests compare both. DatabaseSession.swift decides which owner may change a session.

import Foundation
import GRDB
import StreamManagement
import XMLTree
public import XMPPCore

/// Stream management's sessions within one transaction.
public struct SessionTransaction {
    let database: Database

    /// Returns the stored session of an account; `nil` if none is stored.
    ///
    /// - Throws: `StanzaDatabaseError.invalidRecord` if no session can have written the rows, which ``remove(_:)``
    ///   deletes; an error of GRDB.
    public func session(of account: JID) throws -> StoredSession? {
        let row = try database.row("SELECT * FROM stanza_session WHERE account = ?", [account.key])
        guard let row else { return nil }
        let reader = RowReader(row, table: "stanza_session")
        var session = StoredSession(
            resumption: try resumption(reader), address: try reader.optional("address"),
            lastDisconnect: try reader.optionalDate("lastDisconnect"),
            handledByClient: try counter("handledByClient", reader),
            handledByServer: try counter("handledByServer", reader),
            isGreeted: try !reader.value("awaitsGreeting"), handlingAttempts: try reader.value("handlingAttempts"),
            unansweredResumptions: try reader.value("unansweredResumptions"))
        let rows = try database.cursor(
            "SELECT * FROM stanza_outgoing WHERE account = ? ORDER BY place, position", [account.key])
        while let row = try rows.next() {
            let reader = RowReader(row, table: "stanza_outgoing")
            switch try Place(rawValue: reader.value("place")) {
            case .queue: session.pending.append(try stanza(reader))
            case .undecided: session.undecided.append(try stanza(reader))
            case .held: session.held.append(try stanza(reader))
            case nil: throw reader.invalid
            }
        }
        return session
    }

    /// Returns the accounts that have a stored session. Leaves out rows of other texts than bare addresses, which no
    /// session stores.
    ///
    /// - Throws: An error of GRDB.
    public func accounts() throws -> [JID] {
        try database.column("SELECT account FROM stanza_session ORDER BY account").compactMap { (text: String) in
            JID(text).flatMap { $0.key.utf8.elementsEqual(text.utf8) ? $0 : nil }
        }
    }

    /// Deletes an account's stored session, readable or not, and gives up its requests. Their handlers are invalidated
    /// when the account has a session again. A stream that owns the session does not notice, so call it only while the
    /// session has no owner.
    ///
    /// - Throws: An error of GRDB.
    public func remove(_ account: JID) throws {
        try forget(account)
        try RequestTransaction(database: database).loseAll(of: account)
    }

    /// Deletes the rows of an account that the app removes: its session, its held stanzas, the identifiers of its
    /// handled stanzas, the strongest mechanism that authenticated it, and its requests, deferred ones included.
    /// Rejects the promises of requests without a handler with the code `account-removed`. Invalidates no handlers,
    /// so end the other promises of the account yourself. Call it only while the session has no owner.
    ///
    /// - Throws: An error of GRDB.
    public func removeAccount(_ account: JID) throws {
        try forget(account)
        try RequestTransaction(database: database).removeAll(of: account)
        for table in ["stanza_held", "stanza_handled", "stanza_mechanism", "stanza_sessionOwner"] {
            try database.run("DELETE FROM \(table) WHERE account = ?", [account.key])
        }
    }

    private func forget(_ account: JID) throws {
        try database.run("DELETE FROM stanza_outgoing WHERE account = ?", [account.key])
        try database.run("DELETE FROM stanza_session WHERE account = ?", [account.key])
    }

    // MARK: Owners

    /// Returns the session's owner, or the last one, which gave the session up; `nil` if the session never had an
    /// owner, or the app has removed the account.
    func owner(of account: JID) throws -> SessionOwner? {
        try database.row("SELECT * FROM stanza_sessionOwner WHERE account = ?", [account.key])
            .map {
                SessionOwner(
                    token: $0["token"], process: $0["process"], lease: Lease(boot: $0["boot"], end: $0["leaseEnd"]))
            }
    }

    func setOwner(of account: JID, to owner: SessionOwner) throws {
        try database.run(
            """
            INSERT OR REPLACE INTO stanza_sessionOwner (account, token, process, boot, leaseEnd) VALUES (?, ?, ?, ?, ?)
            """, [account.key, owner.token, owner.process, owner.lease.boot, owner.lease.end])
    }

    /// Returns the end of an owner's lease; `nil` if another owner has the session.
    func leaseEnd(of account: JID, _ token: Int64) throws -> TimeInterval? {
        try database.value(
            "SELECT leaseEnd FROM stanza_sessionOwner WHERE account = ? AND token = ?", [account.key, token])
    }

    /// Sets the end of an owner's lease; 0 gives the session up. Does nothing if another owner has it.
    func setLeaseEnd(_ end: TimeInterval, of account: JID, _ token: Int64) throws {
        try database.run(
            "UPDATE stanza_sessionOwner SET leaseEnd = ? WHERE account = ? AND token = ?", [end, account.key, token])
    }

    // MARK: Greetings

    /// Whether the app has greeted the stored session; `true` if none is stored.
    package func isGreeted(_ account: JID) throws -> Bool {
        try database.value("SELECT isGreeted FROM stanza_session WHERE account = ?", [account.key]) as Bool? ?? true
    }

    package func noteGreeting(_ account: JID) throws {
        try set("isGreeted = ?2", true, of: account)
    }

    // MARK: Repetitions

    /// Whether a process has handled a stanza of this sender with this identifier.
    package func hasHandled(_ id: String, from sender: String, of account: JID) throws -> Bool {
        try database.value(
            "SELECT EXISTS (SELECT 1 FROM stanza_handled WHERE account = ? AND sender = ? AND id = ?)",
            [account.key, sender, id]) as Bool? ?? false
    }

    /// Stores a handled stanza, and removes those beyond the limits.
    package func noteHandled(_ id: String, from sender: String, of account: JID, at date: Date) throws {
        try [id.databaseValue, sender.databaseValue].checkStorable(table: "stanza_handled")
        try database.run(
            """
            INSERT OR IGNORE INTO stanza_handled (account, number, sender, id, handled) VALUES (
                ?1, (SELECT ifnull(max(number), 0) + 1 FROM stanza_handled WHERE account = ?1), ?2, ?3, ?4)
            """, [account.key, sender, id, date.timeIntervalSince1970])
        try database.run(
            """
            DELETE FROM stanza_handled
            WHERE account = ?1 AND number <= (SELECT max(number) FROM stanza_handled WHERE account = ?1) - ?2
            """, [account.key, PersistenceLimits.handledStanzas])
        try database.run(
            "DELETE FROM stanza_handled WHERE handled < ?",
            [date.timeIntervalSince1970 - PersistenceLimits.handledStanzaAge])
    }

    // MARK: Held stanzas

    /// A stanza that no route took, and that waits for a route.
    public struct HeldStanza: Sendable, Hashable {
        /// The number of the stanza: the database uses each number once.
        public let number: Int64
        public let element: Element
        /// When it was held.
        public let date: Date
    }

    /// Returns held stanzas of an account, the oldest first. Leaves out unreadable rows.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - number: Returns only stanzas that were held after this one.
    ///   - limit: The largest number of stanzas.
    /// - Throws: An error of GRDB.
    public func heldStanzas(of account: JID, after number: Int64 = 0, limit: Int = 64) throws -> [HeldStanza] {
        let rows = try database.cursor(
            "SELECT * FROM stanza_held WHERE account = ? AND number > ? ORDER BY number", [account.key, number])
        var stanzas: [HeldStanza] = []
        while stanzas.count < limit, let row = try rows.next() {
            let reader = RowReader(row, table: "stanza_held")
            let stanza = try? HeldStanza(
                number: reader.value("number"), element: reader.element("element"), date: reader.date("held"))
            if let stanza { stanzas.append(stanza) }
        }
        return stanzas
    }

    /// Removes a held stanza.
    ///
    /// - Returns: Whether it was held. Of several processes, one removes it.
    /// - Throws: An error of GRDB.
    @discardableResult
    public func removeHeldStanza(_ number: Int64) throws -> Bool {
        try database.run("DELETE FROM stanza_held WHERE number = ?", [number])
        return database.changesCount > 0
    }

    /// Whether the account may hold another stanza. Written by us, that may be larger than it came.
    package func hasRoomToHold(_ stanza: Element, of account: JID) throws -> Bool {
        if stanza.xmlBytes(in: .clientStream).count > PersistenceLimits.columnLength { return false }
        return try database.value(
            "SELECT count(*) < ?2 AND ifnull(sum(length(element)), 0) < ?3 FROM stanza_held WHERE account = ?1",
            [account.key, PersistenceLimits.heldStanzas, PersistenceLimits.heldStanzaBytes]) as Bool? ?? false
    }

    /// Holds a stanza.
    package func hold(_ stanza: Element, of account: JID, at date: Date) throws {
        try database.run(
            "INSERT INTO stanza_held (account, element, held) VALUES (?, ?, ?)",
            [account.key, Data(stanza.xmlBytes(in: .clientStream)), date.timeIntervalSince1970])
    }

    // MARK: Changes

    /// Where a stanza waits.
    private enum Place: Int {
        case queue, undecided, held
    }

    func apply(_ change: StorageChange, to account: JID) throws {
        switch change {
        case .remove, .replace, .begin: break
        default: try database.run("INSERT OR IGNORE INTO stanza_session (account) VALUES (?)", [account.key])
        }
        switch change {
        case .remove:
            try changeSession(of: account, to: nil) { try forget(account) }
        case .replace(let session):
            try changeSession(of: account, to: session) { try replace(session, of: account) }
        case .begin(let session):
            try changeSession(of: account, to: session, keepingStanzas: true) { try replaceRow(session, of: account) }
        case .append(let stanza): try append(stanza, .queue, to: account)
        case .hold(let stanza): try append(stanza, .held, to: account)
        case .release(let numbers): try release(numbers, of: account)
        case .greeted:
            try set("awaitsGreeting = ?2", false, of: account)
        case .sendWaiting(let date, let count):
            try database.run(
                """
                UPDATE stanza_outgoing SET isSent = 1, firstSent = ifnull(firstSent, ?2)
                WHERE account = ?1 AND place = 0 AND position IN (
                    SELECT position FROM stanza_outgoing WHERE account = ?1 AND place = 0 AND isSent = 0
                    ORDER BY position LIMIT ?3
                )
                """, [account.key, date.timeIntervalSince1970, max(count, 0)])
        case .blameSent:
            // A sum that does not fit would become a real number.
            try database.run(
                """
                UPDATE stanza_outgoing SET losses = min(losses, ?2 - 1) + 1
                WHERE account = ?1 AND place = 0 AND isSent = 1
                """, [account.key, Int.max])
        case .identify(let number, let id):
            try database.run(
                "UPDATE stanza_outgoing SET id = ?3 WHERE account = ?1 AND number = ?2",
                [account.key, Int64(bitPattern: number.rawValue), id.rawValue])
        case .withdraw(let number):
            try database.run(
                "DELETE FROM stanza_outgoing WHERE account = ?1 AND place IN (0, 2) AND number = ?2 AND isSent = 0",
                [account.key, Int64(bitPattern: number.rawValue)])
        case .acknowledge(let counter, let count):
            try acknowledge(counter, count, of: account)
        case .handled(let counter):
            try set("handledByClient = ?2, handlingAttempts = 0", counter.rawValue, of: account)
        case .lastDisconnect(let date):
            try set("lastDisconnect = ?2", date.timeIntervalSince1970, of: account)
        case .handlingAttempts(let attempts):
            try set("handlingAttempts = ?2", attempts, of: account)
        case .unansweredResumptions(let count):
            try set("unansweredResumptions = ?2", count, of: account)
        }
    }

    /// Changes the row of a session: the value is `?2`.
    private func set(_ change: String, _ value: any DatabaseValueConvertible, of account: JID) throws {
        try database.run("UPDATE stanza_session SET \(change) WHERE account = ?1", [account.key, value])
    }

    /// Requests end with the session that they were sent in, and with a stanza that the session gives up: in the same
    /// transaction, so that no kill comes in between.
    private func changeSession(
        of account: JID, to new: StoredSession?, keepingStanzas: Bool = false, _ change: () throws -> Void
    ) throws {
        let old =
            try database.value("SELECT resumptionID FROM stanza_session WHERE account = ?", [account.key]) as String?
        let former = keepingStanzas ? [] : try formerIDs(of: account, acknowledgedBy: new?.handledByServer)
        try change()
        let requests = RequestTransaction(database: database)
        let stanzas = (new?.pending ?? []) + (new?.undecided ?? []) + (new?.held ?? [])
        let kept = Set(stanzas.compactMap { $0.id?.rawValue })
        for id in former where !kept.contains(id) { try requests.lose(id, of: account) }
        let newID = new?.resumption?.id.rawValue
        if old == newID { return }
        if let old { try requests.lose(of: account, sentIn: old) }
        if let newID { try requests.join(newID, of: account) }
    }

    /// The ids of the stanzas that a change may give up: those that wait for a decision of the application or to be
    /// released, and those that the server has not acknowledged.
    private func formerIDs(of account: JID, acknowledgedBy count: StanzaCounter?) throws -> [String] {
        let undecided: [String] = try database.column(
            "SELECT id FROM stanza_outgoing WHERE account = ? AND place IN (1, 2) AND id IS NOT NULL", [account.key])
        return try undecided + unacknowledged(of: account, by: count)
    }

    /// The ids of the stanzas that the server has not acknowledged with this count.
    private func unacknowledged(of account: JID, by count: StanzaCounter?) throws -> [String] {
        let ids: [String?] = try database.column(
            "SELECT id FROM stanza_outgoing WHERE account = ? AND place = 0 ORDER BY position", [account.key])
        let before =
            try database.value("SELECT handledByServer FROM stanza_session WHERE account = ?", [account.key]) as UInt32?
        guard let count, let before else { return ids.compactMap(\.self) }
        let acknowledged = Int(count.distance(from: StanzaCounter(rawValue: before)))
        // Another session counts from zero, and acknowledges nothing of this one.
        return ids.dropFirst(acknowledged <= ids.count ? acknowledged : 0).compactMap(\.self)
    }

    private func replace(_ session: StoredSession, of account: JID) throws {
        try database.run("DELETE FROM stanza_outgoing WHERE account = ?", [account.key])
        try replaceRow(session, of: account)
        for stanza in session.pending { try append(stanza, .queue, to: account) }
        for stanza in session.undecided { try append(stanza, .undecided, to: account) }
        for stanza in session.held { try append(stanza, .held, to: account) }
    }

    /// Replaces the session without its stanzas.
    private func replaceRow(_ session: StoredSession, of account: JID) throws {
        let resumptionID = session.resumption?.id.rawValue
        // A new session is not greeted yet.
        let isGreeted =
            try database.value(
                "SELECT isGreeted FROM stanza_session WHERE account = ? AND resumptionID IS ?",
                [account.key, resumptionID]) as Bool?
        try database.run(
            """
            INSERT OR REPLACE INTO stanza_session (account, resumptionID, maximum, location, address, lastDisconnect,
                handledByClient, handledByServer, handlingAttempts, isGreeted, unansweredResumptions,
                awaitsGreeting)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                account.key, resumptionID, session.resumption?.maximum, session.resumption?.location?.description,
                session.address, session.lastDisconnect?.timeIntervalSince1970, session.handledByClient.rawValue,
                session.handledByServer.rawValue, session.handlingAttempts, isGreeted ?? false,
                session.unansweredResumptions, !session.isGreeted,
            ])
    }

    private func append(_ stanza: OutgoingStanza, _ place: Place, to account: JID) throws {
        let element = stanza.element.xmlBytes(in: .clientStream)
        guard element.count <= PersistenceLimits.columnLength else {
            throw StanzaDatabaseError.recordTooLarge(table: "stanza_outgoing", maximum: PersistenceLimits.columnLength)
        }
        try database.run(
            """
            INSERT INTO stanza_outgoing (account, place, position, number, id, element, firstSent, isSent, losses)
            VALUES (?1, ?2, (
                SELECT ifnull(max(position), 0) + 1 FROM stanza_outgoing WHERE account = ?1 AND place = ?2
            ), ?3, ?4, ?5, ?6, ?7, ?8)
            """,
            [
                account.key, place.rawValue, Int64(bitPattern: stanza.number.rawValue), stanza.id?.rawValue,
                Data(element), stanza.firstSent?.timeIntervalSince1970, stanza.isSent, stanza.losses,
            ])
    }

    /// Moves held stanzas to the end of the queue, in their order.
    private func release(_ numbers: [OutgoingNumber], of account: JID) throws {
        let last =
            try database.value(
                "SELECT max(position) FROM stanza_outgoing WHERE account = ? AND place = 0", [account.key]) as Int64?
        let held = try database.rows(
            "SELECT position, number FROM stanza_outgoing WHERE account = ? AND place = 2 ORDER BY position",
            [account.key])
        let released = Set(numbers.map { Int64(bitPattern: $0.rawValue) })
        let positions: [Int64] = held.filter { released.contains($0["number"]) }.map { $0["position"] }
        for (index, position) in positions.enumerated() {
            try database.run(
                """
                UPDATE stanza_outgoing SET place = 0, position = ?3
                WHERE account = ?1 AND place = 2 AND position = ?2
                """, [account.key, position, (last ?? 0) + Int64(index) + 1])
        }
    }

    /// Removes the acknowledged stanzas from the front, which leaves a gap in the numbering of positions.
    private func acknowledge(_ counter: StanzaCounter, _ count: Int, of account: JID) throws {
        try set("handledByServer = ?2", counter.rawValue, of: account)
        try database.run(
            """
            DELETE FROM stanza_outgoing WHERE account = ?1 AND place = 0 AND position IN (
                SELECT position FROM stanza_outgoing WHERE account = ?1 AND place = 0 ORDER BY position LIMIT ?2
            )
            """, [account.key, max(count, 0)])
    }

    // MARK: Rows

    private func counter(_ column: String, _ reader: RowReader) throws -> StanzaCounter {
        StanzaCounter(rawValue: try reader.value(column))
    }

    private func resumption(_ reader: RowReader) throws -> Resumption? {
        guard let text: String = try reader.optional("resumptionID") else { return nil }
        guard let id = ResumptionID(rawValue: text) else { throw reader.invalid }
        var location: ServerLocation?
        if let text: String = try reader.optional("location") {
            location = ServerLocation(text)
            if location == nil { throw reader.invalid }
        }
        return Resumption(id: id, maximum: try reader.optional("maximum"), location: location)
    }

    private func stanza(_ reader: RowReader) throws -> OutgoingStanza {
        let number: Int64 = try reader.value("number")
        let id: String? = try reader.optional("id")
        return OutgoingStanza(
            number: OutgoingNumber(rawValue: UInt64(bitPattern: number)), id: id.map(StanzaID.init(rawValue:)),
            element: try reader.element("element"), firstSent: try reader.optionalDate("firstSent"),
            isSent: try reader.value("isSent"), losses: try reader.value("losses"))
    }
}

extension JID {
    /// The text by which the tables know an account: that of its bare address.
    var key: String { bare.description }
}
