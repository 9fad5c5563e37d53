// Kills a process before and after every statement of an operation on a promise. Afterwards the operation has happened
// as a whole or not at all, and repeating it leads to the same end.

import Foundation
import Handlers
import Persistence
import Promises
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

    /// Two transactions take the outcome and acknowledge it. It is offered again until the second one is committed.
    @Test func whileConsuming() async throws {
        try await killEverywhere("consume", "k") { center, _ in
            try await center.create(String.self, key: "k").fulfill("value")
        } check: { center, _, moment, isCommitted in
            let promise = try #require(try await center.reattach(key: "k", as: String.self), "moment \(moment)")
            let offered = try await center.openPromises().map(\.id)
            #expect(offered == (isCommitted ? [] : [promise.id]), "moment \(moment)")
            if !isCommitted {
                await #expect(throws: PromiseError.keyTaken("k")) { try await center.create(String.self, key: "k") }
            }
            #expect(try await promise.value == "value", "moment \(moment)")
            #expect(try await center.create(String.self, key: "k").id != promise.id, "moment \(moment)")
        }
    }

    /// The mark of a handler's only call commits with its effects, or not at all.
    @Test func whileAnswering() async throws {
        try await killEverywhere("answer", "value") { center, database in
            let promise = try await center.create(String.self, key: "k")
            let handlers = try AnsweredHandler.dispatcher(database)
            try await handlers.store(handlers.handler("Probe|answered", binding: ["promise": promise]))
        } check: { center, database, moment, isCommitted in
            let promise = try #require(try await center.reattach(key: "k", as: String.self), "moment \(moment)")
            let isAnswered = try await promise.state == .fulfilled
            #expect(isAnswered == isCommitted, "moment \(moment)")
            let again: String?
            do {
                try await AnsweredHandler.answer("again", in: database, center)
                again = nil
            } catch let error as HandlerError {
                again = "\(error.kind)"
            }
            #expect(again == (isAnswered ? "alreadyCalled" : nil), "moment \(moment)")
            #expect(try await promise.value == (isAnswered ? "value" : "again"), "moment \(moment)")
        }
    }

    /// The end of a handler, and the removal of one that ended longer ago than the retention.
    @Test func whileEndingAHandler() async throws {
        let (expired, ending) = (UUID(), UUID())
        try await killEverywhere("end", ending.uuidString) { _, database in
            let past = Date() - HandlerLimits.retention - 60
            try await database.write { transaction in
                for id in [expired, ending] {
                    try transaction.handlers.save(
                        StoredHandler(id: id, description: "A|b", data: Data([1]), nested: []))
                }
                _ = try transaction.handlers.claim(.singleShotCall, of: expired, wasStored: true, at: past)
            }
        } check: { _, database, moment, isCommitted in
            let marks = try await database.marks(of: [expired, ending])
            #expect((marks[ending] != nil) == isCommitted, "moment \(moment)")
            let ids = try await Set(database.handlers().map(\.id))
            if marks[ending] == nil {
                #expect(marks == [expired: .called], "moment \(moment)")
                #expect(ids == [expired, ending], "moment \(moment)")
            } else {
                #expect(marks == [ending: .invalidated(.timedOut)], "moment \(moment)")
                #expect(ids == [ending], "moment \(moment)")
            }
        }
    }
}
