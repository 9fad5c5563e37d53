// The library from outside: compiled into a program in C, and loaded by Python.

import Foundation
import TestSupport
import Testing

@Suite struct OtherLanguageTests {
    /// What README.md and the article on this library say.
    private static let compiling =
        "cc -I Sources/CStanzaQuery Tests/StanzaQueryCTests/example.c -L .build/release -lstanzaquery -o .build/example"
    private static let running = "LD_LIBRARY_PATH=.build/release .build/example"

    /// By these commands, but with all warnings, and with the library of this build.
    @Test func aProgramInC() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stanza-c-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let readme = try String(contentsOf: packageFolder.appending(path: "README.md"), encoding: .utf8)
        #expect(readme.contains("\n\(Self.compiling)\n\(Self.running)\n"))
        let libraries = try Self.library.deletingLastPathComponent().path
        func here(_ command: String) -> String {
            command.replacing(".build/release", with: "'\(libraries)'")
                .replacing(".build/example", with: "'\(folder.path)/example'")
        }
        // Each Swift toolchain has clang.
        let strict = Self.compiling.replacing("cc ", with: "clang -std=c11 -Wall -Wextra -Werror ", maxReplacements: 1)
        let compiling = try await run("sh", "-c", here(strict))
        try #require(compiling.status == 0, "\(compiling.output)")
        let running = try await run("sh", "-c", here(Self.running))
        #expect(running.status == 0)
        #expect(running.output == "Neither, fair saint\n")
    }

    @Test(arguments: [
        ("body#", "Hi\n"), ("/@@", "xmlns=jabber:client\nfrom=a@b\nid=17\n"), ("/@id|int", "17\n"),
        ("body", "<body xmlns='jabber:client'>Hi</body>\n"), ("nothing", ""),
        ("{u}x@done|bool", "True\n"), ("{u}x@min|int", "-9223372036854775808\n"),
        ("{u}x@max|uint", "18446744073709551615\n"), ("{u}x@half|double", "0.5\n"), ("{u}x@at|datetime", "86400.5\n"),
        ("{u}x@data|base64", "6869ff\n"), ("{u}x@key|uuid", "7f5ad3b4-6ac1-4e7f-9b1a-2f6d5a3c1e00\n"),
    ])
    func python(_ query: String, _ expected: String) async throws {
        let asking = try await run(
            "python3", Self.source("example.py"), Self.library.path, query,
            input: """
                <message from='a@b' id='17'><body>Hi</body>\
                <x xmlns='u' done='true' min='-9223372036854775808' max='18446744073709551615' half='0.5' \
                at='1970-01-02T00:00:00.5Z' data='aGn/' key='7F5AD3B4-6AC1-4E7F-9B1A-2F6D5A3C1E00'/></message>
                """)
        #expect(asking.status == 0)
        #expect(asking.output == expected)
    }

    @Test func pythonSeesMistakes() async throws {
        let asking = try await run(
            "python3", Self.source("example.py"), Self.library.path, "a@b|integer", input: "<a/>")
        #expect(asking.status == 1)
        #expect(asking.output.contains("did you mean '|int'?"))
        let silent = try await run("python3", Self.source("example.py"), Self.library.path)
        #expect(silent.status == 1 && silent.output.hasPrefix("usage: "), "\(silent.output)")
    }

    // MARK: Helpers

    private static var library: URL {
        get throws {
            let tests = try #require(Bundle.main.executableURL)
            let library = tests.deletingLastPathComponent().appending(path: "libstanzaquery.so")
            try #require(FileManager.default.fileExists(atPath: library.path), "\(library.path) was not built")
            return library
        }
    }

    private static func source(_ name: String) -> String {
        packageFolder.appending(path: "Tests/StanzaQueryCTests/\(name)").path
    }

    private func run(_ command: String..., input: String = "") async throws -> (status: Int32, output: String) {
        try await blocking {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = command
            process.currentDirectoryURL = packageFolder
            let (standardInput, output) = (Pipe(), Pipe())
            process.standardInput = standardInput
            process.standardOutput = output
            process.standardError = output
            try process.run()
            try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try standardInput.fileHandleForWriting.close()
            let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
        }
    }
}
