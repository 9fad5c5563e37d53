// Kills a process before and after every statement of an operation on a promise. Afterwards the operation has happened
// as a whole or not at all, and repeating it leads to the same end.

import Foundation
import GRDB
import Handlers
import Persistence
import TestSupport
import Testing

@Suite(.serialized, .fewAtOnce)
struct KillTests {
    /// Runs an operation once to count its moments, then once for each moment at which it is killed.
    private func killEverywhere(
        _ operation: String..., prepare: (PromiseCenter, StanzaDatabase) async throws -> Void,
        check: (PromiseCenter, StanzaDatabase, _ moment: Int, _ isCommitted: Bool) async throws -> Void
    ) async throws {
        func open(_ place: TemporaryDatabase) async throws -> (PromiseCenter, StanzaDatabase) {
            let database = try await place.open()
            return (try await PromiseCenter.start(store: database, role: .consumer), database)
        }
        func run(environment: [String: String], _ use: (TemporaryDatabase, Probe) async throws -> Void) async throws {
            let place = try TemporaryDatabase()
            let (center, database) = try await open(place)
            try await prepare(center, database)
            let arguments = [place.path] + operation
            let probe = try Probe(
                arguments[0], arguments[1], arguments[2], arguments.last ?? "", environment: environment)
            try await use(place, probe)
        }
        var (count, firstAfterCommit) = (0, 0)
        try await run(environment: ["PROBE_COUNT": "1"]) { _, probe in
            let numbers = await probe.finish().output.split(separator: " ").compactMap { Int($0) }
            try #require(numbers.count == 2)
            (count, firstAfterCommit) = (numbers[0], numbers[1])
        }
        try #require(count >= 6, "a transaction has at least three statements")
        try #require(firstAfterCommit < count, "there is a moment after COMMIT")
        var killed = 0
        for moment in 0..<count {
            try await run(environment: ["PROBE_KILL_AT": "\(moment)"]) { place, probe in
                // A waiting process may poll more than once, so a run may end before its last moment.
                if await probe.finish().signal == SIGKILL { killed += 1 }
                let (center, database) = try await open(place)
                try await check(center, database, moment, moment >= firstAfterCommit)
            }
        }
        #expect(killed >= 6)
    }

    @Test func whileCreating() async throws {
        try await killEverywhere("create", "k") { _, _ in
        } check: { center, _, moment, isCommitted in
            guard let promise = try await center.reattach(key: "k", as: String.self) else {
                #expect(!isCommitted, "moment \(moment)")
                _ = try await center.create(String.self, key: "k")
                return
            }
            #expect(try await promise.state == .pending, "moment \(moment)")
        }
    }

    @Test func whileResolving() async throws {
        try await killEverywhere("resolve", "k", "value") { center, _ in
            _ = try await center.create(String.self, key: "k")
        } check: { center, _, moment, isCommitted in
            let promise = try #require(try await center.reattach(key: "k", as: String.self), "moment \(moment)")
            let isResolved = try await promise.state == .fulfilled
            #expect(isResolved == isCommitted, "moment \(moment)")
            let again = try await promise.fulfill("again")
            #expect(again == (isResolved ? .alreadyResolved(.fulfilled) : .resolved), "moment \(moment)")
            #expect(try await promise.value == (isResolved ? "value" : "again"), "moment \(moment)")
        }
    }

    /// One transaction acknowledges the outcome. It is offered again until that is committed.
    @Test func whileConsuming() async throws {
        try await killEverywhere("consume", "k") { center, _ in
            try await center.create(String.self, key: "k").fulfill("value")
        } check: { center, _, moment, isCommitted in
            let promise = try await center.reattach(key: "k", as: String.self)
            #expect((promise == nil) == isCommitted, "moment \(moment)")
            #expect(try await center.openPromises().map(\.id) == [promise?.id].compactMap(\.self), "moment \(moment)")
            if let promise {
                await #expect(throws: PromiseError.keyTaken("k")) { try await center.create(String.self, key: "k") }
                #expect(try await promise.value == "value", "moment \(moment)")
            }
            #expect(try await center.create(String.self, key: "k").id != promise?.id, "moment \(moment)")
        }
    }

    /// The row of a handler is deleted with its effects, or not at all.
    @Test func whileAnswering() async throws {
        try await killEverywhere("answer", "value") { center, database in
            _ = try await AnsweredHandler.keep(center.create(String.self, key: "k"), in: database)
        } check: { center, database, moment, isCommitted in
            let promise = try #require(try await center.reattach(key: "k", as: String.self), "moment \(moment)")
            let isAnswered = try await promise.state == .fulfilled
            #expect(isAnswered == isCommitted, "moment \(moment)")
            let kept = try await database.read { try Data.fetchAll($0.db, sql: "SELECT data FROM callback") }
            #expect(kept.count == (isAnswered ? 0 : 1), "moment \(moment)")
            for data in kept {
                try await database.collect { changes in
                    try AnsweredHandler.delete(data, in: changes)
                    try await AnsweredHandler.dispatcher().call(
                        stored: data, ["words": "again", "changes": changes, "promises": center])
                }
            }
            #expect(try await promise.value == (isAnswered ? "value" : "again"), "moment \(moment)")
        }
    }
}
