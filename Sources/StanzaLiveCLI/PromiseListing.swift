// Promises as people and programs read them. Knows no database.

import Foundation
import Promises

/// A list of promises.
struct PromiseListing {
    /// A promise as it is listed. The names are those of the JSON.
    struct Entry: Encodable {
        let id: String
        let key: String?
        let state: String
        let type: String
        /// Seconds since it was created.
        let age: Int
        /// Seconds until it times out.
        let timeLeft: Int?
        let isConsumed: Bool
        let summary: String
    }

    let entries: [Entry]

    init(_ records: [PromiseRecord], at now: Date) {
        entries = records.map { record in
            var record = record
            record.expire(at: now)
            let timeLeft = record.outcome == nil ? record.deadline?.timeIntervalSince(now) : nil
            return Entry(
                id: record.id.uuidString, key: record.key, state: "\(record.state)", type: record.type,
                age: Self.seconds(now.timeIntervalSince(record.created)), timeLeft: timeLeft.map(Self.seconds),
                isConsumed: record.consumption != nil, summary: Self.summary(of: record))
        }
    }

    /// An aligned line for each promise.
    var text: String {
        let rows = entries.map { entry in
            [
                entry.state + (entry.isConsumed ? " (taken)" : ""), Self.duration(entry.age),
                entry.key.map(Self.printable) ?? entry.id, Self.printable(entry.summary),
            ]
        }
        let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
            return (cells + [row[3]]).joined(separator: "  ") + "\n"
        }.joined()
    }

    /// A JSON array.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(entries), as: UTF8.self)
    }

    private static func summary(of record: PromiseRecord) -> String {
        switch record.outcome {
        case .fulfilled(let payload): "\(payload.type) v\(payload.version), \(payload.bytes.count) bytes"
        case .rejected(let rejection): rejection.code
        case .timedOut, .cancelled: record.type
        case nil: record.deadline == nil ? "\(record.type), no deadline" : record.type
        }
    }

    /// The clock may have been set, and files may hold any number.
    private static func seconds(_ interval: TimeInterval) -> Int {
        Int(exactly: interval.rounded(.down)) ?? 0
    }

    private static func duration(_ seconds: Int) -> String {
        switch seconds {
        case ..<120: "\(seconds)s"
        case ..<7_200: "\(seconds / 60)min"
        case ..<172_800: "\(seconds / 3600)h"
        default: "\(seconds / 86_400)d"
        }
    }

    /// Control characters would change what the terminal shows.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    $0.properties.isDefaultIgnorableCodePoint
                        || $0.properties.generalCategory == .control ? "\u{FFFD}" : $0
                }))
    }
}
