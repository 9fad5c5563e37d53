// Reads one of the JSON lines: an object whose member `xml` is a stanza. A bad line costs nothing but itself.

import StanzaQuery

/// Reads lines. Each thread has its own: the parser of XML is kept from line to line.
final class JSONLineReader {
    private var parser: XMLStreamParser

    init(_ settings: ReadingSettings) {
        parser = XMLStreamParser(mode: .fragments(in: settings.context), limits: settings.limits(for: .jsonl))
    }

    /// The stanza in a line, or what is wrong with it; `nil` for a line of white space.
    func read(_ line: JSONLine) -> InputItem? {
        var bytes = line.bytes
        if line.number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }

        func problem(at offset: Int, _ message: String) -> InputItem {
            let column = bytes.prefix(offset).count { $0 & 0xC0 != 0x80 } + 1
            return .problem(InputProblem(line: line.number, column: column, message: message))
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(bytes)
        } catch {
            return problem(at: error.offset, error.message)
        }
        guard let members = value.object else {
            return problem(at: 0, "expected a JSON object with the member 'xml'")
        }
        guard let member = members.member("xml") else { return problem(at: 0, "this object has no member 'xml'") }
        guard let xml = member.value.string else {
            return problem(at: member.offset, "the member 'xml' must be a string")
        }
        do throws(XMLParseError) {
            return .stanza(try element(of: xml), line: line.number)
        } catch {
            let place = "line \(error.position.line), column \(error.position.column)"
            return problem(at: member.offset, "in 'xml', \(place): \(error.advice)")
        }
    }

    /// As `Element(parsing:)`, without a new parser.
    private func element(of xml: String) throws(XMLParseError) -> Element {
        defer { parser.reset() }
        parser.feed(xml)
        parser.finish()
        var only: Element?
        while let event = try parser.next() {
            guard case .element(let element, let position) = event else { continue }
            if only != nil { throw XMLParseError(.notOneElement, at: position) }
            only = element
        }
        guard let only else { throw XMLParseError(.notOneElement, at: .start) }
        return only
    }
}
