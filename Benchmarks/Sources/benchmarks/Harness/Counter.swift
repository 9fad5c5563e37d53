// Counts instructions and allocations of pieces of work. These can be compared between machines and over time.
//
// Allocations are counted in the process. callgrind counts instructions: it runs this executable again, and client
// requests mark where to count (Commands/CountCommand.swift).

import CCounters

/// A piece of work that is counted, and how many operations it consists of.
struct CountedWork {
    let name: String
    let operations: Int
    /// Comes before each run and is not counted.
    let prepare: () -> Void
    let run: () throws -> Int

    init(
        _ name: String, operations: Int, prepare: @escaping () -> Void = {}, _ run: @escaping () throws -> Int
    ) {
        self.name = name
        self.operations = operations
        self.prepare = prepare
        self.run = run
    }
}

/// The costs of an operation.
struct Counts {
    /// `nil` without callgrind.
    var instructions: Double?
    var allocations: Double
}

enum Counter {
    /// How many allocations an operation makes, once everything that is made only once has been made.
    static func allocations(of work: CountedWork) throws -> Double {
        work.prepare()
        sink = try sink &+ work.run()
        work.prepare()
        let before = counters_allocations()
        sink = try sink &+ work.run()
        return Double(counters_allocations() - before) / Double(work.operations)
    }

    /// Runs work where callgrind counts it under its name.
    static func mark(_ work: CountedWork) throws {
        work.prepare()
        sink = try sink &+ work.run()
        work.prepare()
        counters_begin()
        sink = try sink &+ work.run()
        counters_end(work.name)
    }

    /// The bytes that the result of `make` keeps allocated.
    static func bytes<Kept>(keptBy make: () throws -> Kept) rethrows -> Int {
        counters_track_bytes()
        let kept = try make()
        let bytes = counters_tracked_bytes()
        withExtendedLifetime(kept) {}
        return bytes
    }
}
