// Reads JSON lines: each is an object whose member `xml` is a stanza. A bad line costs nothing but itself.
//
// Setting up a parser of XML costs more than a stanza. So the stanzas of many lines are parsed in one go; only if that
// does not give one element for each line, each is parsed alone, to tell which line is bad, and why.

import StanzaQuery

/// Reads lines. Each thread has its own.
final class JSONLineReader {
    private var parser: XMLStreamParser

    init(_ settings: ReadingSettings) {
        parser = XMLStreamParser(mode: .fragments(in: settings.context), limits: settings.limits(for: .jsonl))
    }

    /// The stanzas in lines, or what is wrong with them; nothing for lines of white space.
    func read(_ lines: [JSONLine]) -> [InputItem] {
        let contents = lines.compactMap(LineContent.init)
        let elements = elements(of: contents.compactMap(\.xml))
        var next = 0
        return contents.map { content in
            guard let xml = content.xml else { return .problem(content.problem) }
            defer { next += 1 }
            if let elements { return .stanza(elements[next], line: content.line.number) }
            do throws(XMLParseError) {
                return .stanza(try element(of: xml), line: content.line.number)
            } catch {
                let place = "line \(error.position.line), column \(error.position.column)"
                return .problem(content.problem("in 'xml', \(place): \(error.advice)"))
            }
        }
    }

    /// The elements of texts that hold one each; `nil` if one of them may not.
    ///
    /// A text that holds anything but one element, and what may follow it, either causes an error, or an element that
    /// does not begin where a text begins.
    private func elements(of texts: [String]) -> [Element]? {
        var bytes: [UInt8] = []
        var starts: [Int] = []
        for text in texts {
            starts.append(bytes.count)
            bytes += text.utf8
            bytes.append(UInt8(ascii: "\n"))
        }
        defer { parser.reset() }
        parser.feed(bytes)
        parser.finish()
        var elements: [Element] = []
        do throws(XMLParseError) {
            while let event = try parser.next() {
                guard case .element(let element, let position) = event else { continue }
                guard elements.count < starts.count, position.offset == starts[elements.count] else { return nil }
                elements.append(element)
            }
        } catch {
            return nil
        }
        return elements.count == texts.count ? elements : nil
    }

    /// As `Element(parsing:)`, with this parser.
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

/// What the JSON of a line holds.
private struct LineContent {
    let line: JSONLine
    /// The member `xml`; `nil` if there is none to be had.
    private(set) var xml: String?
    /// Where the member stands in the line, or what is wrong.
    private var offset = 0
    private var message = ""

    /// `nil` for a line of white space.
    init?(_ line: JSONLine) {
        var bytes = line.bytes
        if line.number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
        self.line = JSONLine(bytes: bytes, number: line.number)
        do throws(JSONError) {
            let value = try JSONReader.read(bytes)
            guard let members = value.object else {
                message = "expected a JSON object with the member 'xml'"
                return
            }
            guard let member = members.member("xml") else {
                message = "this object has no member 'xml'"
                return
            }
            offset = member.offset
            xml = member.value.string
            message = "the member 'xml' must be a string"
        } catch {
            offset = error.offset
            message = error.message
        }
    }

    /// Why there is no XML.
    var problem: InputProblem { problem(message) }

    /// Something that is wrong there.
    func problem(_ message: String) -> InputProblem {
        let column = line.bytes.prefix(offset).count { $0 & 0xC0 != 0x80 } + 1
        return InputProblem(line: line.number, column: column, message: message)
    }
}
