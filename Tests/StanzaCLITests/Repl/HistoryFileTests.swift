// The file with the lines of earlier sessions: private, bounded, and read whatever is in it.

import Foundation
import Testing

@testable import StanzaCLI

@Suite("History file")
struct HistoryFileTests {
    private func withPath(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stanza-history-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appending(path: "history").path)
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("gives back what was appended, and nobody else may read it")
    func lines() throws {
        try withPath { path in
            let file = HistoryFile(path: path)
            #expect(try file.load() == [])
            for line in ["/iq@id", "é\\", "", "a\u{7}b", String(repeating: "a", count: 5_000)] { try file.append(line) }
            #expect(try HistoryFile(path: path).load() == ["/iq@id", "é\\"])
            #expect(try mode(path) == 0o600)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            try file.append("b")
            #expect(try mode(path) == 0o600)
        }
    }

    @Test("stays small")
    func bounds() throws {
        try withPath { path in
            let file = HistoryFile(path: path)
            let line = String(repeating: "x", count: 4_000)
            for number in 0..<100 { try file.append("\(number) \(line)") }
            let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
            #expect(size <= HistoryFile.maximumBytes + 5_000)
            let lines = try file.load()
            #expect(lines.last == "99 \(line)")
            #expect(lines.allSatisfy { $0.hasSuffix(" \(line)") })
            try Data(String(repeating: "a\n", count: 200_000).utf8).write(to: URL(fileURLWithPath: path))
            #expect(try file.load().count == HistoryFile.maximumCount)
            let rest = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
            #expect(rest <= HistoryFile.maximumBytes / 2)
        }
    }

    @Test("may hold anything")
    func garbage() throws {
        try withPath { path in
            try Data([0x61, 0x0A, 0xFF, 0x0A, 0x1B, 0x5B, 0x0A, 0x62]).write(to: URL(fileURLWithPath: path))
            #expect(try HistoryFile(path: path).load() == ["a", "b"])
        }
    }

    @Test("is a file: no link is followed, and no folder opened")
    func others() throws {
        try withPath { path in
            let target = path + "-target"
            try Data().write(to: URL(fileURLWithPath: target))
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            #expect(throws: SystemError(code: ELOOP)) { try HistoryFile(path: path).append("a") }
            #expect(throws: SystemError.self) { try HistoryFile(path: "/").load() }
            #expect(throws: SystemError.self) { try HistoryFile(path: "/dev/null").load() }
        }
    }
}
