// Streams, documents and fragments: the parser's events as items of an input.

import XMLTree

/// Reads XML in one of the parser's modes.
final class XMLInput: StanzaInput {
    private var parser: XMLStreamParser
    private var place: InputPlace
    /// Where the parser is when it begins to read what stands at `place`: behind the stream's header.
    private var origin = SourcePosition.start
    private var hasFoundProblem = false

    /// Fragments go on behind most errors.
    var hasEnded: Bool { parser.hasFailed }

    init(_ mode: XMLStreamParser.Mode, limits: ParserLimits, at place: InputPlace) {
        parser = XMLStreamParser(mode: mode, limits: limits)
        self.place = place
        readHeader()
    }

    func restart(at place: InputPlace) {
        parser.reset()
        hasFoundProblem = false
        self.place = place
        readHeader()
    }

    /// Reads what stood long before `place`. Without a header that may be white space: a byte order mark, which only
    /// begins an input, begins none here.
    private func readHeader() {
        let header = place.isBeginning ? [] : place.header.isEmpty ? [UInt8(ascii: " ")] : place.header
        parser.feed(header)
        origin = header.withUnsafeBufferPointer { SourcePosition.start.advanced(over: $0) }
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {
        parser.feed(bytes)
    }

    func finish() {
        parser.finish()
    }

    func next() -> InputItem? {
        do throws(XMLParseError) {
            while let event = try parser.next() {
                switch event {
                case .element(let stanza, let position): return .stanza(stanza, at: inInput(position))
                case .streamStart, .streamEnd: continue
                }
            }
            return nil
        } catch {
            hasFoundProblem = true
            let position = inInput(error.position)
            let unclosed = error.unclosed.map {
                XMLParseError.OpenElement(name: $0.name, treeStart: inInput($0.treeStart))
            }
            let advice = XMLParseError(error.kind, at: position, unclosed: unclosed).advice
            return .problem(InputProblem(line: position.line, column: position.column, message: advice))
        }
    }

    /// The end tag of a stream, or the end of the input, is refused inside a stanza. Behind a mistake one cannot know.
    func endsBetweenStanzas() -> Bool {
        if let name = place.header.dropFirst().split(whereSeparator: { " \t\r\n>".utf8.contains($0) }).first {
            parser.feed("</".utf8 + name + ">".utf8)
        }
        parser.finish()
        return next() == nil && !hasFoundProblem
    }

    /// A position of the parser as one of the input.
    private func inInput(_ position: SourcePosition) -> SourcePosition {
        let isInFirstLine = position.line == origin.line
        return SourcePosition(
            line: position.line - origin.line + place.position.line,
            column: isInFirstLine ? position.column - origin.column + place.position.column : position.column,
            offset: position.offset - origin.offset + place.position.offset)
    }
}

extension XMLParseError {
    /// What is wrong, with the options of the command that help.
    var advice: String {
        switch kind {
        case .limit(.bytes, let maximum):
            "this stanza has more than \(maximum) bytes; --max-stanza-bytes allows more"
        case .limit(.depth, let maximum):
            "elements are nested more than \(maximum) deep; --max-depth allows more"
        case .limit(.elements, let maximum):
            "this stanza has more than \(maximum) elements; --max-stanza-bytes allows more"
        case .limit(.attributes, let maximum):
            "this tag has more than \(maximum) attributes, and is not read"
        case .limit(.nameLength, let maximum):
            "a name or namespace of this tag has more than \(maximum) bytes, and is not read"
        case .limit(.names, let maximum):
            "there are more than \(maximum) different names, and no more are read"
        case .limit(.declarations, let maximum):
            "more than \(maximum) namespace declarations are in scope, and no more are read"
        default: message
        }
    }
}
