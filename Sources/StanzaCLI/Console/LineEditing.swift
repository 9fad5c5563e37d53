// Lines typed with editing, history and completion. The executable provides the editor with a library (Sources/stanza);
// Repl/ provides the completions and remarks.

/// Reads lines from a terminal.
public protocol LineEditing: AnyObject {
    /// Reads the next line. Restores the terminal before it returns.
    func readLine(_ prompt: String, helpedBy assistant: any LineAssistant) -> EditedLine
    /// Adds a line to the history.
    func remember(_ line: String)
}

/// The result of reading a line.
public enum EditedLine: Equatable, Sendable {
    case line(String)
    /// Ctrl-C: the user discards the line.
    case canceled
    /// Ctrl-D on an empty line, or the terminal is gone.
    case end
}

/// Provides completions and remarks while a line is typed.
public protocol LineAssistant: AnyObject {
    /// The possible continuations.
    ///
    /// - Parameter text: The line up to the cursor.
    func completion(of text: String) -> LineCompletion
    /// Lines to show below the typed line until it changes. They may hold colors, and no other control sequence.
    ///
    /// - Parameters:
    ///   - line: The whole typed line.
    ///   - promptWidth: The columns before the line.
    ///   - width: The columns of the terminal.
    func remarks(on line: String, promptWidth: Int, width: Int) -> [String]
}

/// The completions at a position in a line.
public struct LineCompletion: Equatable, Sendable {
    /// The part that is typed already.
    public let typed: String
    /// All texts that begin with that part, sorted. It may also be the beginning of the name in `{namespace}name`.
    public let candidates: [String]

    public init(typed: String, candidates: [String]) {
        self.typed = typed
        self.candidates = candidates.filter { candidate in
            if candidate.utf8.starts(with: typed.utf8) { return true }
            guard candidate.first == "{", let brace = candidate.utf8.lastIndex(of: UInt8(ascii: "}")) else {
                return false
            }
            return candidate.utf8[brace...].dropFirst().starts(with: typed.utf8)
        }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// No candidates.
    public static var none: LineCompletion { LineCompletion(typed: "", candidates: []) }

    /// The text that replaces the typed part: the common beginning of all candidates. It is the typed part if they have
    /// no longer one.
    public var replacement: String {
        guard let first = candidates.first, let last = candidates.last else { return typed }
        // They are sorted: a common beginning of the first and the last is common to all.
        var common = String.UnicodeScalarView()
        for (left, right) in zip(first.unicodeScalars, last.unicodeScalars) {
            guard left == right else { break }
            common.append(left)
        }
        return candidates.count == 1 || String(common).utf8.starts(with: typed.utf8) ? String(common) : typed
    }
}
