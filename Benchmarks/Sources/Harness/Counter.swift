// Counts instructions and allocations of pieces of work. These can be compared between machines and over time.
//
// Allocations are counted in the process. callgrind counts instructions: it runs the program again, and client requests
// mark where to count.

import CCounters

/// A piece of work that is counted, and how many operations it consists of.
package struct CountedWork {
    package let name: String
    package let operations: Int
    /// Comes before each run and is not counted.
    let prepare: () -> Void
    let run: () throws -> Int

    package init(
        _ name: String, operations: Int, prepare: @escaping () -> Void = {}, _ run: @escaping () throws -> Int
    ) {
        self.name = name
        self.operations = operations
        self.prepare = prepare
        self.run = run
    }
}

package enum Counter {
    /// How many allocations an operation makes, once everything that is made only once has been made.
    package static func allocations(of work: CountedWork) throws -> Double {
        work.prepare()
        sink = try sink &+ work.run()
        work.prepare()
        let before = counters_allocations()
        sink = try sink &+ work.run()
        return Double(counters_allocations() - before) / Double(work.operations)
    }

    /// Under valgrind, runs work where callgrind counts it under its name.
    package static func mark(_ work: CountedWork) throws {
        if counters_under_valgrind() == 0 { return }
        work.prepare()
        sink = try sink &+ work.run()
        work.prepare()
        counters_begin()
        sink = try sink &+ work.run()
        counters_end(work.name)
    }

    /// The bytes that the result of `make` keeps allocated.
    package static func bytes<Kept>(keptBy make: () throws -> Kept) rethrows -> Int {
        counters_track_bytes()
        let kept = try make()
        let bytes = counters_tracked_bytes()
        withExtendedLifetime(kept) {}
        return bytes
    }
}
