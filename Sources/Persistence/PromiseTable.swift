// The table of promises: records in, records out. Module Handlers has the rules.

import Foundation
import GRDB
import Handlers

/// Promises within one transaction.
struct PromiseTable: PromiseTransaction {
    let database: Database

    func promise(_ id: UUID) throws -> PromiseRecord? {
        try database.row("SELECT * FROM stanza_promise WHERE id = ?", [id.data]).map(Self.record)
    }

    func promise(key: String) throws -> PromiseRecord? {
        // SQLite would look for the part before the NUL character.
        if key.utf8.contains(0) { return nil }
        return try database.row("SELECT * FROM stanza_promise WHERE key = ?", [key]).map(Self.record)
    }

    func insert(_ record: PromiseRecord) throws {
        if let key = record.key, try promise(key: key) != nil { throw PromiseError.keyTaken(key) }
        let values = Self.changeable(of: record)
            .merging([
                "key": record.key?.databaseValue ?? .null, "type": record.type.databaseValue,
                "timeout": record.timeout?.databaseValue ?? .null, "retention": record.retention.databaseValue,
            ]) { first, _ in first }
        let columns = values.keys.sorted()
        try run(
            "INSERT INTO stanza_promise (\(columns.joined(separator: ", "))) VALUES (:\(columns.joined(separator: ", :")))",
            values)
    }

    func update(_ record: PromiseRecord) throws {
        let values = Self.changeable(of: record)
        let changes = values.keys.sorted().map { "\($0) = :\($0)" }.joined(separator: ", ")
        try run("UPDATE stanza_promise SET \(changes) WHERE id = :id", values)
    }

    private func run(_ sql: String, _ values: [String: DatabaseValue]) throws {
        try values.values.checkStorable(table: "stanza_promise")
        try database.run(sql, StatementArguments(values))
    }

    func remove(_ id: UUID) throws {
        try database.run("DELETE FROM stanza_promise WHERE id = ?", [id.data])
    }

    func duePromises(at now: Date, limit: Int) throws -> [PromiseRecord] {
        try records(
            """
            SELECT * FROM stanza_promise
            WHERE (state = 0 AND deadline <= ?1) OR (state = 0 AND timeout IS NOT NULL AND created > ?1)
            """, [now.timeIntervalSince1970], limit)
    }

    func expiredPromises(at now: Date, limit: Int) throws -> [PromiseRecord] {
        try records("SELECT * FROM stanza_promise WHERE expiry <= ?", [now.timeIntervalSince1970], limit)
    }

    func allPromises() throws -> [PromiseRecord] {
        try records("SELECT * FROM stanza_promise ORDER BY created", [])
    }

    func removeDamaged(limit: Int) throws -> [DamagedPromise] {
        var damaged: [(row: Int64, promise: DamagedPromise)] = []
        let rows = try database.cursor("SELECT rowid, * FROM stanza_promise")
        while damaged.count < limit, let row = try rows.next() {
            if (try? Self.record(row)) != nil { continue }
            let reader = RowReader(row, table: "stanza_promise")
            let promise = DamagedPromise(id: try? reader.uuid("id"), key: try? reader.optional("key"))
            damaged.append((row["rowid"], promise))
        }
        for (row, _) in damaged { try database.run("DELETE FROM stanza_promise WHERE rowid = ?", [row]) }
        return damaged.map(\.promise)
    }

    func lastMoment() throws -> PromiseMoment? {
        guard let row = try database.row("SELECT * FROM stanza_clock WHERE id = 1") else { return nil }
        let reader = RowReader(row, table: "stanza_clock")
        return try? PromiseMoment(
            time: reader.date("time"), date: reader.date("date"), uptime: reader.seconds("uptime"),
            boot: reader.optional("boot"))
    }

    func note(_ moment: PromiseMoment) throws {
        try database.run(
            "INSERT OR REPLACE INTO stanza_clock (id, time, date, uptime, boot) VALUES (1, ?, ?, ?, ?)",
            [moment.time.timeIntervalSince1970, moment.date.timeIntervalSince1970, moment.uptime, moment.boot])
    }

    func unreadableCount() throws -> Int {
        try database.rows("SELECT * FROM stanza_promise").count { (try? Self.record($0)) == nil }
    }

    // MARK: Rows

    /// Leaves out unreadable rows.
    private func records(
        _ sql: String, _ arguments: StatementArguments, _ limit: Int = .max
    ) throws -> [PromiseRecord] {
        let rows = try database.cursor(sql, arguments)
        var records: [PromiseRecord] = []
        while records.count < limit, let row = try rows.next() {
            if let record = try? Self.record(row) { records.append(record) }
        }
        return records
    }

    private static func changeable(of record: PromiseRecord) -> [String: DatabaseValue] {
        var values: [String: DatabaseValue] = [
            "id": record.id.data.databaseValue,
            "created": record.created.timeIntervalSince1970.databaseValue,
            "state": record.state.rawValue.databaseValue,
            "resolved": record.resolved?.timeIntervalSince1970.databaseValue ?? .null,
            "acknowledged": record.acknowledged?.timeIntervalSince1970.databaseValue ?? .null,
            "expiry": (record.expiry?.timeIntervalSince1970 ?? .infinity).databaseValue,
            "payload": .null, "code": .null, "message": .null, "stanza": .null, "account": .null,
        ]
        switch record.outcome {
        case .fulfilled(let payload): values["payload"] = payload.bytes.databaseValue
        case .rejected(let rejection):
            values["code"] = Data(rejection.code.utf8).databaseValue
            values["message"] = Data(rejection.message.utf8).databaseValue
            values["stanza"] = rejection.stanza.map { Data($0.utf8).databaseValue } ?? .null
            values["account"] = rejection.account.map { Data($0.utf8).databaseValue } ?? .null
        case .timedOut, .canceled, nil: break
        }
        return values
    }

    private static func record(_ row: Row) throws -> PromiseRecord {
        let reader = RowReader(row, table: "stanza_promise")
        guard let state = PromiseState(rawValue: try reader.value("state")) else { throw reader.invalid }
        let type: String = try reader.value("type")
        let outcome: PromiseOutcome?
        switch state {
        case .pending: outcome = nil
        case .fulfilled: outcome = .fulfilled(PromisePayload(type: type, bytes: try reader.value("payload")))
        case .rejected:
            outcome = .rejected(
                PromiseRejection(
                    code: try reader.text("code"), message: try reader.text("message"),
                    stanzaXML: try reader.optionalText("stanza"), account: try reader.optionalText("account")))
        case .timedOut: outcome = .timedOut
        case .canceled: outcome = .canceled
        }
        return PromiseRecord(
            id: try reader.uuid("id"), key: try reader.optional("key"), type: type, created: try reader.date("created"),
            timeout: try reader.optionalSeconds("timeout"), retention: try reader.seconds("retention"),
            outcome: outcome, resolved: try reader.optionalDate("resolved"),
            acknowledged: try reader.optionalDate("acknowledged"))
    }
}
