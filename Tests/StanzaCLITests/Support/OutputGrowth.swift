// Checks that the cost of a command is linear in the length of its output.

import TestSupport
import Testing

@testable import StanzaCLI

/// A command with its inputs.
struct CommandRun {
    var arguments: [String]
    var input = ""
    var files: [String: String] = [:]

    func callAsFunction() -> CommandResult { stanza(arguments, input: [Array(input.utf8)], files: files) }
}

/// The growth of the input. It may cost `bound` times as much: more than this factor because of noise, far less than
/// its square.
private let factor = 8
private let bound = 24.0

/// Runs a command on inputs of `length` and of `factor` times that length, and expects right output in linear time.
func expectLinear(
    _ comment: String, length: Int = 2_500, _ run: (Int) throws -> CommandRun, _ isRight: (CommandResult, Int) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
) rethrows {
    let (short, long) = (try run(length), try run(factor * length))
    // The long run takes most of the test's time: its result is the one that is measured.
    let first = short()
    var last = first
    let ratio = growth(from: { _ = short() }, to: { last = long() }, below: bound)
    for (result, length) in [(first, length), (last, factor * length)] {
        let isRight = isRight(result, length)
        // Only the end is worth showing.
        #expect(
            isRight, "\(comment.debugDescription): \(result.output.suffix(200)), \(result.errors.suffix(200))",
            sourceLocation: sourceLocation)
    }
    #expect(ratio < bound, "\(comment.debugDescription), \(short.arguments)", sourceLocation: sourceLocation)
}

extension CommandResult {
    /// Whether these are the last bytes of the output.
    func ends(with text: String) -> Bool { output.utf8.suffix(text.utf8.count).elementsEqual(text.utf8) }
}

extension String {
    static func * (text: String, count: Int) -> String { String(repeating: text, count: count) }
}
