// Runs the commands of Tests/Inputs/commands, and compares all that they print and their exit codes.
//
// A file there has blocks: a line without indentation, and lines that are indented by two spaces.
//
//     file NAME            The lines are a file, which all commands of this file can read, beside the samples of Logs.
//     a title              The lines are commands, each with its output. `$ ` begins a command that runs in
//                          this process: `printf 'INPUT' | stanza ARGUMENT … < FILE | head -N`, also with `tail`. `% `
//                          begins one for a shell, with the built `stanza`. `> ` continues it. Before the prompt comes
//                          the exit code, unless it is 0; below it standard output, and after `! ` standard error
//                          without the usage.
//
// `#` begins a comment. Input that comes in pieces must not change anything, nor must two jobs that read files, unless
// the title ends with `(with one job)`: one thread reads a pipe. STANZA_RECORD=1 writes the output anew.

import Foundation
import Locking
import TestSupport
import Testing

@Suite("Commands", .fewAtOnce)
struct CommandTests {
    @Test("print the recorded output", arguments: CommandCase.all)
    func output(of command: CommandCase) async throws {
        let actual = try await command.run()
        if GeneratedTables.isRecording { try command.update(actual) }
        var runs = [("", actual)]
        if !command.isScript {
            // One of both lengths, and the other one with the next seed.
            let length = (command.text.utf8.count + Int(SeededGenerator.seed % 2)) % 2 * 6 + 1
            runs.append(("in pieces of \(length): ", try await command.run(length)))
        }
        if command.command.contains("stanza find "), !command.isScript, !command.title.hasSuffix("(with one job)") {
            runs.append(("with two jobs: ", try await command.run(50, "--jobs", "2")))
        }
        if let (name, lines) = runs.first(where: { $0.1 != command.expected }) {
            Issue.record("\(name)\(command.command)\n\(command.difference(lines))")
        }
    }

    @Test("exist, and include each example of the help")
    func examples() {
        for file in CommandCase.recorded { #expect(CommandCase.all.contains { $0.file == file }, "\(file)") }
        #expect(!CommandCase.all.isEmpty)
        for name in ["", "find", "explain", "repl", "form", "lint", "conformance"] {
            let lines = stanza(["help", name].filter { !$0.isEmpty }, input: []).lines
            let examples = lines.drop { $0 != "EXAMPLES" }.dropFirst().prefix { $0.hasPrefix("  ") }
            #expect(!examples.isEmpty)
            for example in examples.map({ $0.dropFirst(2) }) {
                #expect(CommandCase.all.contains { $0.command.hasPrefix(example) }, "\(example)")
            }
        }
    }
}

/// A command with its recorded output.
struct CommandCase: CustomTestStringConvertible {
    let file: URL
    let title: String
    private(set) var command: String
    let isScript: Bool
    /// The exit code, then the lines of the output.
    private(set) var expected: [String]
    let files: [String: String]
    /// Its lines in the file.
    private(set) var text: String

    /// One line. A script that prints a part that it leaves out is not such a part.
    var testDescription: String { "\(file.lastPathComponent): \(title): \(command.prefix { $0 != "\n" })" }

    static let recorded = contents(of: "Tests/Inputs/commands")
    static let all = recorded.flatMap { (try? cases(in: $0)) ?? [] }

    private static func contents(of folder: String) -> [URL] {
        let folder = packageFolder.appending(path: folder)
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).sorted { $0.path < $1.path }
    }

    private static let samples: [String: String] = contents(of: "Tests/StanzaCLITests/Logs").reduce(into: [:]) {
        $0[$1.lastPathComponent] = try? String(contentsOf: $1, encoding: .utf8)
    }

    private static func cases(in file: URL) throws -> [CommandCase] {
        var blocks: [(title: String, lines: [String])] = []
        for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
            if line.hasPrefix("#") { continue }
            if !line.isEmpty, !line.hasPrefix("  ") {
                blocks.append((line, []))
            } else if !blocks.isEmpty {
                blocks[blocks.count - 1].lines.append(line)
            }
        }
        var (files, cases) = (samples, [CommandCase]())
        for index in blocks.indices {
            while blocks[index].lines.last == "" { blocks[index].lines.removeLast() }
            guard blocks[index].title.hasPrefix("file ") else { continue }
            files[String(blocks[index].title.dropFirst("file ".count))] =
                blocks[index].lines.map { $0.dropFirst(2) + "\n" }.joined()
        }
        for (title, lines) in blocks where !title.hasPrefix("file ") {
            for line in lines {
                if let prompt = line.wholeMatch(of: #/  (\d*)([$%]) (.*)/#)?.output {
                    cases.append(
                        CommandCase(
                            file: file, title: title, command: String(prompt.3), isScript: prompt.2 == "%",
                            expected: [String(prompt.1)], files: files, text: line + "\n"))
                } else if let last = cases.indices.last {
                    cases[last].text += line + "\n"
                    if line.hasPrefix("  > ") {
                        cases[last].command += "\n" + line.dropFirst(4)
                    } else {
                        cases[last].expected.append(String(line.dropFirst(2)))
                    }
                }
            }
        }
        return cases
    }

    /// Runs it, and returns its exit code and the lines of its output as a file of commands has them.
    ///
    /// - Parameter options: Options of `stanza find`.
    func run(_ pieceLength: Int = .max, _ options: String...) async throws -> [String] {
        if isScript {
            let result = try await Shell.run("set -o pipefail; " + command, files: files)
            return Self.lines(result.output, result.errors, result.code) { $0 }
        }
        var (words, input, part) = (Self.words(command), [UInt8](), { (lines: [String]) in lines })
        if words.first == "printf" {
            input = Self.unescaped(words[1].replacing("%%", with: "%"))
            words.removeFirst(3)
        }
        if let pipe = words.lastIndex(of: "|"), let count = Int(words[words.count - 1].dropFirst()) {
            part = words[pipe + 1] == "head" ? { Array($0.prefix(count)) } : { Array($0.suffix(count)) }
            words.removeLast(3)
        }
        if words.suffix(2).first == "<" {
            input = Array((files[words[words.count - 1]] ?? "no such file").utf8)
            words.removeLast(2)
        }
        words.insert(contentsOf: options, at: options.isEmpty ? 0 : 2)
        let result = stanza(
            Array(words.dropFirst()), input: pieces(input, of: pieceLength), files: files, pieceLength: pieceLength,
            hasSizes: true)
        return Self.lines(result.output, result.errors, result.status.rawValue, part)
    }

    private static func lines(
        _ output: String, _ errors: String, _ code: Int32, _ part: ([String]) -> [String]
    ) -> [String] {
        func lines(_ text: String) -> [String] {
            let lines = text.components(separatedBy: "\n")
            return lines.last == "" ? lines.dropLast() : lines + ["\\ without a line end"]
        }
        var all = part(lines(output))
        // A file shows no empty lines at the end.
        while all.last == "" { all.removeLast() }
        let errors = errors.replacing(/(Help:  |Usage: stanza)(.|\n)*/, with: "")
        return [code == 0 ? "" : "\(code)"] + all + lines(errors).map { "! " + $0 }
    }

    /// The words of a command, as a shell reads them.
    private static func words(_ command: String) -> [String] {
        command.matches(of: /(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|"[^"]*"|[^\s'"])+/).map { word in
            String(word.output).replacing(/\$'((?:[^'\\]|\\.)*)'|'([^']*)'|"([^"]*)"/) { part in
                let escaped = part.output.1.map { String(decoding: unescaped(String($0)), as: UTF8.self) }
                return escaped ?? String(part.output.2 ?? part.output.3 ?? "")
            }
        }
    }

    /// The bytes of a text with the escapes of `printf`.
    private static func unescaped(_ text: String) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), text.unicodeScalars[...])
        while let scalar = rest.popFirst() {
            let kind = scalar == "\\" ? rest.popFirst() : nil
            switch kind {
            case "0": bytes.append(0)
            case "n": bytes.append(0x0A)
            case "r": bytes.append(0x0D)
            case "t": bytes.append(0x09)
            case "x", "u":
                let digits = rest.prefix(kind == "x" ? 2 : 4)
                rest.removeFirst(digits.count)
                let number = UInt32(String(digits), radix: 16) ?? 0
                let text = kind == "x" ? nil : Unicode.Scalar(number).map { Array(String($0).utf8) }
                bytes += text ?? [UInt8(truncatingIfNeeded: number)]
            default: bytes += Array(String(kind ?? scalar).utf8)
            }
        }
        return bytes
    }

    /// The lines that the file lacks, after `+`, and those that it has instead, after `-`.
    func difference(_ actual: [String]) -> String {
        actual.difference(from: expected).map { change in
            switch change {
            case .insert(_, let line, _): "+ " + line
            case .remove(_, let line, _): "- " + line
            }
        }.joined(separator: "\n")
    }

    private static let updating = Lock(())

    func update(_ actual: [String]) throws {
        if actual == expected { return }
        try Self.updating.withLock { _ in
            let all = try String(contentsOf: file, encoding: .utf8)
            var lines = command.components(separatedBy: "\n").map { "  > " + $0 }
            lines[0] = "  \(actual[0])\(isScript ? "%" : "$") \(lines[0].dropFirst(4))"
            lines += actual.dropFirst().map { $0.isEmpty ? "" : "  " + $0 }
            let place = try #require(all.firstRange(of: text))
            try all.replacingCharacters(in: place, with: lines.joined(separator: "\n") + "\n")
                .write(to: file, atomically: true, encoding: .utf8)
        }
    }
}
