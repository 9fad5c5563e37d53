// Measures promises on a database: how many lives of a promise a second, and how long an outcome takes to arrive from
// another process.
//
//      swift run -c release --package-path Benchmarks persistence-benchmarks [FOLDER]
//
// The database is made in FOLDER: its disk decides how much a commit costs. Times depend on the machine. For
// comparison, the program also times an SQLite loop by hand in the same folder, without promises.

import Foundation
import GRDB
import Persistence
import Promises

@main
enum PersistenceBenchmarks {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count > 2, arguments[1] == "resolver" { return try await resolve(at: arguments[2]) }
        let folder = URL(filePath: arguments.count > 1 ? arguments[1] : NSTemporaryDirectory())
            .appending(path: "stanza-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await measureLives(in: folder)
        try await measureWakeUps(in: folder)
    }

    // MARK: Lives

    private static func measureLives(in folder: URL) async throws {
        let byHand = try handWritten(in: folder, count: 300)
        report("three commits by hand", perSecond: byHand, limit: byHand)

        let database = try await StanzaDatabase.open(at: folder.appending(path: "lives.db").path)
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let single = try await rate(300) { count in
            for _ in 0..<count {
                let promise = try await promises.create(Int.self)
                try await promise.fulfill(1)
                _ = try await promise.value
            }
        }
        report("create, resolve, take, acknowledge: a transaction each", perSecond: single, limit: byHand)

        let batched = try await rate(3_000) { count in
            for _ in 0..<(count / 100) {
                let batch = try await database.collect { _ in
                    var batch: [Promise<Int>] = []
                    for _ in 0..<100 { batch.append(try await promises.create(Int.self)) }
                    return batch
                }
                try await database.write { transaction in
                    for promise in batch { try promise.fulfill(1, in: transaction.promises) }
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for promise in batch { group.addTask { _ = try await promise.value } }
                    try await group.waitForAll()
                }
            }
        }
        report("a transaction for each step of a hundred of them", perSecond: batched, limit: byHand)
    }

    /// An insertion, an update and another one, each with its commit.
    private static func handWritten(in folder: URL, count: Int) throws -> Double {
        var configuration = Configuration()
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(path: folder.appending(path: "hand.db").path, configuration: configuration)
        // GRDB sets less when it opens.
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try queue.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, state INTEGER)") }
        let start = ContinuousClock.now
        for id in 0..<count {
            try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (?, 0)", arguments: [id]) }
            try queue.write { try $0.execute(sql: "UPDATE t SET state = 1 WHERE id = ?", arguments: [id]) }
            try queue.write { try $0.execute(sql: "UPDATE t SET state = 2 WHERE id = ?", arguments: [id]) }
        }
        return Double(count) / (ContinuousClock.now - start).seconds
    }

    private static func rate(_ count: Int, _ work: (Int) async throws -> Void) async throws -> Double {
        try await work(count / 10)
        let start = ContinuousClock.now
        try await work(count)
        return Double(count) / (ContinuousClock.now - start).seconds
    }

    private static func report(_ name: String, perSecond rate: Double, limit: Double) {
        print(
            "\(name): \(Int(rate)) a second, \((rate / limit).formatted(.number.precision(.fractionLength(2)))) × by hand"
        )
    }

    // MARK: Waking up

    /// The other process: resolves the promises whose identities it reads, and prints when it committed.
    private static func resolve(at path: String) async throws {
        let database = try await StanzaDatabase.open(at: path)
        let promises = try await PromiseCenter.start(store: database, role: .resolver)
        while let line = readLine(), let id = UUID(uuidString: line) {
            try await promises.promise(id, of: Int.self).fulfill(1)
            FileHandle.standardOutput.write(Data("\(DispatchTime.now().uptimeNanoseconds)\n".utf8))
        }
    }

    private static func measureWakeUps(in folder: URL) async throws {
        let path = folder.appending(path: "wake-ups.db").path
        let database = try await StanzaDatabase.open(at: path)
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let other = Process()
        other.executableURL = Bundle.main.executableURL
        other.arguments = ["resolver", path]
        let (input, output) = (Pipe(), Pipe())
        other.standardInput = input
        other.standardOutput = output
        try other.run()
        var milliseconds: [Double] = []
        for _ in 0..<200 {
            let promise = try await promises.create(Int.self)
            let waiting = Task {
                _ = try await promise.value
                return DispatchTime.now().uptimeNanoseconds
            }
            try await Task.sleep(for: .milliseconds(10))
            input.fileHandleForWriting.write(Data("\(promise.id.uuidString)\n".utf8))
            let arrived = try await waiting.value
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            guard let committed = UInt64(line.trimmingCharacters(in: .newlines)) else { continue }
            // The outcome may be seen before the other process has said that it is there.
            milliseconds.append(Double(Int64(arrived) - Int64(committed)) / 1e6)
        }
        try input.fileHandleForWriting.close()
        other.waitUntilExit()
        let sorted = milliseconds.sorted()
        let format = FloatingPointFormatStyle<Double>.number.precision(.fractionLength(2))
        print(
            """
            an outcome of another process arrives after its commit: median \(sorted[sorted.count / 2].formatted(format)) ms, \
            p99 \(sorted[sorted.count * 99 / 100].formatted(format)) ms, of \(sorted.count)
            """)
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
