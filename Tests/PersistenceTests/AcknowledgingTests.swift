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

    @Test func anAcknowledgementInAFrozenDatabaseIsRepeatedWhenItIsUnfrozen() async throws {
        try await promise.withValue { _ in database.freeze() }
        try await database.unfreeze()
        try await eventually("the outcome is acknowledged") { try await !isOffered() }
        #expect(try await app.create(Int.self, key: "k").id != promise.id)
    }
}
