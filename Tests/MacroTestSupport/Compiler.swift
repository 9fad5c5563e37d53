// The real compiler with the real plugin: what a macro test cannot see are the errors of the type checker.

import Foundation
import TestSupport
public import Testing

public enum Compiler {
    /// What the compiler says of a source that imports modules of this package: `line:column: error: …`, one for each,
    /// in its order; warnings, too.
    ///
    /// It checks types only, against the modules and the plugin that were built with the tests.
    public static func errors(in source: String, options: [String] = []) async throws -> [String] {
        let output = try await self.output(for: source, options)
        return output.split(separator: "\n").filter(isMistake).map { line in
            // Without the name of the file: the source, or what a macro wrote.
            let message = line.firstRange(of: ".swift:").map { line[$0.upperBound...] } ?? line
            return String(message.split(separator: " (from macro ", maxSplits: 1)[0])
        }
    }

    /// A source in ASCII after all fix-its that the compiler offers in notes, as an editor applies them.
    public static func repaired(_ source: String) async throws -> String {
        var lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let output = try await self.output(for: source, []).split(separator: "\n", omittingEmptySubsequences: false)
        // Below a note stand the line of the source; a caret at the note's place, and marks up to the end of what is
        // replaced; and what replaces it, where that begins.
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

    /// A compiler takes a processor and some hundred megabytes.
    private static let turns = Turns(2)

    private static func run(_ source: String, _ options: [String]) throws -> String {
        let build = try #require(Bundle.main.executableURL).deletingLastPathComponent()
        let folder = FileManager.default.temporaryDirectory.appending(path: "macros-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Test.swift")
        try source.write(to: file, atomically: true, encoding: .utf8)

        var arguments = [
            "swiftc", "-frontend", "-typecheck", "-swift-version", "6", "-module-name", "Test", "-diagnostic-style",
            "llvm",
            "-I", build.appending(path: "Modules").path,
            "-load-plugin-executable", build.appending(path: "StanzaMacros-tool").path + "#StanzaMacros",
        ]
        let headers = packageFolder.appending(path: "Sources/CPCRE2/module.modulemap").path
        arguments += ["-Xcc", "-fmodule-map-file=\(headers)"]
        arguments += options + [file.path]
        let output = Pipe()
        let process = try ChildProcess(URL(filePath: "/usr/bin/env"), arguments, errors: .pipe(output))
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let end = process.waitUntilExit()
        // Without this, a compiler that cannot be run would say nothing about anything.
        if end != .exit(0), !text.split(separator: "\n").contains(where: isMistake) {
            Issue.record("the compiler failed: \(text)")
        }
        return text
    }
}

/// Demands what the compiler says of a source, and nothing else.
public func expectErrors(
    in source: String, options: [String] = [], _ expected: String..., location: SourceLocation = #_sourceLocation
) async throws {
    let errors = try await Compiler.errors(in: source, options: options)
    #expect(errors == expected, sourceLocation: location)
}

/// A source with room for lines of which the compiler is asked, one at a time.
public struct CompiledLines: Sendable {
    private let before: String

    /// - Parameter before: What stands before the line; it ends in the braces that are open there.
    public init(after before: String) { self.before = before }

    /// Demands that a line compiles without errors and warnings.
    public func expectAccepted(_ line: String, location: SourceLocation = #_sourceLocation) async throws {
        let errors = try await errors(line)
        #expect(errors == [], sourceLocation: location)
    }

    /// Demands one error, by its beginning.
    public func expectRefused(
        _ line: String, _ error: String, location: SourceLocation = #_sourceLocation
    ) async throws {
        let errors = try await errors(line)
        #expect(errors.count == 1 && errors.first?.hasPrefix(error) == true, "\(errors)", sourceLocation: location)
    }

    private func errors(_ line: String) async throws -> [String] {
        try await Compiler.errors(in: before + "    \(line)\n}\n")
    }
}
