// The real compiler with the real plugin: what a macro test cannot see are the errors of the type checker.

import Foundation
import TestSupport
public import Testing

public enum Compiler {
    /// What the compiler says of a source that imports modules of this package: `line:column: error: …`, one for each,
    /// in its order; warnings, too.
    ///
    /// It checks types only, against the modules and the plugin that were built with the tests.
    public static func errors(in source: String, options: [String] = []) throws -> [String] {
        let build = try #require(Bundle.main.executableURL).deletingLastPathComponent()
        let folder = FileManager.default.temporaryDirectory.appending(path: "macros-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Test.swift")
        try source.write(to: file, atomically: true, encoding: .utf8)

        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swiftc", "-frontend", "-typecheck", "-swift-version", "6", "-module-name", "Test", "-diagnostic-style",
            "llvm",
            "-I", build.appending(path: "Modules").path,
            "-load-plugin-executable", build.appending(path: "StanzaMacros-tool").path + "#StanzaMacros",
        ]
        for module in ["CLibXML2", "CPCRE2"] {
            let headers = packageFolder.appending(path: "Sources/\(module)/module.modulemap").path
            process.arguments? += ["-Xcc", "-fmodule-map-file=\(headers)"]
        }
        process.arguments? += ["-Xcc", "-I/usr/include/libxml2"]
        process.arguments? += options + [file.path]
        let output = Pipe()
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let errors = text.split(separator: "\n").filter { $0.contains(": error: ") || $0.contains(": warning: ") }
        // Without this, a compiler that cannot be run would say nothing about anything.
        if process.terminationStatus != 0, errors.isEmpty {
            Issue.record("the compiler failed: \(text)")
        }
        return errors.map { line in
            // Without the name of the file: the source, or what a macro wrote.
            let message = line.firstRange(of: ".swift:").map { line[$0.upperBound...] } ?? line
            return String(message.split(separator: " (from macro ", maxSplits: 1)[0])
        }
    }
}

/// Demands what the compiler says of a source, and nothing else.
public func expectErrors(
    in source: String, options: [String] = [], _ expected: String..., location: SourceLocation = #_sourceLocation
) throws {
    let errors = try Compiler.errors(in: source, options: options)
    #expect(errors == expected, sourceLocation: location)
}
