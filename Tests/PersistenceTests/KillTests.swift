// A process is killed before and after every statement of what it does to a promise. Afterwards either all of it has
// happened or nothing, and doing it again leads to the same end.

import Foundation
import Persistence
import Promises
import Testing

@Suite(.serialized)
struct KillTests {
    /// Runs an operation once to count its moments, then once for each moment at which it is killed.
    private func killEverywhere(
        _ operation: String..., prepare: (PromiseCentre) async throws -> Void,
        check: (PromiseCentre, _ moment: Int) async throws -> Void
    ) async throws {
        func run(environment: [String: String], _ use: (TemporaryDatabase, Probe) async throws -> Void) async throws {
            let place = try TemporaryDatabase()
            try await prepare(try await place.process(.consumer))
            let arguments = [place.path] + operation
            let probe = try Probe(
                arguments[0], arguments[1], arguments[2], arguments.last ?? "", environment: environment)
            try await use(place, probe)
        }
        var count = 0
        try await run(environment: ["PROBE_COUNT": "1"]) { _, probe in
            count = try #require(Int(probe.finish().output))
        }
        try #require(count >= 6, "a transaction has at least three statements")
        var killed = 0
        for moment in 0..<count {
            try await run(environment: ["PROBE_KILL_AT": "\(moment)"]) { place, probe in
                // Who waits may look more than once, so a run may be over before its last moment.
                if probe.finish().signal == SIGKILL { killed += 1 }
                try await check(try await place.process(.consumer), moment)
            }
        }
        #expect(killed >= 6)
    }

    @Test func whileCreating() async throws {
        try await killEverywhere("create", "k") { _ in
        } check: { centre, moment in
            guard let promise = try await centre.reattach(key: "k", as: String.self) else {
                _ = try await centre.create(String.self, key: "k")
                return
            }
            #expect(try await promise.state == .pending, "moment \(moment)")
        }
    }

    @Test func whileResolving() async throws {
        try await killEverywhere("resolve", "k", "value") { centre in
            _ = try await centre.create(String.self, key: "k")
        } check: { centre, moment in
            let promise = try #require(try await centre.reattach(key: "k", as: String.self), "moment \(moment)")
            let isResolved = try await promise.state == .fulfilled
            let again = try await promise.fulfil("again")
            #expect(again == (isResolved ? .alreadyResolved(.fulfilled) : .resolved), "moment \(moment)")
            #expect(try await promise.value == (isResolved ? "value" : "again"), "moment \(moment)")
        }
    }

    @Test func whileConsuming() async throws {
        try await killEverywhere("consume", "k") { centre in
            try await centre.create(String.self, key: "k").fulfil("value")
        } check: { centre, moment in
            let promise = try #require(try await centre.reattach(key: "k", as: String.self), "moment \(moment)")
            #expect(try await promise.value == "value", "moment \(moment)")
        }
    }
}
