// Lines that are typed with editing, history and completion. Who edits them is the executable's business, which brings
// a library for it (Sources/stanza); what is offered and said meanwhile is Repl/'s.

/// Reads lines from a terminal.
public protocol LineEditing: AnyObject {
    /// Reads the next line. The terminal is as it was before when it returns.
    func readLine(_ prompt: String, helpedBy assistant: any LineAssistant) -> EditedLine
    /// Offers a line again, before the others.
    func remember(_ line: String)
}

/// What came of a line.
public enum EditedLine: Equatable, Sendable {
    case line(String)
    /// Ctrl-C: this line was not meant.
    case cancelled
    /// Ctrl-D on an empty line, or the terminal is gone.
    case end
}

/// Helps who types a line.
public protocol LineAssistant: AnyObject {
    /// What may follow.
    ///
    /// - Parameter text: The line up to the cursor.
    func completion(of text: String) -> LineCompletion
    /// Lines to be shown below the line while it stands there so; they may hold colours, and nothing else that a
    /// terminal obeys.
    ///
    /// - Parameters:
    ///   - line: All that is typed.
    ///   - promptWidth: The columns before the line.
    ///   - width: The columns of the terminal.
    func remarks(on line: String, promptWidth: Int, width: Int) -> [String]
}

/// What may stand in a place of a line.
public struct LineCompletion: Equatable, Sendable {
    /// What is typed of it already.
    public let typed: String
    /// All that begins with that, sorted.
    public let candidates: [String]

    public init(typed: String, candidates: [String]) {
        self.typed = typed
        self.candidates = candidates.filter { $0.utf8.starts(with: typed.utf8) }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Nothing is known.
    public static var none: LineCompletion { LineCompletion(typed: "", candidates: []) }

    /// What is beyond doubt: the beginning that all candidates have in common, without what is typed already.
    public var insertion: String {
        guard let first = candidates.first, let last = candidates.last else { return "" }
        // They are sorted: what the first and the last have in common all have.
        var common = String.UnicodeScalarView()
        for (left, right) in zip(first.unicodeScalars, last.unicodeScalars) {
            guard left == right else { break }
            common.append(left)
        }
        return String(common.dropFirst(typed.unicodeScalars.count))
    }
}
