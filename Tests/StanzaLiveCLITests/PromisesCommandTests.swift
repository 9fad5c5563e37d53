// The whole command `stanza-live promises`: its output on both streams, and its end.

import Foundation
import Handlers
import Persistence
import TestSupport
import Testing
import XMPPCore

@testable import StanzaLiveCLI

struct PromisesCommandTests {
    private let folder: TemporaryFolder
    private var path: String { folder.database }

    init() throws { folder = try TemporaryFolder() }

    /// Stores two promises and a deferred request.
    private func fill() async throws {
        let database = try await StanzaDatabase.open(at: path)
        let promises = try await PromiseCenter.start(store: database, role: .resolver)
        _ = try await promises.create(String.self, key: "avatar", timeout: .seconds(100_000))
        try await promises.create(String.self, key: "upload").fulfill("secret")
        try await database.write { transaction in
            let request = StoredRequest(serial: 1, id: "q1", recipient: nil, kind: "iq", handler: Data([1]))
            try transaction.requests.deferRequest(
                request, because: .timedOut, answer: nil, reason: "Avatar|published is not known",
                of: "juliet@example.org", at: Date())
        }
        database.close()
    }

    @Test func linesForPeople() async throws {
        try await fill()
        let answer = await StanzaLiveCommand.run(["promises", path])
        #expect(answer.status == .success)
        #expect(answer.errors.isEmpty)
        let lines = answer.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("pending "))
        #expect(lines[0].hasSuffix("avatar  String"))
        #expect(lines[1].hasSuffix("upload  String, 16 bytes"))
        #expect(lines[2].contains("q1") && lines[2].hasSuffix("Avatar|published is not known"))
        #expect(!answer.output.contains("secret"))
    }

    @Test func namesAreSafeInMessages() async {
        for (name, shown) in [
            ("\u{1B}[31m\n\u{202E}.db", #"\u001b[31m\n\u202e.db: No such file"#), ("", "'': No such file"),
        ] {
            let answer = await StanzaLiveCommand.run(["promises", name])
            #expect(answer.status == .failure)
            #expect(answer.errors.hasPrefix("stanza-live: \(shown)"), "\(answer.errors.debugDescription)")
        }
    }

    /// The command refuses U+10FFFF, which replaces a byte that is not UTF-8: SQLite does not accept such names.
    @Test func namesThatAreNoTextAreRefused() async {
        let answer = await StanzaLiveCommand.run(["promises", "a\u{10FFFF}.db"])
        #expect(answer.status == .usage)
        #expect(answer.errors.hasPrefix(#"Error: The argument 'a\xFF.db' is not valid UTF-8."#), "\(answer.errors)")
    }

    @Test func jsonForPrograms() async throws {
        try await fill()
        let answer = await StanzaLiveCommand.run(["promises", "--json", path])
        #expect(answer.status == .success)
        #expect(answer.output.hasSuffix("}\n"))
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: [[String: Any]]])
        #expect(object["promises"]?.map { $0["key"] as? String } == ["avatar", "upload"])
        #expect(object["promises"]?.map { $0["state"] as? String } == ["pending", "fulfilled"])
        #expect(object["deferredRequests"]?.first?["id"] as? String == "q1")
        #expect((object["deferredRequests"]?.first?["reason"] as? String)?.contains("Avatar|published") == true)
        #expect(!answer.output.contains("secret"))
    }

    /// The time of day was a day ahead when the promises began, and was then set right.
    private struct WrongClock: MachineClock {
        private let right = SystemClock()
        var date: Date { right.date + 86_400 }
        var uptime: Duration { right.uptime }
        var boot: String? { right.boot }

        func sleep(until uptime: Duration) async throws { try await right.sleep(until: uptime) }
    }

    @Test func agesAreThoseOfThePromisesTime() async throws {
        let database = try await StanzaDatabase.open(at: path)
        let promises = try await PromiseCenter.start(store: database, role: .resolver, clock: WrongClock())
        _ = try await promises.create(String.self, key: "avatar", timeout: .seconds(100_000))
        database.close()
        let answer = await StanzaLiveCommand.run(["promises", "--json", path])
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: [[String: Any]]])
        let promise = try #require(object["promises"]?.first)
        let (age, left) = (try #require(promise["age"] as? Int), try #require(promise["timeLeft"] as? Int))
        // The hour is for a slow machine.
        #expect((0..<3600).contains(age))
        #expect((96_400...100_000).contains(left))
    }

    @Test func anEmptyDatabase() async throws {
        try await StanzaDatabase.open(at: path).close()
        #expect(await StanzaLiveCommand.run(["promises", path]).output.isEmpty)
        #expect(
            await StanzaLiveCommand.run(["promises", path, "--json"]).output
                == "{\"deferredRequests\":[],\"promises\":[]}\n")
    }

    @Test func whatCannotBeReadIsSaidAndLeftAsItIs() async throws {
        let missing = await StanzaLiveCommand.run(["promises", path])
        #expect(missing.status == .failure)
        #expect(missing.output.isEmpty)
        #expect(missing.errors.hasPrefix("stanza-live: \(path): No such file or directory"))
        #expect(!FileManager.default.fileExists(atPath: path))
        for bytes in [Data(repeating: 0x41, count: 9000), Data("SQLite format 3\u{0}".utf8)] {
            try bytes.write(to: URL(filePath: path))
            let damaged = await StanzaLiveCommand.run(["promises", path])
            #expect(damaged.status == .failure)
            #expect(damaged.errors.hasPrefix("stanza-live: \(path): "))
            #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        }
    }

    /// The command does not open files that are not its databases, and gives no advice that could harm them.
    @Test(.timeLimit(.minutes(60))) func aFileThatIsNotADatabaseIsReported() async throws {
        let pipe = folder.file("pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let (empty, text) = (folder.file("empty").path, folder.file("text").path)
        try Data().write(to: URL(filePath: empty))
        try Data("hello\n".utf8).write(to: URL(filePath: text))
        let expected = [
            pipe: "Not a regular file",
            "/dev/null": "Not a regular file",
            folder.url.path: "Not a regular file",
            empty: "not a database: the file is empty", text: "not an SQLite database",
        ]
        for (path, words) in expected {
            let answer = await StanzaLiveCommand.run(["promises", path])
            #expect(answer.status == .failure && answer.output.isEmpty)
            #expect(answer.errors == "stanza-live: \(path): \(words)\n")
        }
        for path in ["", ":memory:"] {
            let answer = await StanzaLiveCommand.run(["promises", path])
            let shown = path.isEmpty ? "''" : path
            #expect(answer.status == .failure && answer.errors == "stanza-live: \(shown): No such file or directory\n")
        }
        #expect(try Data(contentsOf: URL(filePath: text)) == Data("hello\n".utf8))
    }

    /// An SQLite database with a table of another program.
    @Test func aDatabaseOfAnotherProgram() async throws {
        var bytes = Data(count: 1024)
        let parts: [Int: [UInt8]] = [
            0: Array("SQLite format 3\u{0}".utf8) + [2, 0, 1, 1, 0, 0x40, 0x20, 0x20, 0, 0, 0, 1, 0, 0, 0, 2],
            43: [1, 0, 0, 0, 4], 59: [1], 95: [1, 0, 0x2E, 0x63, 1, 13, 0, 0, 0, 1, 1, 0xDF, 0, 1, 0xDF],
            479: [0x1F, 1, 6, 0x17, 15, 15, 1] + Array("/tablett\u{2}CREATE TABLE t(x)".utf8),
            512: [13, 0, 0, 0, 0, 2],
        ]
        for (place, part) in parts { bytes.replaceSubrange(place..<(place + part.count), with: part) }
        try bytes.write(to: URL(filePath: path))
        let answer = await StanzaLiveCommand.run(["promises", path])
        #expect(answer.status == .failure)
        #expect(answer.errors == "stanza-live: \(path): the database belongs to another program; it was not changed\n")
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }

    /// Runs the real program.
    @Test func theProgramEndsWithTheseCodes() async throws {
        try await fill()
        func code(_ arguments: [String]) async throws -> Int32 {
            let program = try Program(arguments)
            return await blocking { program.end() }.code
        }
        #expect(try await code(["promises", path]) == 0)
        #expect(try await code(["promises"]) == 2)
        #expect(try await code(["promises", path + ".missing"]) == 3)
    }
}
