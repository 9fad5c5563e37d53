// Freezes the database again and again while other tasks and threads use it.

import Foundation
import GRDB
import Handlers
import Persistence
import StreamManagement

enum Freezing {
    /// The longest time for which the database is open, in microseconds.
    private static let longestUse = 3000

    /// Opens and freezes the database once for each line of input, and prints the milliseconds of each freeze. A
    /// waiting promise, a task that writes and a thread with a session use the database all the time.
    static func run(_ database: StanzaDatabase, _ center: PromiseCenter) async throws {
        let promise = try await center.create(String.self, key: "never resolved")
        let session = try database.openSession("juliet@example.org")
        let tasks = [
            Task { _ = try? await promise.value },
            Task {
                while !Task.isCancelled {
                    try? await database.write {
                        try $0.db.execute(sql: "UPDATE stanza_promise SET key = key")
                    }
                    try? await Task.sleep(for: .microseconds(100))
                }
            },
        ]
        defer { for task in tasks { task.cancel() } }
        Thread.detachNewThread {
            while true {
                try? session.write([.lastDisconnect(Date())])
                usleep(100)
            }
        }
        while readLine() != nil {
            try await database.unfreeze()
            try await Task.sleep(for: .microseconds(Int.random(in: 0...longestUse)))
            let start = ContinuousClock.now
            database.freeze()
            report("\((ContinuousClock.now - start) / .milliseconds(1))")
        }
    }
}
