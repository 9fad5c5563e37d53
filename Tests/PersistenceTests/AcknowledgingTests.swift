// When outcomes are acknowledged in a shared database that freezes, or that another connection holds.

import Foundation
import GRDB
import Persistence
import Promises
import TestSupport
import Testing

@Suite(.fewAtOnce) struct AcknowledgingTests {
    private let place: TemporaryDatabase
    private let database: StanzaDatabase
    private let app: PromiseCenter
    private let promise: Promise<Int>

    init() async throws {
        place = try TemporaryDatabase()
        var options = StanzaDatabase.Options()
        options.busyTimeout = 0.05
        database = try await place.open(options)
        app = try await PromiseCenter.start(store: database, role: .consumer)
        promise = try await app.create(Int.self, key: "k")
        try await promise.fulfill(7)
    }

    private func isOffered() async throws -> Bool {
        try await app.openPromises().contains { $0.id == promise.id }
    }

    @Test func aTaskThatIsCanceledWithItsValueAcknowledgesIt() async throws {
        let task = Task {
            try await promise.withValue { value in
                withUnsafeCurrentTask { $0?.cancel() }
                return value
            }
        }
        #expect(try await task.value == 7)
        #expect(try await !isOffered())
    }

    @Test func anAcknowledgementInAFrozenDatabaseIsRepeatedWhenItIsUnfrozen() async throws {
        try await promise.withValue { _ in database.freeze() }
        try await database.unfreeze()
        try await eventually("the outcome is acknowledged") { try await !isOffered() }
        #expect(try await app.create(Int.self, key: "k").id != promise.id)
    }

    @Test func anAcknowledgementInABusyDatabaseIsRepeatedAfterTheOthersCommit() async throws {
        let other = try await place.open()
        let holder = Holder()
        let holding = try await promise.withValue { _ in
            let holding = Task {
                try await other.write { transaction in
                    try transaction.db.execute(sql: "UPDATE stanza_promise SET key = key")
                    holder.hold()
                }
            }
            try await eventually("the database is held") { holder.isHeld }
            return holding
        }
        #expect(try await isOffered())
        holder.letGo()
        try await holding.value
        try await eventually("the outcome is acknowledged") { try await !isOffered() }
    }
}
