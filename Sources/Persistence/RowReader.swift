// Reads columns of rows that any program may have written: an unexpected value is an error, never a trap.

import Foundation
import GRDB
import SafeText
import XMLTree

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

    private func required<Value>(_ value: Value?) throws(StanzaDatabaseError) -> Value {
        guard let value else { throw invalid }
        return value
    }

    func value<Value: DatabaseValueConvertible>(_ column: String) throws(StanzaDatabaseError) -> Value {
        try required(optional(column))
    }

    /// Reads a text that is stored as bytes, because it may have NUL characters.
    func optionalText(_ column: String) throws(StanzaDatabaseError) -> String? {
        guard let bytes: Data = try optional(column) else { return nil }
        guard let text = String(validUTF8: bytes) else { throw invalid }
        return text
    }

    func text(_ column: String) throws(StanzaDatabaseError) -> String { try required(optionalText(column)) }

    /// Reads a stanza of a client's stream.
    func optionalElement(_ column: String) throws(StanzaDatabaseError) -> Element? {
        guard let bytes: Data = try optional(column) else { return nil }
        let limits = ParserLimits(bytes: PersistenceLimits.columnLength)
        guard let element = try? Element(parsing: bytes, in: .clientStream, limits: limits) else { throw invalid }
        return element
    }

    func element(_ column: String) throws(StanzaDatabaseError) -> Element { try required(optionalElement(column)) }

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

    func seconds(_ column: String) throws(StanzaDatabaseError) -> Double { try required(optionalSeconds(column)) }

    func date(_ column: String) throws(StanzaDatabaseError) -> Date { try required(optionalDate(column)) }

    func uuid(_ column: String) throws(StanzaDatabaseError) -> UUID {
        try UUID(stored: try value(column), table: table)
    }
}

extension DatabaseValue {
    fileprivate var hasNUL: Bool {
        if case .string(let text) = storage { text.utf8.contains(0) } else { false }
    }

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
    /// Throws if a value is too long to be read back, or has a character with which SQLite would end a text.
    func checkStorable(table: String) throws(StanzaDatabaseError) {
        if contains(where: \.hasNUL) { throw .invalidText(table: table) }
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

/// Statements, which the connection keeps prepared.
extension Database {
    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }

    func cursor(_ sql: String, _ arguments: StatementArguments = []) throws -> RowCursor {
        try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
    }

    /// The first columns of all rows.
    func column<Value: DatabaseValueConvertible>(
        _ sql: String, _ arguments: StatementArguments = []
    ) throws -> [Value] {
        try Value.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }

    /// The first column of the first row.
    func value<Value: DatabaseValueConvertible>(
        _ sql: String, _ arguments: StatementArguments = []
    ) throws -> Value? {
        try Value.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }
}
