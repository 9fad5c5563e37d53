// Takes stanzas out of an input, whatever its format: bytes in, stanzas and problems out, in order.
//
// It reads no files and prints nothing. The formats are XMLInput.swift's and JSONLinesInput.swift's. JSON lines come out
// unread: JSONLineReader.swift makes stanzas of them.

import StanzaQuery

/// How inputs are read.
struct ReadingSettings: Sendable {
    /// The format; without one, each input's beginning tells.
    var format: InputFormat?
    /// The bindings around fragments and stanzas in JSON lines.
    var context: NamespaceContext = .clientStream
    /// The bytes of one stanza, if not those of `ParserLimits`.
    var maximumBytes: Int?
    /// The depth of one stanza, if not that of `ParserLimits`.
    var maximumDepth: Int?

    func limits(for format: InputFormat) -> ParserLimits {
        var limits = format == .document ? ParserLimits.document : .stanza
        if let maximumBytes { limits.bytes = maximumBytes }
        if let maximumDepth { limits.depth = maximumDepth }
        return limits
    }
}

/// What an input holds.
enum InputItem: Sendable {
    /// A stanza, and the number of the line in which it begins.
    case stanza(Element, line: Int)
    /// Something that cannot be read.
    case problem(InputProblem)
    /// One of the JSON lines, for `JSONLineReader`.
    case line(JSONLine)
}

/// What is wrong with an input, and where. Lines count from 1, and so do columns, in Unicode scalars.
struct InputProblem: Equatable, Sendable {
    let line: Int
    let column: Int
    let message: String
}

/// A format's way to take stanzas out of bytes.
protocol StanzaInput: AnyObject {
    /// Reads more of the input.
    func feed(_ bytes: UnsafeRawBufferPointer)
    /// Tells that the input has ended.
    func finish()
    /// What was found, in order; `nil` when there is nothing more so far.
    func next() -> InputItem?
    /// Whether nothing can come any more, whatever is fed.
    var hasEnded: Bool { get }
}

/// Reads one input, after recognising its format if need be.
final class StanzaReader: StanzaInput {
    private let settings: ReadingSettings
    private var recognizer = FormatRecognizer()
    private var input: (any StanzaInput)?

    init(_ settings: ReadingSettings) {
        self.settings = settings
        if let format = settings.format { begin(format) }
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {
        if let input { return input.feed(bytes) }
        if let format = recognizer.recognize(bytes) { begin(format) }
    }

    func finish() {
        if input == nil { begin(recognizer.formatAtEnd) }
        input?.finish()
    }

    func next() -> InputItem? { input?.next() }

    var hasEnded: Bool { input?.hasEnded ?? false }

    /// Gives the format's reader what was held back.
    private func begin(_ format: InputFormat) {
        let limits = settings.limits(for: format)
        let input: any StanzaInput =
            switch format {
            case .stream: XMLInput(.stream, limits: limits)
            case .document: XMLInput(.document, limits: limits)
            case .fragments: XMLInput(.fragments(in: settings.context), limits: limits)
            case .jsonl: JSONLinesInput(limits: limits)
            }
        recognizer.head.withUnsafeBytes { input.feed($0) }
        recognizer = FormatRecognizer()
        self.input = input
    }
}
