// Measures sessions over loopback: messages a second with acknowledgement and durable storage, and the same without
// storage; the waits and the bytes written to disk and to the connection for each.
//
//      swift run -c release --package-path Benchmarks session-benchmarks [FOLDER] [COUNT]
//
// The databases are made in FOLDER: its disk decides how much a commit costs. LoopbackServer.swift is the server, in
// this process. Benchmarks/DURABLE-SESSION.md has the output.

import CCounters
import Foundation
import Harness

@main
enum SessionBenchmarks {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let folder = URL(filePath: arguments.count > 1 ? arguments[1] : NSTemporaryDirectory())
            .appending(path: "stanza-benchmark-\(UUID().uuidString)")
        // By hundreds, which are also fives.
        let count = max(1, (arguments.count > 2 ? Int(arguments[2]) ?? 2000 : 2000) / 100) * 100
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let sessions = Sessions(server: try LoopbackServer(), folder: folder, count: count)
        print(table("Sending", "Messages of an app.", try await sessions.sending()).markdown)
        print(table("Receiving", "Messages that wait on the server.", try await sessions.receiving()).markdown)
    }

    private static func table(_ title: String, _ note: String, _ rows: [(name: String, costs: Measurement)]) -> Section
    {
        let unstored = rows[0].costs.rate
        return Section(
            title, note: note,
            columns: [
                "session", "a second", "× without storage", "waits for the disk for each", "waits of threads for each",
                "bytes written for each", "bytes on the wire for each",
            ],
            rows: rows.map { name, costs in
                [name, "\(Int(costs.rate))", (costs.rate / unstored).short]
                    + [costs.syncs, costs.switches, costs.fileBytes, costs.wireBytes].map(\.short)
            })
    }
}

/// The costs of sending or receiving messages, for each of them.
struct Measurement {
    /// Messages a second.
    let rate: Double
    let syncs: Double
    let switches: Double
    let fileBytes: Double
    let wireBytes: Double

    init(_ count: Int, _ server: LoopbackServer, _ work: () async throws -> Void) async throws {
        func counters() -> [Double] {
            [
                Clocks.wall, Double(counters_syncs()), Double(counters_switches()), Double(counters_file_bytes()),
                Double(server.traffic),
            ]
        }
        let before = counters()
        try await work()
        let costs = zip(counters(), before).map { ($0 - $1) / Double(count) }
        rate = 1e9 / costs[0]
        (syncs, switches, fileBytes, wireBytes) = (costs[1], costs[2], costs[3], costs[4])
    }
}
