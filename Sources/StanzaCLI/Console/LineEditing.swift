// Lines typed with editing, history and completion. The executable provides the editor with a library (Sources/stanza);
// Repl/ provides the completions and remarks.

/// Reads lines from a terminal.
public protocol LineEditing: AnyObject {
    /// Reads the next line. Restores the terminal before it returns.
    func readLine(_ prompt: String, helpedBy assistant: any LineAssistant) -> EditedLine
    /// Offers a line again, before the others.
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

/// The texts that can be typed at a place of a line.
public struct LineCompletion: Equatable, Sendable {
    /// The part that is typed already.
    public let typed: String
    /// All texts that begin with that part, sorted.
    public let candidates: [String]

    public init(typed: String, candidates: [String]) {
        self.typed = typed
        self.candidates = candidates.filter { $0.utf8.starts(with: typed.utf8) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// No candidates.
    public static var none: LineCompletion { LineCompletion(typed: "", candidates: []) }

    /// The text that all candidates continue with: their common beginning, without the part that is typed already.
    public var insertion: String {
        guard let first = candidates.first, let last = candidates.last else { return "" }
        // They are sorted: a common beginning of the first and the last is common to all.
        var common = String.UnicodeScalarView()
        for (left, right) in zip(first.unicodeScalars, last.unicodeScalars) {
            guard left == right else { break }
            common.append(left)
        }
        return String(common.dropFirst(typed.unicodeScalars.count))
    }
}
