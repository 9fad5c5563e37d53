// Takes stanzas out of an input of any format: bytes in, stanzas and problems out, in order.
//
// It reads no files and prints nothing. XMLInput.swift and LinesInput.swift implement the formats. BlockCutter.swift
// cuts an input into pieces that can be read separately.

import QueryTools
import StanzaQuery
import XMLTree

/// How inputs are read.
struct ReadingSettings: Sendable {
    /// The format; without one, the beginning of each input decides.
    var format: InputFormat?
    /// The bindings around fragments and stanzas in lines.
    var context: NamespaceContext = .clientStream
    /// The maximum size of a stanza in bytes, if not that of `ParserLimits`.
    var maximumBytes: Int?
    /// The maximum depth of a stanza, if not that of `ParserLimits`.
    var maximumDepth: Int?
    /// The command that reads, as the user would write it in a pipeline; `nil` if it reads no stanzas from a pipe.
    var commandAtPipe: String?
    /// The prefilters of the queries: a reader of a stream, fragments or lines passes over stanzas without results.
    /// Without prefilters, it reads all.
    var prefilters: [QueryPrefilter] = []
    /// The query, if the first tags of stanzas answer it: a reader of a stream or of fragments gives results instead of
    /// such stanzas.
    var firstTag: FirstTag?
    /// The members of JSON lines with the stanzas, and those that come along with them. A log has members, too.
    var members = LineMembers()

    func limits(for format: InputFormat) -> ParserLimits {
        var limits = format == .document ? ParserLimits.document : .stanza
        if let maximumBytes {
            limits.bytes = maximumBytes
            // A larger byte limit also allows more elements.
            limits.elements = max(limits.elements, maximumBytes / ParserLimits.bytesPerElement)
        }
        if let maximumDepth { limits.depth = maximumDepth }
        return limits
    }

    /// The filter for a format; `nil` if every stanza is read.
    func filter(for format: InputFormat) -> StanzaFilter? {
        switch format {
        case .stream, .fragments: StanzaFilter(prefilters, .xml)
        case .jsonl, .lines, .log: StanzaFilter(prefilters, .json)
        case .document: nil
        }
    }

    /// The same settings for a command that advice names.
    func named(atPipe command: String) -> ReadingSettings {
        var settings = self
        settings.commandAtPipe = command
        return settings
    }
}

/// A part of an input.
enum InputItem: Sendable {
    /// A stanza, where it begins, and the members of its line that the settings name.
    case stanza(Element, at: SourcePosition, members: [JSONValue] = [])
    /// A part of the input that cannot be read.
    case problem(InputProblem)
    /// The results of stanzas that were not parsed. Only with `firstTag` in the settings.
    case results(TagResults)
}

/// The results of stanzas that were not parsed, one of each.
struct TagResults: Sendable {
    var count = 0
    /// The results as lines of text, if they are printed.
    var lines: [UInt8] = []
}

/// A mistake in an input, and its place. Lines and columns count from 1, columns in Unicode scalars.
struct InputProblem: Equatable, Sendable {
    let line: Int
    let column: Int
    let message: String
    /// Whether a limit is the reason. The input may be well-formed.
    var isBeyondLimit = false
}

/// The parts of an input that gave no item, and those of a log.
struct InputStatistics: Equatable, Sendable {
    /// Stanzas on which the query has no result.
    var passedOver = 0
    /// The length of the log, and of the elements in it.
    var bytes = 0
    var stanzaBytes = 0
    /// Elements of the log that are not well-formed.
    var unreadable = 0
    /// The length of the log's lines without names and values that the query needs.
    var skipped = 0

    static func += (statistics: inout InputStatistics, others: InputStatistics) {
        statistics.passedOver += others.passedOver
        statistics.bytes += others.bytes
        statistics.stanzaBytes += others.stanzaBytes
        statistics.unreadable += others.unreadable
        statistics.skipped += others.skipped
    }
}

/// The beginning of an input, or a place between two stanzas from which a reader needs nothing earlier.
struct InputPlace: Sendable {
    /// The format. It is known everywhere except at the beginning.
    var format: InputFormat?
    var position = SourcePosition.start
    /// The start tag around the stanzas of a stream, as far as it is known.
    var header: [UInt8] = []
    var headerPosition = SourcePosition.start

    var isBeginning: Bool { position.offset == 0 }

    /// Whether the start tag around the stanzas comes before this place. At the beginning, it still follows.
    var isInside: Bool { !isBeginning && !header.isEmpty }

    /// Moves over the bytes at this place. A byte order mark at the beginning is not a character of the first line.
    mutating func advance(over bytes: UnsafeBufferPointer<UInt8>) {
        let hasMark = isBeginning && bytes.starts(with: FormatRecognizer.byteOrderMark)
        position.advance(over: bytes)
        if hasMark, position.line == 1 { position.column -= 1 }
    }
}

/// Takes stanzas of one format out of bytes.
protocol StanzaInput: AnyObject {
    /// Reads more of the input.
    func feed(_ bytes: UnsafeRawBufferPointer)
    /// Room for the next bytes, which the caller writes there before `feed(written:)`; `nil` if only `feed(_:)` takes
    /// them. Valid until the next call.
    func room(_ length: Int) -> UnsafeMutableRawBufferPointer?
    /// Reads the bytes that were written into the room.
    func feed(written length: Int)
    /// Marks the end of the input.
    func finish()
    /// Resets the reader to a position. Only for formats that have blocks.
    func restart(at place: InputPlace)
    /// The next item, in order; `nil` if there is none so far.
    func next() -> InputItem?
    /// Whether no item can follow, whatever is fed.
    var hasEnded: Bool { get }
    /// Whether the fed input certainly ends between two stanzas, so that another reader can continue. Call it once,
    /// after taking all items; it ends the input.
    func endsBetweenStanzas() -> Bool
    /// The parts of the input that gave no item, since the last call.
    func takeStatistics() -> InputStatistics
    /// The end of the last line, or stanza that was passed over. Another reader can continue there, unless the reader
    /// has given an item of the input after it.
    var continuation: SourcePosition? { get }
    /// The start tag of the root at a position after the start of the last stanza; `nil` if unknown.
    func header(at position: SourcePosition) -> (tag: [UInt8], position: SourcePosition)?
}

extension StanzaInput {
    func room(_ length: Int) -> UnsafeMutableRawBufferPointer? { nil }
    func feed(written length: Int) { preconditionFailure("this input has no room") }
    func restart(at place: InputPlace) { preconditionFailure("this input is read once") }
    func takeStatistics() -> InputStatistics { InputStatistics() }
    var continuation: SourcePosition? { nil }
    func header(at position: SourcePosition) -> (tag: [UInt8], position: SourcePosition)? { nil }
}

/// Reads one input, and recognizes its format if necessary.
final class StanzaReader: StanzaInput {
    private let settings: ReadingSettings
    private var place: InputPlace
    private var recognizer = FormatRecognizer()
    private var input: (any StanzaInput)?
    /// The format that `input` reads.
    private var format: InputFormat?
    /// The first bytes of an input, while they may show that it has to be converted; `nil` after that.
    private var opening: [UInt8]?
    /// The advice for JSON that is not in lines, which replaces mistakes in its line.
    private var advice: InputProblem?
    private var isAdviceGiven = false

    /// Creates a reader for the input at a place.
    init(_ settings: ReadingSettings, at place: InputPlace = InputPlace()) {
        self.settings = settings
        self.place = place
        opening = place.isBeginning ? [] : nil
        if let format = place.format ?? settings.format { begin(format) }
    }

    /// Starts again at another place of this or another input. That costs less than a new reader.
    func restart(at place: InputPlace) {
        self.place = place
        opening = place.isBeginning ? [] : nil
        advice = nil
        isAdviceGiven = false
        recognizer = FormatRecognizer()
        if input is CompressedInput { input = nil }
        if let input, let format = place.format ?? settings.format, format == self.format, format.hasBlocks {
            input.restart(at: place)
        } else {
            input = nil
            if let format = place.format ?? settings.format { begin(format) }
        }
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {
        if opening == nil { return read(bytes) }
        opening?.append(contentsOf: bytes)
        examineOpening(isEnd: false)
    }

    func room(_ length: Int) -> UnsafeMutableRawBufferPointer? { opening == nil ? input?.room(length) : nil }

    func feed(written length: Int) {
        guard let input else { preconditionFailure("the input has not begun") }
        input.feed(written: length)
    }

    /// Reads bytes of text.
    private func read(_ bytes: UnsafeRawBufferPointer) {
        if let input { return input.feed(bytes) }
        if let format = recognizer.recognize(bytes) { begin(format) }
    }

    /// Reads the first bytes, unless more may show that the input has to be converted.
    private func examineOpening(isEnd: Bool) {
        guard let opening else { return }
        // An explicit format decides.
        let layout = settings.format == nil ? JSONLayout.find(in: opening) : .none
        if !isEnd, layout == .undecided || Compression.mayBegin(with: opening) { return }
        self.opening = nil
        if let compression = Compression(of: opening) {
            input = CompressedInput(compression, settings)
        } else if case .layout(let layout, let offset) = layout {
            var place = place
            opening[..<offset].withUnsafeBufferPointer { place.advance(over: $0) }
            advice = InputProblem(
                line: place.position.line, column: place.position.column, message: layout.advice(settings))
        }
        opening.withUnsafeBytes { read($0) }
    }

    func finish() {
        examineOpening(isEnd: true)
        if input == nil { begin(recognizer.formatAtEnd) }
        input?.finish()
    }

    func next() -> InputItem? {
        guard let advice else { return input?.next() }
        if !isAdviceGiven {
            isAdviceGiven = true
            return .problem(advice)
        }
        while let item = input?.next() {
            if case .problem(let problem) = item, problem.line == advice.line { continue }
            return item
        }
        return nil
    }

    var hasEnded: Bool { input?.hasEnded ?? false }

    func endsBetweenStanzas() -> Bool { input?.endsBetweenStanzas() ?? false }

    func takeStatistics() -> InputStatistics { input?.takeStatistics() ?? InputStatistics() }

    var continuation: SourcePosition? { input?.continuation }

    func header(at position: SourcePosition) -> (tag: [UInt8], position: SourcePosition)? {
        input?.header(at: position)
    }

    /// Passes the held bytes to the format's reader.
    private func begin(_ format: InputFormat) {
        let limits = settings.limits(for: format)
        let input: any StanzaInput =
            switch format {
            case .stream: filtered(XMLInput(.stream, limits: limits, at: place), format)
            case .document: XMLInput(.document, limits: limits, at: place)
            case .fragments: filtered(XMLInput(.fragments(in: settings.context), limits: limits, at: place), format)
            case .jsonl, .lines:
                LinesInput(
                    format, context: settings.context, limits: limits, filter: settings.filter(for: format),
                    members: settings.members, at: place)
            case .log: LogInput(settings, at: place)
            }
        self.format = format
        recognizer.head.withUnsafeBytes { input.feed($0) }
        recognizer = FormatRecognizer()
        self.input = input
    }

    private func filtered(_ input: XMLInput, _ format: InputFormat) -> any StanzaInput {
        let filter = settings.filter(for: format)
        if filter == nil, settings.firstTag == nil { return input }
        return FilteredInput(
            input, filter, settings.firstTag, isStream: format == .stream, limits: settings.limits(for: format),
            at: place)
    }
}
