// Turns the parser's output into lines of text for its tests, by reading the storage itself.

import Testing

@testable import XMLTree

extension Element {
    /// A text that is equal for elements of equal names, declarations, attributes and text: `{ns}p:name`.
    var dump: String { dump(index) }

    private func dump(_ node: NodeIndex) -> String {
        let record = view.name(of: node)
        var text = "<\(name(record))"
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

/// The output of a parser, one line for each event and error.
struct Transcript: Equatable, CustomStringConvertible {
    var lines: [String] = []
    /// The element that was open at each error.
    private(set) var unclosed: [XMLParseError.OpenElement?] = []

    var description: String { lines.joined(separator: "\n") }

    /// Takes all events and errors that are ready. It omits nothing, so it detects a parser that repeats an error. It
    /// stops at far more lines than any input of these tests has.
    mutating func drain(_ parser: inout XMLStreamParser) {
        while true {
            do throws(XMLParseError) {
                guard let event = try parser.next() else { return }
                lines.append(Self.line(event))
            } catch {
                lines.append("error \(error.kind) at \(error.position.short)")
                unclosed.append(error.unclosed)
                if lines.count > 1_000_000 { return }
            }
        }
    }

    static func line(_ event: XMLStreamParser.Event) -> String {
        switch event {
        case .streamStart(let header): "start \(header.position.short) \(header.element.dump)"
        case .element(let element, let position): "element \(position.short) \(element.dump)"
        case .rejected(let stanza): line(stanza)
        case .streamEnd: "end"
        }
    }

    private static func line(_ stanza: XMLStreamParser.RejectedStanza) -> String {
        if case .limit(let limit, _) = stanza.error.kind {
            return "rejected \(limit) \(stanza.position.short) \(stanza.name)"
        }
        return "rejected \(stanza.error.kind) at \(stanza.error.position.short) in \(stanza.position.short)"
    }
}

/// Sizes for the tests of a parser's costs.
extension XMLStreamParser {
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

/// Returns the first place of `needle` in `text`, in the short form, counted in the simplest way.
func place(of needle: String, in text: String) -> String {
    let bytes = Array(text.utf8)
    let pattern = Array(needle.utf8)
    let offset = (0...bytes.count).first { bytes[$0...].starts(with: pattern) } ?? bytes.count
    let before = String(decoding: bytes[..<offset], as: UTF8.self).unicodeScalars
    let line = before.count { $0 == "\n" } + 1
    let column = before.reversed().prefix { $0 != "\n" }.count + 1
    return SourcePosition(line: line, column: column, offset: offset).short
}

/// Parses all of `bytes`, in chunks of that size, and returns the output.
///
/// - Parameter beginning: Input before them, which is fed in one piece.
func transcript(
    _ bytes: [UInt8], _ mode: XMLStreamParser.Mode, behind beginning: String = "", chunk: Int = .max,
    limits: ParserLimits? = nil, renewal: Renewal = .standard
) -> Transcript {
    var parser = XMLStreamParser(mode: mode, limits: limits, renewal: renewal)
    var transcript = Transcript()
    if !beginning.isEmpty {
        parser.feed(beginning)
        transcript.drain(&parser)
    }
    var start = 0
    while start < bytes.count {
        let end = chunk < bytes.count - start ? start + chunk : bytes.count
        parser.feed(bytes[start..<end])
        transcript.drain(&parser)
        start = end
    }
    parser.finish()
    transcript.drain(&parser)
    return transcript
}

func transcript(
    _ text: String, _ mode: XMLStreamParser.Mode, chunk: Int = .max, limits: ParserLimits? = nil,
    renewal: Renewal = .standard
) -> Transcript {
    transcript(Array(text.utf8), mode, chunk: chunk, limits: limits, renewal: renewal)
}

let header = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>"
