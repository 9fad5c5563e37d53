// The file with the lines of earlier sessions: private, bounded, and readable with any content.

import Foundation
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("History file")
struct HistoryFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("history").path }

    init() throws { folder = try TemporaryFolder() }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("returns the appended lines, and is readable for its owner only")
    func lines() throws {
        let file = HistoryFile(path: path)
        #expect(try file.load() == [])
        for line in ["/iq@id", "é\\", "", "a\u{7}b", String(repeating: "a", count: 5_000)] { try file.append(line) }
        #expect(try HistoryFile(path: path).load() == ["/iq@id", "é\\"])
        #expect(try mode(path) == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try file.append("b")
        #expect(try mode(path) == 0o600)
    }

    private func size(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    @Test("stays small")
    func bounds() throws {
        let file = HistoryFile(path: path)
        let line = String(repeating: "x", count: 4_000)
        for number in 0..<100 {
            try file.append("\(number) \(line)")
            #expect(try size(path) <= HistoryFile.maximumBytes + 5_000)
        }
        let lines = try file.load()
        #expect(lines.last == "99 \(line)")
        #expect(lines.count >= 32 && lines.allSatisfy { $0.hasSuffix(" \(line)") })
        #expect(try mode(path) == 0o600)
        // The folder contains only the history.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["history"])
    }

    @Test("is read without changes, at any length")
    func reading() throws {
        let long = HistoryFile.firstLine + String(repeating: "a\n", count: 200_000) + "b\n"
        try Data(long.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let lines = try HistoryFile(path: path).load()
        #expect(lines.count == HistoryFile.maximumCount && lines.last == "b")
        #expect(try size(path) == long.utf8.count && mode(path) == 0o640)
        try HistoryFile(path: path).append("c")
        #expect(try size(path) <= HistoryFile.maximumBytes / 2 + 100 && mode(path) == 0o600)
        #expect(try HistoryFile(path: path).load().suffix(3) == ["a", "b", "c"])
        // Anything may follow the first line.
        let bytes = HistoryFile.firstLine.utf8 + [0x61, 0x0A, 0xFF, 0x0A, 0x1B, 0x5B, 0x0A, 0x62]
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(try HistoryFile(path: path).load() == ["a", "b"])
    }

    @Test("leaves other files unchanged", arguments: [1, 100_000])
    func foreign(lines: Int) throws {
        let recorded = Data(String(repeating: "{\"stanza\": \"<iq/>\"}\n", count: lines).utf8)
        try recorded.write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(throws: HistoryProblem.isNoHistory) { try HistoryFile(path: path).load() }
        #expect(throws: HistoryProblem.isNoHistory) { try HistoryFile(path: path).append("/iq") }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == recorded)
        #expect(try mode(path) == 0o644)
    }

    @Test("loses no lines of sessions that write at once")
    func severalWriters() async throws {
        let file = HistoryFile(path: path)
        // Enough for the file to be replaced several times.
        let rest = String(repeating: "x", count: 4_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask { for number in 0..<60 { try file.append("\(writer) \(number) \(rest)") } }
            }
            try await group.waitForAll()
        }
        let lines = try file.load()
        #expect(lines.count >= 32 && lines.allSatisfy { $0.hasSuffix(" \(rest)") })
        for writer in 0..<4 {
            // The remaining lines of a writer are its last ones, without a gap.
            let numbers = lines.filter { $0.hasPrefix("\(writer) ") }.compactMap { Int($0.split(separator: " ")[1]) }
            #expect(numbers == Array(60 - numbers.count..<60))
        }
    }

    @Test("is a file: it follows no link, and opens no folder")
    func others() throws {
        let target = path + "-target"
        try Data().write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        let problem = #expect(throws: HistoryProblem.system(SystemError(code: ELOOP))) {
            try HistoryFile(path: path).append("a")
        }
        #expect(problem?.description == "a link, which is not followed; name the file with --history")
        #expect(throws: HistoryProblem.self) { try HistoryFile(path: "/").load() }
        #expect(throws: HistoryProblem.self) { try HistoryFile(path: "/dev/null").load() }
    }
}
