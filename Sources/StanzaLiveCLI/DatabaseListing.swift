// Promises and deferred requests as text for users and as JSON for programs. It does not use a database.

import DataForms
import Foundation
import Handlers
import Persistence

/// A list of promises and deferred requests. The names are those of the JSON.
struct DatabaseListing: Encodable {
    /// A promise in the listing.
    struct ListedPromise: Encodable {
        let id: String
        let key: String?
        let state: String
        let type: String
        /// Seconds since it was created.
        let age: Int
        /// Seconds until it times out.
        let timeLeft: Int?
        let isAcknowledged: Bool
        let summary: String
    }

    /// A request whose handler a program could not load.
    struct ListedRequest: Encodable {
        let account: String
        let id: String
        let reason: String
        /// Seconds since it was deferred.
        let age: Int
    }

    let promises: [ListedPromise]
    let deferredRequests: [ListedRequest]

    /// - Parameters:
    ///   - promises: The promises.
    ///   - time: The promises' time, which is not the time of day.
    ///   - requests: The deferred requests.
    ///   - now: The time of day.
    init(promises: [PromiseRecord], promisesAt time: Date, requests: [DeferredRequest], at now: Date) {
        self.promises = promises.map { record in
            var record = record
            record.expire(at: time)
            let timeLeft = record.outcome == nil ? record.deadline?.timeIntervalSince(time) : nil
            return ListedPromise(
                id: record.id.uuidString, key: record.key, state: "\(record.state)", type: record.type,
                age: Self.seconds(time.timeIntervalSince(record.created)), timeLeft: timeLeft.map(Self.seconds),
                isAcknowledged: record.acknowledged != nil, summary: Self.summary(of: record))
        }
        deferredRequests = requests.map { deferred in
            ListedRequest(
                account: "\(deferred.account)", id: deferred.request.id, reason: deferred.reason,
                age: Self.seconds(now.timeIntervalSince(deferred.since)))
        }
    }

    /// An aligned line for each promise and each deferred request.
    var text: String {
        let rows =
            promises.map { promise in
                [
                    promise.state + (promise.isAcknowledged ? " (acknowledged)" : ""), Self.duration(promise.age),
                    Self.printable(promise.key ?? promise.id), Self.printable(promise.summary),
                ]
            }
            + deferredRequests.map { request in
                [
                    "deferred", Self.duration(request.age), Self.printable(request.id), Self.printable(request.reason),
                ]
            }
        let widths = (0..<3).map { column in rows.map { $0[column].columnCount }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.columnCount) }
            return (cells + [row[3]]).joined(separator: "  ") + "\n"
        }.joined()
    }

    /// The maximum columns of a key, a name or a reason; the JSON has all of it.
    static let cellWidth = 120

    /// A JSON object.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    private static func summary(of record: PromiseRecord) -> String {
        switch record.outcome {
        case .fulfilled(let payload): "\(payload.type), \(payload.bytes.count) bytes"
        case .rejected(let rejection): rejection.code
        case .timedOut, .canceled: record.type
        case nil: record.deadline == nil ? "\(record.type), no deadline" : record.type
        }
    }

    /// The whole seconds of an interval. The clock may have been set, and files may hold any number.
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

    /// The text in one line, shortened, and without terminal control characters: anything may have written it.
    private static func printable(_ text: String) -> String {
        // One character can have any number of marks.
        String(text.unicodeScalars.prefix(4 * cellWidth)).oneLine.cut(to: cellWidth)
    }
}
