// Runs commands on inputs and outputs in memory.

import Foundation
import TestSupport

@testable import StanzaCLI

/// The output and status of a command.
struct CommandResult {
    let status: CommandStatus
    let output: String
    let errors: String

    /// The lines of the output.
    var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }
    /// The lines of the error output.
    var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
}

/// Runs `stanza` with these arguments.
///
/// - Parameters:
///   - input: Standard input, a pipe.
///   - files: Regular files by name.
func stanza(_ arguments: String..., input: String = "", files: [String: String] = [:]) -> CommandResult {
    stanza(arguments, input: [Array(input.utf8)], files: files)
}

/// Runs `stanza` on input that arrives in pieces.
///
/// - Parameters:
///   - pieceLength: The bytes of one read of a file.
///   - hasSizes: Whether the files have a size, as regular files do.
func stanza(
    _ arguments: [String], input: [[UInt8]], files: [String: String] = [:], pieceLength: Int = .max,
    hasSizes: Bool = false
) -> CommandResult {
    let (output, errors) = (MemorySink(), MemorySink())
    let console = Console(
        input: MemorySource(input, isLive: true), output: Output(output), errors: Output(errors),
        byteCount: { hasSizes ? files[$0]?.utf8.count : nil },
        open: { path throws(SystemError) in
            if let text = files[path] { return MemorySource(pieces(text, of: pieceLength), isLive: false) }
            // Files on disk are those of the package, or have absolute paths.
            let isRelative = !path.isEmpty && !path.hasPrefix("/")
            return try InputFiles.open(isRelative ? packageFolder.appending(path: path).path : path)
        })
    let status = StanzaCommand.run(arguments, on: console)
    return CommandResult(status: status, output: output.text, errors: errors.text)
}

/// Cuts a text into pieces of bytes.
func pieces(_ text: String, of length: Int) -> [[UInt8]] { pieces(Array(text.utf8), of: length) }

func pieces(_ bytes: [UInt8], of length: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: min(length, max(1, bytes.count))).map {
        Array(bytes[$0..<min($0 + min(length, bytes.count), bytes.count)])
    }
}

/// Pieces of input, one for each read.
final class MemorySource: ByteSource {
    let mayWait: Bool
    private var pieces: [[UInt8]]
    private let onRead: () throws(SystemError) -> Void

    init(_ pieces: [[UInt8]], isLive: Bool, onRead: @escaping () throws(SystemError) -> Void = {}) {
        self.pieces = pieces.filter { !$0.isEmpty }
        mayWait = isLive
        self.onRead = onRead
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try onRead()
        guard let piece = pieces.first else { return 0 }
        let count = min(piece.count, buffer.count)
        buffer.copyBytes(from: piece.prefix(count))
        pieces[0].removeFirst(count)
        if pieces[0].isEmpty { pieces.removeFirst() }
        return count
    }
}

/// Collects the written bytes.
final class MemorySink: ByteSink {
    private(set) var bytes: [UInt8] = []
    /// The error of writes after this many bytes.
    var failure: (code: Int32, after: Int)?

    var text: String { String(decoding: bytes, as: UTF8.self) }

    func write(_ new: UnsafeRawBufferPointer) throws(SystemError) {
        if let failure, bytes.count + new.count > failure.after { throw SystemError(code: failure.code) }
        bytes.append(contentsOf: new)
    }
}

/// The command itself, built next to the tests. The search for it runs once: the list of bundles is not thread-safe
/// (CFBundle.c says so of CFBundleGetAllBundles), and each access leaks a copy.
let stanzaExecutable: URL = {
    var candidates = Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL.appending(path: "x")]
    candidates.append(URL(fileURLWithPath: CommandLine.arguments[0]))
    let files = candidates.map { $0.deletingLastPathComponent().appending(path: "stanza") }
    return files.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? files[0]
}()
