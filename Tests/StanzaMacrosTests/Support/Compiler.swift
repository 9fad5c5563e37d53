// Runs the real compiler with the real plugin, because macro tests alone do not see errors of the type checker.

import Foundation
import TestSupport
import Testing

enum Compiler {
    /// Returns the errors and warnings of a source that imports modules of this package, in the compiler's order. Each
    /// is `line:column: error: …`.
    ///
    /// The compiler only checks types, against the modules and the plugin that were built with the tests.
    static func errors(in source: String, options: [String] = []) async throws -> [String] {
        let output = try await self.output(for: source, options)
        return output.split(separator: "\n").filter(isMistake).map { line in
            // Drop the name of the file, which is the source or the expansion of a macro.
            let message = line.firstRange(of: ".swift:").map { line[$0.upperBound...] } ?? line
            return String(message.split(separator: " (from macro ", maxSplits: 1)[0])
        }
    }

    /// Applies all fix-its that the compiler offers in notes, as an editor does. The source must be ASCII.
    static func repaired(_ source: String) async throws -> String {
        var lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let output = try await self.output(for: source, []).split(separator: "\n", omittingEmptySubsequences: false)
        // Three lines follow a note: the line of the source; a caret at the note's place, with marks up to the end of
        // the replaced text; and the replacement, at the column where it begins.
        for (index, note) in output.enumerated() where note.contains(": note: ") {
            guard let place = note.firstMatch(of: #/\.swift:(\d+):\d+: note: /#), index + 3 < output.count,
                let line = Int(place.1).map({ $0 - 1 }), lines.indices.contains(line), lines[line] == output[index + 1]
            else { continue }
            let marks = output[index + 2]
            let start = output[index + 3].prefix { $0 == " " }.count
            let end = marks.hasSuffix("~") ? marks.count : start
            let replacement = output[index + 3].dropFirst(start)
            lines[line] = "\(lines[line].prefix(start))\(replacement)\(lines[line].dropFirst(end))"
        }
        return lines.joined(separator: "\n")
    }

    private static func output(for source: String, _ options: [String]) async throws -> String {
        await turns.take()
        let outcome = await blocking { Result { try run(source, options) } }
        await turns.giveBack()
        return try outcome.get()
    }

    private static func isMistake(_ line: Substring) -> Bool {
        line.contains(": error: ") || line.contains(": warning: ")
    }

    /// Limits the compilers that run at once. Each takes one processor and some hundred megabytes.
    private static let turns = Turns(2)

    /// The folder of the tests and of everything that was built with them.
    static var buildFolder: URL { get throws { try #require(Bundle.main.executableURL).deletingLastPathComponent() } }

    private static func run(_ source: String, _ options: [String]) throws -> String {
        let build = try buildFolder
        let folder = try TemporaryFolder()
        let file = folder.file("Test.swift")
        try source.write(to: file, atomically: true, encoding: .utf8)

        var arguments = try [
            "swiftc", "-frontend", "-typecheck", "-swift-version", "6", "-module-name", "Test", "-diagnostic-style",
            "llvm",
            "-I", build.appending(path: "Modules").path,
            "-load-plugin-executable", Plugin.program.path + "#StanzaMacros",
        ]
        for map in [
            packageFolder.appending(path: "Sources/CPCRE2/module.modulemap"),
            build.appending(path: "CAtomics.build/module.modulemap"),
        ] { arguments += ["-Xcc", "-fmodule-map-file=\(map.path)"] }
        arguments += options + [file.path]
        let output = Pipe()
        let process = try ChildProcess(URL(filePath: "/usr/bin/env"), arguments, errors: .pipe(output))
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let end = process.waitUntilExit()
        // Otherwise a compiler that does not run would look like one without errors.
        if end != .exit(0), !text.split(separator: "\n").contains(where: isMistake) {
            Issue.record("the compiler failed: \(text)")
        }
        return text
    }
}

/// Requires exactly these errors and warnings of the compiler.
func expectErrors(
    in source: String, options: [String] = [], _ expected: String..., location: SourceLocation = #_sourceLocation
) async throws {
    let errors = try await Compiler.errors(in: source, options: options)
    #expect(errors == expected, sourceLocation: location)
}

/// A source into which tests insert one line at a time and compile it.
struct CompiledLines: Sendable {
    private let before: String

    /// - Parameter before: The source before the line. After the line, the source closes the braces open there.
    init(after before: String) { self.before = before }

    /// Requires that a line compiles without errors and warnings.
    func expectAccepted(_ line: String, location: SourceLocation = #_sourceLocation) async throws {
        let errors = try await errors(line)
        #expect(errors == [], sourceLocation: location)
    }

    /// Requires exactly one error, which begins with this text.
    func expectRefused(
        _ line: String, _ error: String, location: SourceLocation = #_sourceLocation
    ) async throws {
        let errors = try await errors(line)
        #expect(errors.count == 1 && errors.first?.hasPrefix(error) == true, "\(errors)", sourceLocation: location)
    }

    private func errors(_ line: String) async throws -> [String] {
        try await Compiler.errors(in: before + "    \(line)\n}\n")
    }
}
