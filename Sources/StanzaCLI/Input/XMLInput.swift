// Streams, documents and fragments: the parser's events as items of an input.

import SafeText
import XMLTree

/// Reads XML in one of the parser's modes.
final class XMLInput: StanzaInput {
    private var parser: XMLStreamParser
    private var place: InputPlace
    /// The parser's position after the stream's header, when it begins to read at `place`.
    private var origin = SourcePosition.start
    /// The places of the parts that the parser gets.
    private var parts = PartPositions(parser: .start, input: .start)
    /// Whether bytes may still be skipped.
    var countsPlaces = false
    /// Whether the roots of streams without stanzas are forgotten when all items are taken. If not, the owner does
    /// that.
    var forgetsHeaders = true
    private var hasFoundProblem = false
    /// The start tags of the stream's roots since the last stanza's, this one included, in order.
    private(set) var headers: [(tag: [UInt8], position: SourcePosition)] = []
    /// Whether a stream has followed another one.
    private var hasRestarted = false

    /// Fragments continue after most errors.
    var hasEnded: Bool { parser.hasFailed }

    init(_ mode: XMLStreamParser.Mode, limits: ParserLimits, at place: InputPlace) {
        parser =
            mode == .stream ? XMLStreamParser(recordingWithin: limits) : XMLStreamParser(mode: mode, limits: limits)
        self.place = place
        readHeader()
    }

    func restart(at place: InputPlace) {
        parser.reset()
        hasFoundProblem = false
        hasRestarted = false
        headers = []
        countsPlaces = false
        self.place = place
        readHeader()
    }

    /// Feeds the parser the header, which came long before `place`. Without a header it feeds a space, so that the
    /// parser accepts no byte order mark here: only an input may begin with one.
    private func readHeader() {
        let header = place.isBeginning ? [] : place.header.isEmpty ? [UInt8(ascii: " ")] : place.header
        parser.feed(header)
        origin = header.withUnsafeBufferPointer { SourcePosition.start.advanced(over: $0) }
        parts = PartPositions(parser: origin, input: place.position)
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {
        if countsPlaces { bytes.withMemoryRebound(to: UInt8.self) { parts.read($0) } }
        parser.feed(bytes)
    }

    /// The position in the input after all bytes so far, while places are counted.
    var end: SourcePosition { parts.end }

    /// Passes over bytes of the input, from the end of a stanza to the end of another.
    func skip(_ bytes: UnsafeRawBufferPointer) {
        bytes.withMemoryRebound(to: UInt8.self) { parts.skip($0) }
    }

    func finish() {
        parser.finish()
    }

    func next() -> InputItem? {
        do throws(XMLParseError) {
            while let event = try parser.next() {
                switch event {
                case .element(let stanza, let position):
                    parts.forget(before: position)
                    if headers.count > 1 { headers.removeFirst(headers.count - 1) }
                    return .stanza(stanza, at: inInput(position))
                case .rejected(let stanza):
                    parts.forget(before: stanza.position)
                    return problem(with: stanza)
                case .streamStart(let header):
                    parts.forget(before: header.position)
                    hasRestarted = !headers.isEmpty
                    headers.append((header.tag, inInput(header.position)))
                case .streamEnd: continue
                }
            }
            if forgetsHeaders { forgetHeaders(exceptAt: nil) }
            return nil
        } catch {
            let moved = error.moved(inInput)
            let isText = moved.kind == .textBetweenElements
            return problem(
                at: moved.position, moved.advice + (isText ? "; '--format log' passes over text" : ""))
        }
    }

    /// A stanza that exceeds a limit: reading continues after it.
    private func problem(with stanza: XMLStreamParser.RejectedStanza) -> InputItem {
        problem(at: inInput(stanza.position), "\(stanza.summary) is left out: \(stanza.error.advice)")
    }

    private func problem(at position: SourcePosition, _ message: String) -> InputItem {
        hasFoundProblem = true
        return .problem(InputProblem(line: position.line, column: position.column, message: message))
    }

    func header(at position: SourcePosition) -> (tag: [UInt8], position: SourcePosition)? {
        headers.last { $0.position.offset <= position.offset }
    }

    /// Forgets the roots that no reader continues in: all but the last, and that around a place, or the first.
    func forgetHeaders(exceptAt position: SourcePosition?) {
        guard headers.count > 2 else { return }
        let kept = position.flatMap { header(at: $0) } ?? headers[0]
        headers.replaceSubrange(..<(headers.count - 1), with: [kept])
    }

    /// The parser rejects the end tag of a stream, or the end of the input, inside a stanza. After a mistake the answer
    /// is unknown. After another stream's start tag, a reader cannot continue with the header that it knows.
    func endsBetweenStanzas() -> Bool {
        if let name = place.header.dropFirst().split(whereSeparator: { " \t\r\n>".utf8.contains($0) }).first {
            parser.feed("</".utf8 + name + ">".utf8)
        }
        parser.finish()
        return next() == nil && !hasFoundProblem && !hasRestarted
    }

    /// A position of the parser as one of the input.
    private func inInput(_ position: SourcePosition) -> SourcePosition {
        if position.offset < origin.offset { return place.headerPosition }
        // Before the last stanza, the parser reports only the place of the root.
        return parts.inInput(position) ?? headers.last?.position ?? place.headerPosition
    }
}

extension XMLParseError {
    /// The same mistake with other positions.
    func moved(_ move: (SourcePosition) -> SourcePosition) -> XMLParseError {
        XMLParseError(
            kind, at: move(position),
            unclosed: unclosed.map {
                OpenElement(name: $0.name, treeStart: move($0.treeStart), position: move($0.position))
            },
            endTag: endTag, unfinished: unfinished.map { UnfinishedMarkup(kind: $0.kind, position: move($0.position)) })
    }

    /// The mistake, with the options of the command that help.
    var advice: String {
        switch kind {
        case .limit(.bytes, let maximum):
            "this stanza has more than \(maximum) bytes; --max-stanza-bytes allows more"
        case .limit(.depth, let maximum):
            "elements are nested more than \(maximum) deep; --max-depth allows more"
        case .limit(.elements, let maximum):
            "this stanza has more than \(maximum) elements; --max-stanza-bytes allows more"
        case .limit(.skippedBytes, let maximum):
            "this stanza has more than \(maximum) bytes, too many to skip; --max-stanza-bytes allows more"
        default: messageWithoutSettings
        }
    }
}

extension XMLStreamParser.RejectedStanza {
    /// A summary to find the stanza: `<message id='a1' from='romeo@example.net'>`.
    fileprivate var summary: String {
        var text = "<" + name.cut(toScalars: Self.shownScalars)
        if let id { text += " id='\(id.cut(toScalars: Self.shownScalars))'" }
        if let from { text += " from='\(from.cut(toScalars: Self.shownScalars))'" }
        return text + ">"
    }

    /// A full JID may have three thousand scalars; these distinguish stanzas and fit a line.
    private static let shownScalars = 80
}
