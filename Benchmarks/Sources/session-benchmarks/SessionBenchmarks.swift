// Measures sessions over loopback: messages a second with acknowledgement and durable storage, the same without
// storage, and a minimal loop on a socket; the bytes written to disk and to the connection for each.
//
//      swift run -c release --package-path Benchmarks session-benchmarks [FOLDER] [COUNT]
//
// The databases are made in FOLDER: its disk decides how much a commit costs. LoopbackServer.swift is the server, in
// this process. Benchmarks/DURABLE-SESSION.md has the output.

import CCounters
import Foundation
import GRDB
import Persistence
import StreamManagement
import XMLTree
import XMPPSession

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
        let server = try LoopbackServer()
        print(head(count))
        try await Sending(server: server, folder: folder, count: count).measure()
        try await Receiving(server: server, folder: folder, count: count).measure()
    }

    private static func head(_ count: Int) -> String {
        """
        # The durable session over loopback

        Written by `session-benchmarks`; README.md shows how to run it. Messages of \(Message.text.utf8.count) bytes, acknowledged by
        fives. The server runs in the same process: it accepts every login, counts and acknowledges, so that the speed of a
        real server does not matter. It parses with this package's parser, also for the loop, whose own side does not parse.
        Sessions run over XMPPTransport, without encryption, and send one message after the other. A wait for the disk is one
        fdatasync. The written bytes are those that SQLite writes to its files, with its checkpoints. Bytes on the wire are
        those of both directions. Threads wait for one another, for sockets and for the disk: those of the server count, too.

        Durable messages are as fast as the disk: compare them with the commit by hand, and compare the counts, which are the
        same on every machine. Compare ratios within one run: times depend on the machine, and with a database on its disk.

        """
    }
}

/// A way to send or receive, and its costs.
struct Measurement {
    let count: Int
    let seconds: Double
    let syncs: Int
    let fileBytes: Int
    let wireBytes: Int
    let switches: Int

    init(_ count: Int, _ server: LoopbackServer, _ work: () async throws -> Void) async throws {
        let before = (counters_syncs(), counters_file_bytes(), server.traffic)
        let switchesBefore = counters_switches()
        let start = ContinuousClock.now
        try await work()
        seconds = (ContinuousClock.now - start) / .seconds(1)
        self.count = count
        switches = Int(counters_switches() - switchesBefore)
        syncs = Int(counters_syncs() - before.0)
        fileBytes = Int(counters_file_bytes() - before.1)
        let traffic = server.traffic
        wireBytes = traffic.received - before.2.received + traffic.sent - before.2.sent
    }

    var rate: Double { Double(count) / seconds }

    /// A row of a table.
    func row(_ name: String, loop: Measurement, unstored: Measurement?) -> [String] {
        func each(_ number: Int) -> String { (Double(number) / Double(count)).shortly }
        return [
            name, "\(Int(rate))", (rate / loop.rate).significant, unstored.map { (rate / $0.rate).significant } ?? "",
            each(syncs), each(switches), "\(fileBytes / count)", "\(wireBytes / count)",
        ]
    }
}

/// A table of Markdown.
struct Table {
    private var rows: [[String]]

    init(_ direction: String) {
        let head = [
            direction, "a second", "× the loop", "× without storage", "waits for the disk for each",
            "waits of threads for each", "bytes written for each", "bytes on the wire for each",
        ]
        rows = [head, head.indices.map { $0 == 0 ? "---" : "---:" }]
    }

    mutating func add(_ row: [String]) { rows.append(row) }

    func print() {
        for row in rows { Swift.print("| \(row.joined(separator: " | ")) |") }
        Swift.print()
    }
}

extension Double {
    var shortly: String { formatted(.number.precision(.fractionLength(2))) }
    var significant: String { formatted(.number.precision(.significantDigits(2))) }
}
