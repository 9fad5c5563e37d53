// Takes stanzas out of an input, whatever its format: bytes in, stanzas and problems out, in order.
//
// It reads no files and prints nothing. The formats are XMLInput.swift's and LinesInput.swift's. How an input is cut
// into pieces that can be read apart is BlockCutter.swift's business.

import XMLTree

/// How inputs are read.
struct ReadingSettings: Sendable {
    /// The format; without one, each input's beginning tells.
    var format: InputFormat?
    /// The bindings around fragments and stanzas in lines.
    var context: NamespaceContext = .clientStream
    /// The bytes of one stanza, if not those of `ParserLimits`.
    var maximumBytes: Int?
    /// The depth of one stanza, if not that of `ParserLimits`.
    var maximumDepth: Int?
    /// The command that reads, as one would write it behind a pipe; `nil` where that gives it no stanzas.
    var commandAtPipe: String?

    func limits(for format: InputFormat) -> ParserLimits {
        var limits = format == .document ? ParserLimits.document : .stanza
        if let maximumBytes {
            limits.bytes = maximumBytes
            // Who allows more bytes allows more elements.
            limits.elements = max(limits.elements, maximumBytes / ParserLimits.bytesPerElement)
        }
        if let maximumDepth { limits.depth = maximumDepth }
        return limits
    }

    /// The same for a command that is named in advice.
    func named(atPipe command: String) -> ReadingSettings {
        var settings = self
        settings.commandAtPipe = command
        return settings
    }
}

/// What an input holds.
enum InputItem: Sendable {
    /// A stanza, and where it begins.
    case stanza(Element, at: SourcePosition)
    /// Something that cannot be read.
    case problem(InputProblem)
}

/// What is wrong with an input, and where. Lines count from 1, and so do columns, in Unicode scalars.
struct InputProblem: Equatable, Sendable {
    let line: Int
    let column: Int
    let message: String
}

/// A place between two stanzas, from which an input can be read without what stands before; or its beginning.
struct InputPlace: Sendable {
    /// The format, if it is known already. It is, everywhere but at the beginning.
    var format: InputFormat?
    var position = SourcePosition.start
    /// The start tag around the stanzas of a stream, as far as it is known.
    var header: [UInt8] = []
    var headerPosition = SourcePosition.start

    var isBeginning: Bool { position.offset == 0 }

    /// Moves over bytes that stand there. A byte order mark at the beginning is no character of the first line.
    mutating func advance(over bytes: UnsafeBufferPointer<UInt8>) {
        let hasMark = isBeginning && bytes.starts(with: [0xEF, 0xBB, 0xBF])
        position.advance(over: bytes)
        if hasMark, position.line == 1 { position.column -= 1 }
    }
}

/// A format's way to take stanzas out of bytes.
protocol StanzaInput: AnyObject {
    /// Reads more of the input.
    func feed(_ bytes: UnsafeRawBufferPointer)
    /// Tells that the input has ended.
    func finish()
    /// Forgets everything, and begins with what stands at a place.
    func restart(at place: InputPlace)
    /// What was found, in order; `nil` when there is nothing more so far.
    func next() -> InputItem?
    /// Whether nothing can come any more, whatever is fed.
    var hasEnded: Bool { get }
    /// Whether it is sure that what was fed ends between two stanzas, so that another reader can read what follows. To
    /// be asked once, when everything was taken; ends the input.
    func endsBetweenStanzas() -> Bool
}

/// Reads one input, after recognising its format if need be.
final class StanzaReader: StanzaInput {
    private let settings: ReadingSettings
    private var place: InputPlace
    private var recognizer = FormatRecognizer()
    private var input: (any StanzaInput)?
    /// The format that `input` reads.
    private var format: InputFormat?
    /// The first bytes of an input, as long as they may be those of a compressed one; `nil` behind them.
    private var opening: [UInt8]?

    /// A reader for what begins at a place.
    init(_ settings: ReadingSettings, at place: InputPlace = InputPlace()) {
        self.settings = settings
        self.place = place
        opening = place.isBeginning ? [] : nil
        if let format = place.format ?? settings.format { begin(format) }
    }

    /// Begins anew, with what begins at another place of this or another input. That costs less than a new reader.
    func restart(at place: InputPlace) {
        self.place = place
        opening = place.isBeginning ? [] : nil
        recognizer = FormatRecognizer()
        if input is CompressedInput { input = nil }
        if let input, let format = place.format ?? settings.format, format == self.format {
            input.restart(at: place)
        } else {
            input = nil
            if let format = place.format ?? settings.format { begin(format) }
        }
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {
        guard let opening else { return read(bytes) }
        let start = opening + bytes.prefix(Compression.longestSignature)
        if let compression = Compression(of: start) {
            self.opening = nil
            input = CompressedInput(compression, settings)
        } else if Compression.mayBegin(with: start) {
            self.opening = start
        } else {
            self.opening = nil
            opening.withUnsafeBytes { read($0) }
            read(bytes)
        }
    }

    /// Reads bytes of text.
    private func read(_ bytes: UnsafeRawBufferPointer) {
        if let input { return input.feed(bytes) }
        if let format = recognizer.recognize(bytes) { begin(format) }
    }

    func finish() {
        if let opening {
            self.opening = nil
            opening.withUnsafeBytes { read($0) }
        }
        if input == nil { begin(recognizer.formatAtEnd) }
        input?.finish()
    }

    func next() -> InputItem? { input?.next() }

    var hasEnded: Bool { input?.hasEnded ?? false }

    func endsBetweenStanzas() -> Bool { input?.endsBetweenStanzas() ?? false }

    /// Gives the format's reader what was held back.
    private func begin(_ format: InputFormat) {
        let limits = settings.limits(for: format)
        let input: any StanzaInput =
            switch format {
            case .stream: XMLInput(.stream, limits: limits, at: place)
            case .document: XMLInput(.document, limits: limits, at: place)
            case .fragments: XMLInput(.fragments(in: settings.context), limits: limits, at: place)
            case .jsonl, .lines: LinesInput(format, context: settings.context, limits: limits, at: place)
            }
        self.format = format
        recognizer.head.withUnsafeBytes { input.feed($0) }
        recognizer = FormatRecognizer()
        self.input = input
    }
}
