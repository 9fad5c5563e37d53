// The command `stanza-live promises` as a whole: what it prints, where, and how it ends.

import Foundation
import Handlers
import Persistence
import Promises
import Testing

@testable import StanzaLiveCLI

struct PromisesCommandTests {
    private let folder: URL
    private var path: String { folder.appending(path: "session.db").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "stanza-live-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Two promises and a parked handler.
    private func fill() async throws {
        let database = try await StanzaDatabase.open(at: path)
        let promises = try await PromiseCentre.start(store: database, role: .resolver)
        _ = try await promises.create(String.self, key: "avatar", timeout: .seconds(100_000))
        try await promises.create(String.self, key: "upload").fulfil("secret")
        let definition = HandlerDefinition("Avatar|published") {}
        let knowing = HandlerCentre(registry: try HandlerRegistry(handlers: [definition]), store: database)
        let handler = try knowing.handler("Avatar|published")
        try await knowing.store(handler)
        try await HandlerCentre(registry: try HandlerRegistry(), store: database).call(stored: handler.id)
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
        #expect(lines[0].hasSuffix("avatar            String"))
        #expect(lines[1].hasSuffix("upload            String v1, 8 bytes"))
        #expect(
            lines[2].contains("Avatar|published") && lines[2].hasSuffix("…") || lines[2].hasSuffix("waiting calls: 1"))
        #expect(!answer.output.contains("secret"))
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
        #expect(object["parkedHandlers"]?.first?["waitingCalls"] as? Int == 1)
        #expect((object["parkedHandlers"]?.first?["reason"] as? String)?.contains("Avatar|published") == true)
        #expect(!answer.output.contains("secret"))
    }

    @Test func anEmptyDatabase() async throws {
        try await StanzaDatabase.open(at: path).close()
        #expect(await StanzaLiveCommand.run(["promises", path]).output.isEmpty)
        #expect(
            await StanzaLiveCommand.run(["promises", path, "--json"]).output
                == "{\"parkedHandlers\":[],\"promises\":[]}\n")
    }

    @Test func whatCannotBeReadIsSaidAndLeftAsItIs() async throws {
        let missing = await StanzaLiveCommand.run(["promises", path])
        #expect(missing.status == .failure)
        #expect(missing.output.isEmpty)
        #expect(missing.errors.hasPrefix("stanza-live: the database \(path) cannot be opened"))
        #expect(!FileManager.default.fileExists(atPath: path))
        for bytes in [Data(repeating: 0x41, count: 9000), Data("SQLite format 3\u{0}".utf8)] {
            try bytes.write(to: URL(filePath: path))
            let damaged = await StanzaLiveCommand.run(["promises", path])
            #expect(damaged.status == .failure)
            #expect(damaged.errors.hasPrefix("stanza-live: the database"))
            #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        }
        #expect(await StanzaLiveCommand.run(["promises", folder.path]).status == .failure)
        #expect(await StanzaLiveCommand.run(["promises", ""]).status == .failure)
    }

    @Test(arguments: [[], ["promises"], ["promises", "a", "b"], ["promises", "--bad", "a"], ["promise", "a"]])
    func wrongCommands(arguments: [String]) async {
        let answer = await StanzaLiveCommand.run(arguments)
        #expect(answer.status == .usage)
        #expect(answer.output.isEmpty)
        #expect(answer.errors.contains("stanza-live"))
    }

    @Test func help() async {
        for arguments in [["--help"], ["help"], ["help", "promises"], ["promises", "--help"]] {
            let answer = await StanzaLiveCommand.run(arguments)
            #expect(answer.status == .success)
            #expect(answer.output.contains("USAGE: stanza-live"))
        }
        #expect(await StanzaLiveCommand.run(["help", "promises"]).output.contains("3  the database cannot be read"))
    }

    /// The real program.
    @Test func theProgramEndsWithTheseCodes() async throws {
        try await fill()
        func code(_ arguments: [String]) throws -> Int32 {
            let process = Process()
            let tests = try #require(Bundle.main.executableURL)
            process.executableURL = tests.deletingLastPathComponent().appending(path: "stanza-live")
            process.arguments = arguments
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus
        }
        #expect(try code(["promises", path]) == 0)
        #expect(try code(["promises"]) == 2)
        #expect(try code(["promises", path + ".missing"]) == 3)
    }
}
