// The library from outside: compiled into a program in C, and loaded by Python.

import Foundation
import TestSupport
import Testing

@Suite struct OtherLanguageTests {
    /// The text of the article on this library.
    private static let compiling =
        "cc -I Sources/CStanzaQuery Tests/StanzaQueryCTests/example.c -L .build/release -lstanzaquery -o .build/example"
    private static let running = "LD_LIBRARY_PATH=.build/release .build/example"

    /// By these commands, but with all warnings, and with the library of this build.
    @Test func aProgramInC() async throws {
        let folder = try TemporaryFolder()
        let article = try String(
            contentsOf: packageFolder.appending(path: "Sources/StanzaQueryC/StanzaQueryC.docc/StanzaQueryC.md"),
            encoding: .utf8)
        #expect(article.contains("\n\(Self.compiling)\n\(Self.running)\n"))
        let libraries = try Self.library.deletingLastPathComponent().path
        func here(_ command: String) -> String {
            command.replacing(".build/release", with: "'\(libraries)'")
                .replacing(".build/example", with: "'\(folder.url.path)/example'")
        }
        // Each Swift toolchain has clang.
        let strict = Self.compiling.replacing("cc ", with: "clang -std=c11 -Wall -Wextra -Werror ", maxReplacements: 1)
        let compiling = try await run("sh", "-c", here(strict))
        try #require(compiling.status == 0, "\(compiling.output)")
        let running = try await run("sh", "-c", here(Self.running))
        #expect(running.status == 0)
        #expect(running.output == "Neither, fair saint\n")
    }

    /// Compiles the header as the oldest C that it supports, with the address sanitizer: using freed memory, or freeing
    /// it twice, ends the program.
    @Test func mistakesAndEveryOtherCallInC() async throws {
        let output = try await outputOfC(
            "every.c", "-std=c99", "-pedantic-errors", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
        #expect(
            output == """
                1
                1 unknownConversion 4-11: error: unknown conversion 'integer'
                no query
                3 not-well-formed 3-3: line 1, column 4 (byte 3): </b> does not close the element that is open; \
                expected </a>, the end of what begins at line 1, column 1
                4 use 0-0: the query is missing
                1 1
                <a xmlns='urn:a'><item k='1' n='x'/><item k='2'/><item k='1'/></a> 1
                0 2 arguments 7-9: error: no argument for '%@'
                1
                2 1
                1
                4 use 0-0: 4 is not an option of queries
                xmlns=urn:a k=1 n=x 3 0

                """)
    }

    @Test func theHeaderIsGoodInCPlusPlus() async throws {
        let checking = try await run(
            "clang", "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", Self.header.path)
        #expect(checking.status == 0, "\(checking.output)")
    }

    @Test func theLibraryHasWhatTheHeaderSays() async throws {
        let text = try String(contentsOf: Self.header, encoding: .utf8)
        let declared = Set(text.matches(of: /\b(stanza_[a-z_]+)\(/).map { String($0.1) })
        let names = try await run("nm", "-D", "--defined-only", Self.library.path)
        try #require(names.status == 0, "\(names.output)")
        let exported = names.output.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
        #expect(Set(exported.filter { $0.hasPrefix("stanza_") }) == declared)
        #expect(declared.count >= 30)
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

    private static let header = packageFolder.appending(path: "Sources/CStanzaQuery/stanza_query.h")

    /// Compiles a program without a warning, and runs it.
    private func outputOfC(_ name: String, _ options: String...) async throws -> String {
        let folder = try TemporaryFolder()
        let program = folder.file("program").path
        let library = try Self.library
        let compiling = try await run(
            // Each Swift toolchain has it.
            ["clang"] + options + [
                "-Wall", "-Wextra", "-Werror", "-I", Self.header.deletingLastPathComponent().path, Self.source(name),
                "-o", program, library.path, "-Wl,-rpath,\(library.deletingLastPathComponent().path)",
            ])
        try #require(compiling.status == 0, "\(compiling.output)")
        // The search for leaks fails in a process that a debugger traces.
        let running = try await run("env", "ASAN_OPTIONS=detect_leaks=0", program)
        try #require(running.status == 0, "\(running.output)")
        return running.output
    }

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
        try await run(command, input: input)
    }

    private func run(_ command: [String], input: String = "") async throws -> (status: Int32, output: String) {
        try await blocking {
            let (standardInput, output) = (Pipe(), Pipe())
            let process = try ChildProcess(
                URL(filePath: "/usr/bin/env"), command, folder: packageFolder, input: .pipe(standardInput),
                output: .pipe(output), errors: .pipe(output))
            try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try standardInput.fileHandleForWriting.close()
            let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
            let text = String(decoding: bytes, as: UTF8.self)
            return if case .exit(let code) = process.waitUntilExit() { (code, text) } else { (-1, text) }
        }
    }
}
