// Runs the parser for its tests. `transcript` expects the same output however the input is cut, however often the
// parser renews its names, and after a reset. A `ParserCase` is an input with its whole output.

import Testing

@testable import XMLTree

extension Element {
    /// A text that is equal for elements of equal names, declarations, attributes and text: `{ns}p:name`.
    var dump: String { dump(index) }

    private func dump(_ node: NodeIndex) -> String {
        var text = "<\(name(view.name(of: node)))"
        for attribute in view.attributeRecords(of: node) {
            let record = view[attribute.name]
            let value = String(decoding: view.string(attribute.value), as: UTF8.self)
            text += record.kind == .declaration ? " declare \(name(record))" : " \(name(record))='\(value)'"
        }
        text += ">" + String(decoding: view.string(view[node].text), as: UTF8.self)
        var child = view[node].firstChild
        while child != .none {
            text += dump(child) + String(decoding: view.string(view[child].tail), as: UTF8.self)
            child = view[child].next
        }
        return text + "</>"
    }

    private func name(_ record: NameRecord) -> String {
        let parts = [record.namespaceReference, record.prefixReference, record.localReference]
            .map { String(decoding: view.nameBytes.string(at: $0), as: UTF8.self) }
        return (parts[0].isEmpty ? "" : "{\(parts[0])}") + (parts[1].isEmpty ? "" : parts[1] + ":") + parts[2]
    }
}

/// The output of a parser.
struct Transcript: Equatable, CustomStringConvertible {
    /// A line for each event and error, which begins with its place.
    private(set) var lines: [String] = []
    private(set) var errors: [XMLParseError] = []
    private(set) var rejected: [XMLStreamParser.RejectedStanza] = []

    var description: String { lines.joined(separator: "\n") }
    /// The lines without those of errors.
    var events: [String] { lines.filter { !$0.contains(" error ") } }

    init() {}

    /// Reads input in chunks of that size.
    ///
    /// - Parameter beginning: Input before it, which is fed in one piece.
    init(of bytes: [UInt8], after beginning: String = "", chunk: Int = .max, in parser: inout XMLStreamParser) {
        parser.feed(Array(beginning.utf8))
        drain(&parser)
        var rest = bytes[...]
        while !rest.isEmpty {
            parser.feed(rest.prefix(chunk))
            drain(&parser)
            rest = rest.dropFirst(chunk)
        }
        parser.finish()
        drain(&parser)
    }

    /// Takes all events and errors that are ready. It omits nothing, so it detects a parser that repeats an error. It
    /// stops at far more lines than any input of these tests has.
    mutating func drain(_ parser: inout XMLStreamParser) {
        while lines.count < 1_000_000 {
            do throws(XMLParseError) {
                switch try parser.next() {
                case .streamStart(let header): lines.append("\(header.position.short) start \(header.element.dump)")
                case .element(let element, let position): lines.append("\(position.short) \(element.dump)")
                case .rejected(let stanza):
                    rejected.append(stanza)
                    let error = stanza.error
                    lines.append("\(stanza.position.short) rejected \(error.kind) at \(error.position.short)")
                case .streamEnd: lines.append("end")
                case nil: return
                }
            } catch {
                errors.append(error)
                lines.append("\(error.position.short) error \(error.kind)")
            }
        }
    }
}

/// Parses the input in chunks of that size.
func output(
    _ bytes: [UInt8], _ mode: XMLStreamParser.Mode, after beginning: String = "", chunk: Int = .max,
    limits: ParserLimits? = nil, renewal: Renewal = .standard
) -> Transcript {
    var parser = XMLStreamParser(mode: mode, limits: limits, renewal: renewal)
    return Transcript(of: bytes, after: beginning, chunk: chunk, in: &parser)
}

/// Parses the input, and expects the same output however it is cut, with other renewals, and after a reset.
///
/// - Parameter chunks: The sizes of the chunks; all, if it is `nil` and the input is short.
func transcript(
    _ bytes: [UInt8], _ mode: XMLStreamParser.Mode, after beginning: String = "", limits: ParserLimits? = nil,
    chunks: [Int]? = nil, sourceLocation: SourceLocation = #_sourceLocation
) -> Transcript {
    let whole = output(bytes, mode, after: beginning, limits: limits)
    func expect(_ other: Transcript, _ way: String) {
        if other == whole { return }
        let text = String(decoding: bytes, as: UTF8.self).debugDescription
        Issue.record("\(way), \(text) gives \(other), not \(whole)", sourceLocation: sourceLocation)
    }
    // The parser holds markup back from 300 bytes on, and searches it in blocks of 256 and 2048.
    let long = [1, 2, 3, 7, 30, 100, 256, 299, 300, 301, 511, 512, 513, 1000, 2047, 2048, 2049, 5000]
    let isLong = bytes.count > 3000
    for chunk in chunks ?? (bytes.count < 200 ? Array(1..<200) : isLong ? [1, 7, 2049, 5000] : long)
    where chunk < max(bytes.count, 2) {
        expect(output(bytes, mode, after: beginning, chunk: chunk, limits: limits), "in chunks of \(chunk)")
    }
    // Only the limit of names is about names that a parser did not know.
    if isLong || limits.map({ $0.names != ParserLimits.defaultNames }) == true { return whole }
    for renewal in ParserSetting.renewals.dropFirst() {
        let other = output(bytes, mode, after: beginning, chunk: 7, limits: limits, renewal: renewal)
        expect(other, "with \(renewal)")
    }
    for former in [Array("\u{FEFF}<a b='c'/>\n \n".utf8), Array("<a>\n&#10;".utf8), bytes] {
        var parser = XMLStreamParser(mode: mode, limits: limits)
        _ = Transcript(of: former, chunk: 5, in: &parser)
        parser.reset()
        expect(Transcript(of: bytes, after: beginning, chunk: 3, in: &parser), "after a reset")
    }
    return whole
}

func transcript(
    _ text: String, _ mode: XMLStreamParser.Mode, after beginning: String = "", limits: ParserLimits? = nil,
    chunks: [Int]? = nil, sourceLocation: SourceLocation = #_sourceLocation
) -> Transcript {
    transcript(
        Array(text.utf8), mode, after: beginning, limits: limits, chunks: chunks, sourceLocation: sourceLocation)
}

/// An input with its whole output. Each `¦` marks the place of the next line, and does not belong to the input.
struct ParserCase: CustomTestStringConvertible, Sendable {
    /// A line of the output. All but `end` have a place; a fault of a rejected stanza has one after that of the stanza.
    enum Line: ExpressibleByStringInterpolation, Sendable {
        case start(String), element(String), rejected(XMLParseError.Kind), error(XMLParseError.Kind), end

        init(stringLiteral dump: String) { self = .element(dump) }

        static func expected(_ expectation: XMLParseError.Expectation) -> Line {
            .error(.malformed(expectation.rawValue))
        }
    }

    let marked: String
    let lines: [Line]

    init(_ marked: String, _ lines: Line...) { self.init(marked, lines) }

    init(_ marked: String, _ lines: [Line]) { (self.marked, self.lines) = (marked, lines) }

    var testDescription: String { marked }
    /// The input.
    var text: String { String(String.UnicodeScalarView(marked.unicodeScalars.filter { $0 != "¦" })) }

    /// Expects the output, without the start of a stream whose header is the beginning.
    func expect(
        _ mode: XMLStreamParser.Mode, after beginning: String = "", limits: ParserLimits? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var places = places(in: beginning + marked)[...]
        func next() -> String { places.popFirst() ?? "no mark" }
        let expected = lines.map { line in
            switch line {
            case .start(let dump): return "\(next()) start \(dump)"
            case .element(let dump): return "\(next()) \(dump)"
            case .error(let kind): return "\(next()) error \(kind)"
            case .rejected(let kind):
                let start = next()
                if case .limit = kind { return "\(start) rejected \(kind) at \(start)" }
                return "\(start) rejected \(kind) at \(next())"
            case .end: return "end"
            }
        }
        let found = transcript(text, mode, after: beginning, limits: limits, sourceLocation: sourceLocation).lines
        let comment: Comment = "\(marked.debugDescription) gives\n\(found.joined(separator: "\n"))"
        let lines = beginning == header ? Array(found.dropFirst()) : found
        #expect(lines == expected, comment, sourceLocation: sourceLocation)
    }
}

/// The places of the marks `¦` in a text, counted in the simplest way.
func places(in marked: String) -> [String] {
    var (found, position) = ([String](), SourcePosition.start)
    for scalar in marked.unicodeScalars {
        if scalar == "¦" {
            found.append(position.short)
            continue
        }
        // A byte order mark is not a character.
        let isMark = position.offset == 0 && scalar == "\u{FEFF}"
        position.offset += UTF8.width(scalar)
        (position.line, position.column) =
            scalar == "\n" ? (position.line + 1, 1) : (position.line, position.column + (isMark ? 0 : 1))
    }
    return found
}

extension XMLStreamParser {
    private struct NoElement: Error {}

    /// The next event, which must be an element.
    mutating func nextElement() throws -> Element {
        guard case .element(let element, _)? = try next() else { throw NoElement() }
        return element
    }

    // Sizes for the tests of a parser's costs.
    /// The number of names and namespaces that the parser knows.
    var dictionarySize: Int { tokenizer.names.count }
    /// The memory for names.
    var nameCapacity: Int { tokenizer.names.writer.table.capacityInBytes + tokenizer.names.bytes.capacityInBytes }
    /// The memory for the current tree.
    var bufferCapacity: Int { tokenizer.assembler.capacityInBytes }
    /// The memory for incomplete input.
    var inputCapacity: Int { tokenizer.input.capacityInBytes }
}

extension SourcePosition {
    /// `line:column@offset`.
    var short: String { "\(line):\(column)@\(offset)" }
}

let header = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>"
