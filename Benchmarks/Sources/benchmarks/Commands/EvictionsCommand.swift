// Threads that evict each other's queries from the cache: in release, because only the optimizer moves reference
// counts.

import ArgumentParser
import Foundation
import StanzaQuery
import Synchronization

struct EvictionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evictions",
        abstract: "Queries with more texts than the cache keeps, from several threads; fails on a wrong answer.")

    @Option(help: "The number of calls of all threads.")
    var calls = 3_000_000

    /// More than the cache keeps, so that each thread frees queries that another has just got.
    private static let texts = (0..<1_100).map { "/message/body<number=\($0)>" }
    /// One more than the machines of the checks have processors: a thread can be stopped at any instruction.
    private static let threadCount = 3

    func run() throws {
        let stanza = try Element(parsing: "<message><body number='7'/></message>")
        let wrong = Atomic<Int>(0)
        let group = DispatchGroup()
        for thread in 0..<Self.threadCount {
            group.enter()
            Thread.detachNewThread { [calls] in
                // Other texts for each thread.
                var random = UInt64(thread)
                for _ in 0..<calls / Self.threadCount {
                    random = random &* 0x5851_F42D_4C95_7F2D &+ 0x1405_7B7E_F767_814F
                    let number = Int(random >> 33) % Self.texts.count
                    if (try? stanza.check(Self.texts[number])) != (number == 7) { wrong.add(1, ordering: .relaxed) }
                }
                group.leave()
            }
        }
        group.wait()
        let count = wrong.load(ordering: .relaxed)
        print("\(calls) queries from \(Self.threadCount) threads, \(Self.texts.count) texts: \(count) wrong answers")
        if count > 0 { throw ExitCode.failure }
    }
}
