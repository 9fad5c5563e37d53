// A process that works on a database, for tests that kill and stop processes. The last line of its output is the
// result. PersistenceTests runs it.
//
//     PersistenceProbe DATABASE create KEY          creates a promise
//     PersistenceProbe DATABASE resolve KEY VALUE   fulfills it
//     PersistenceProbe DATABASE consume KEY         waits for it
//     PersistenceProbe DATABASE show KEY            waits for it, and acknowledges it when it has read a line
//     PersistenceProbe DATABASE race VALUE COUNT    fulfills race-0, race-1, … each when it has read a line, and prints
//                                                   how many of them it won
//     PersistenceProbe DATABASE answer VALUE        calls every kept handler (Answered.swift) with the value
//     PersistenceProbe DATABASE hold                holds a transaction until it is killed
//     PersistenceProbe DATABASE read                reads in a transaction until it is killed
//     PersistenceProbe DATABASE fill KEY            fills the disk, fulfills a promise, and again when it has freed it
//     PersistenceProbe DATABASE own ACCOUNT         owns a session, and prints the result of a write per input line
//     PersistenceProbe DATABASE reopen COUNT        closes it, opens it again and writes, so many times
//     PersistenceProbe DATABASE freezes             opens and freezes it for each input line (Freezing.swift)
//     PersistenceProbe DATABASE notes               prints how many rows its own migrations have added (PROBE_NOTES)
//     PersistenceProbe DATABASE moves               writes after a change of the current directory
//     PersistenceProbe DATABASE stream COUNT        runs a session with a made-up server (ProbedStream.swift)
//
// PROBE_KILL_AT=N kills it at the Nth moment of the operation's statements, counted from 0, a moment being before or
// after one. PROBE_COUNT=1 prints their number, and the first moment at which all is committed. PROBE_FOLDER=FOLDER has
// it start there. PROBE_NOTES=N makes it open the file with N migrations of its own, each of which adds a note.

import Foundation
import GRDB
import Handlers
import Persistence
import XMPPCore

@main
enum PersistenceProbe {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment["PROBE_FOLDER"] { _ = FileManager.default.changeCurrentDirectoryPath(folder) }
        let moments = Moments(killAt: environment["PROBE_KILL_AT"].flatMap(Int.init))
        var options = StanzaDatabase.Options()
        options.statementObserver = { moments.pass($0) }
        options.migrations = environment["PROBE_NOTES"].flatMap(Int.init).map(noteMigrations)
        let database = try await StanzaDatabase.open(at: arguments[0], options: options)
        let isConsumer = ["consume", "show"].contains(arguments[1])
        let center = try await PromiseCenter.start(store: database, role: isConsumer ? .consumer : .resolver)
        report("ready")
        moments.begin()
        let words: String
        do {
            words = try await run(Array(arguments.dropFirst()), on: database, center)
        } catch {
            words = "\(error)"
        }
        moments.end()
        report(environment["PROBE_COUNT"] == nil ? words : "\(moments.count) \(moments.firstAfterCommit)")
    }

    private static func run(
        _ arguments: [String], on database: StanzaDatabase, _ center: PromiseCenter
    ) async throws -> String {
        switch arguments[0] {
        case "create":
            return try await center.create(String.self, key: arguments[1]).id.uuidString
        case "resolve":
            return "\(try await promise(arguments[1], center).fulfill(arguments[2]))"
        case "consume":
            let promise = try await promise(arguments[1], center)
            report("waiting")
            return try await promise.value
        case "show":
            return try await promise(arguments[1], center).withValue { words in
                report("showing \(words)")
                _ = readLine()
                return "shown"
            }
        case "race":
            var wins = 0
            for number in 0..<(Int(arguments[2]) ?? 0) {
                let promise = try await promise("race-\(number)", center)
                report("at the start")
                _ = readLine()
                let isWon = try await promise.fulfill(arguments[1]) == .resolved
                if isWon { wins += 1 }
                report(isWon ? "won" : "lost")
            }
            return "\(wins)"
        case "answer":
            return "\(try await Answered.answer(arguments[1], in: database, center))"
        case "own":
            let session = try database.openSession(JID(parsing: arguments[1]))
            report("owning")
            while readLine() != nil {
                do {
                    try session.write([.lastDisconnect(Date())])
                    report("written")
                } catch {
                    report("\(error)")
                }
            }
            return "done"
        case "fill":
            let promise = try await center.create(String.self, key: arguments[1])
            let rest = try DiskFiller(database.path + ".rest")
            do {
                let resolution = try await promise.fulfill(String(repeating: "x", count: 100_000))
                report("\(resolution)")
            } catch {
                report("\(error)")
            }
            report("\(try await promise.state)")
            try rest.remove()
            let resolution = try await promise.fulfill("short")
            return "\(resolution)"
        case "read":
            try await database.read { transaction in
                _ = try transaction.promises.allPromises()
                report("reading")
                while true { sleep(1) }
            }
            return ""
        case "reopen":
            for _ in 0..<(Int(arguments[1]) ?? 0) {
                database.freeze()
                try await database.unfreeze()
                try await database.write { try $0.db.execute(sql: "UPDATE opening SET count = count + 1") }
            }
            return "done"
        case "freezes":
            try await Freezing.run(database, center)
            return "done"
        case "notes":
            return try await database.read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM note") ?? 0 }
                .description
        case "moves":
            database.freeze()
            _ = FileManager.default.changeCurrentDirectoryPath("/")
            try await database.unfreeze()
            try await database.write { try $0.db.execute(sql: "CREATE TABLE moved (id INTEGER)") }
            return database.path
        case "stream":
            var stream = ProbedStream(try database.openSession("juliet@example.org"))
            try stream.run(count: Int(arguments[1]) ?? 0)
            return "done"
        default:
            try await database.write { transaction in
                try transaction.db.execute(sql: "UPDATE stanza_promise SET key = key")
                report("holding")
                while true { sleep(1) }
            }
            return ""
        }
    }

    /// The migrations of PersistenceTests.
    private static func noteMigrations(_ count: Int) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("handlers") { try $0.execute(sql: "CREATE TABLE note (text TEXT)") }
        for number in 0..<count {
            migrator.registerMigration("note \(number)") { try $0.execute(sql: "INSERT INTO note VALUES ('x')") }
        }
        return migrator
    }

    private static func promise(_ key: String, _ center: PromiseCenter) async throws -> Promise<String> {
        guard let promise = try await center.reattach(key: key, as: String.self) else {
            throw PromiseError.undecodable(type: key, reason: "no promise has this key")
        }
        return promise
    }
}

/// Writes a line at once, without a buffer: the test waits for it.
func report(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
