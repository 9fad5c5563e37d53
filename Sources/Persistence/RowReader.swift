// Reads columns of rows that any program may have written: an unexpected value is an error, never a trap.

import Foundation
import GRDB

/// The columns of one row.
struct RowReader {
    private let row: Row
    private let table: String

    init(_ row: Row, table: String) {
        self.row = row
        self.table = table
    }

    var invalid: StanzaDatabaseError { .invalidRecord(table: table) }

    func optional<Value: DatabaseValueConvertible>(_ column: String) throws(StanzaDatabaseError) -> Value? {
        guard let stored: DatabaseValue = row[column] else { throw invalid }
        if stored.isNull { return nil }
        if stored.length > PersistenceLimits.columnLength { throw invalid }
        guard let value = Value.fromDatabaseValue(stored) else { throw invalid }
        return value
    }

    func value<Value: DatabaseValueConvertible>(_ column: String) throws(StanzaDatabaseError) -> Value {
        guard let value: Value = try optional(column) else { throw invalid }
        return value
    }

    func optionalDate(_ column: String) throws(StanzaDatabaseError) -> Date? {
        try optionalSeconds(column).map(Date.init(timeIntervalSince1970:))
    }

    /// Reads a time or duration. Refuses those that do not fit into a `Duration`, and infinite ones, whose sums may not
    /// be numbers.
    func optionalSeconds(_ column: String) throws(StanzaDatabaseError) -> Double? {
        let seconds: Double? = try optional(column)
        if let seconds, !(abs(seconds) <= PersistenceLimits.longestSeconds) { throw invalid }
        return seconds
    }

    func seconds(_ column: String) throws(StanzaDatabaseError) -> Double {
        guard let seconds = try optionalSeconds(column) else { throw invalid }
        return seconds
    }

    func date(_ column: String) throws(StanzaDatabaseError) -> Date {
        guard let date = try optionalDate(column) else { throw invalid }
        return date
    }

    func uuid(_ column: String) throws(StanzaDatabaseError) -> UUID {
        try UUID(stored: try value(column), table: table)
    }
}

extension DatabaseValue {
    /// The bytes of a text or a blob; 0 for other values, which are short.
    fileprivate var length: Int {
        switch storage {
        case .string(let text): text.utf8.count
        case .blob(let data): data.count
        case .null, .int64, .double: 0
        }
    }
}

extension Sequence<DatabaseValue> {
    /// Throws if a value is too long to be read back.
    func checkLengths(table: String) throws(StanzaDatabaseError) {
        if contains(where: { $0.length > PersistenceLimits.columnLength }) {
            throw .recordTooLarge(table: table, maximum: PersistenceLimits.columnLength)
        }
    }
}

extension UUID {
    /// The sixteen bytes.
    var data: Data { withUnsafeBytes(of: uuid) { Data($0) } }

    /// Reads the bytes of a table.
    init(stored bytes: Data, table: String) throws(StanzaDatabaseError) {
        guard bytes.count == 16 else { throw .invalidRecord(table: table) }
        self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }
}

extension [String: DatabaseValue] {
    var statementArguments: StatementArguments { StatementArguments(self) }
}
