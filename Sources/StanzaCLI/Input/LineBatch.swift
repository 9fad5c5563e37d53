// Reads lines that hold a stanza each, as JSON or XML, many at a time.
//
// The setup of an XML parser costs more than a stanza. So the batch parses the stanzas of many lines at once. Only if
// that does not give one element for each line, it parses each line alone, to find the bad lines and their mistakes.

import XMLTree

/// Some lines to be read.
struct LineBatch: ~Copyable {
    private var parser: XMLStreamParser
    private let allowsXML: Bool
    private let members: LineMembers
    private let limits: ParserLimits
    private var lines: [Line] = []
    /// The XML of the lines, each followed by a line feed.
    private var xml: [UInt8] = []
    /// Whether all XML comes from JSON strings. That is text, whatever encoding it names.
    private var isAllText = true
    /// The items of lines that were read.
    private var items: [InputItem] = []
    private var firstItem = 0

    /// The maximum number of lines parsed at once: with a bad line, all of them have to be parsed again.
    static let mostLines = 64
    /// A larger batch is not cheaper.
    static let mostBytes = 1 << 16

    /// - Parameter allowsXML: Whether a line that does not begin with `{` is XML.
    init(context: NamespaceContext, limits: ParserLimits, allowsXML: Bool, members: LineMembers = LineMembers()) {
        self.members = members
        self.limits = limits
        parser = XMLStreamParser(mode: .fragments(in: context), limits: limits)
        self.allowsXML = allowsXML
    }

    /// Whether it is time to read.
    var isFull: Bool { lines.count >= Self.mostLines || xml.count >= Self.mostBytes }

    /// Adds a line; skips one of white space.
    mutating func add(_ line: UnsafeRawBufferPointer, at start: SourcePosition) {
        var line = line
        if start.offset == 0, line.starts(with: FormatRecognizer.byteOrderMark) {
            line = UnsafeRawBufferPointer(rebasing: line[FormatRecognizer.byteOrderMark.count...])
        }
        guard let first = line.first(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return }
        if allowsXML, first != UInt8(ascii: "{") {
            lines.append(Line(start: start, content: .xml(xml.count..<xml.count + line.count, column: nil)))
            isAllText = false
            xml.append(contentsOf: line)
        } else {
            addJSON(line, at: start)
        }
        xml.append(UInt8(ascii: "\n"))
    }

    /// Adds an element that was found in a line.
    mutating func add(xml element: UnsafeRawBufferPointer, at start: SourcePosition, members: [JSONValue]) {
        let range = xml.count..<xml.count + element.count
        lines.append(Line(start: start, content: .xml(range, column: nil), members: members))
        isAllText = false
        xml.append(contentsOf: element)
        xml.append(UInt8(ascii: "\n"))
    }

    /// Adds a mistake in a line.
    mutating func add(_ problem: InputProblem) {
        lines.append(Line(start: .start, content: .problem(problem)))
    }

    /// The next item that was read; `nil` if there is none so far.
    mutating func next() -> InputItem? {
        guard firstItem < items.count else {
            restart()
            return nil
        }
        defer { firstItem += 1 }
        return items[firstItem]
    }

    /// Forgets the items.
    mutating func restart() {
        items.removeAll(keepingCapacity: true)
        firstItem = 0
    }

    /// Reads the lines, and forgets them.
    ///
    /// - Parameter readsBad: Whether to read anything if not each line is a stanza.
    /// - Returns: Whether each line is a stanza.
    @discardableResult
    mutating func read(evenBad readsBad: Bool = true) -> Bool {
        let count = items.count
        let isGood = lines.isEmpty || readTogether()
        if !isGood {
            items.removeLast(items.count - count)
            if readsBad { readApart() }
        }
        lines.removeAll(keepingCapacity: true)
        xml.removeAll(keepingCapacity: true)
        isAllText = true
        return isGood
    }
}

/// A line, and the part of it that is XML.
private struct Line {
    let start: SourcePosition
    var content: Content
    var members: [JSONValue] = []
    /// The name of the member with the XML.
    var member = "xml"

    enum Content {
        /// The place of the XML in the batch, and the column of the JSON string that it comes from.
        case xml(Range<Int>, column: Int?)
        case problem(InputProblem)
    }
}

extension LineBatch {
    private mutating func addJSON(_ line: UnsafeRawBufferPointer, at start: SourcePosition) {
        let textStart = xml.count
        func column(_ offset: Int) -> Int { line.prefix(offset).count { $0 & 0xC0 != 0x80 } + 1 }
        func problem(_ message: String, at offset: Int) -> Line {
            Line(
                start: start,
                content: .problem(InputProblem(line: start.line, column: column(offset), message: message)))
        }
        if let name = members.onlyStanza, let offset = JSONReader.append(name, of: line, to: &xml) {
            return addText(
                from: textStart,
                Line(start: start, content: .xml(0..<0, column: column(offset)), member: members.name(0)))
        }
        do throws(JSONError) {
            let value = try JSONReader.read(line)
            guard value.object != nil else {
                lines.append(problem("expected a JSON object with the member \(members.shown)", at: 0))
                return
            }
            guard let (name, member) = members.stanza(in: value) else {
                lines.append(problem("this object has no member \(members.shown)\(members.advice(for: value))", at: 0))
                return
            }
            guard let text = member.value.string else {
                lines.append(problem("the member '\(name)' must be a string", at: member.offset))
                return
            }
            xml.append(contentsOf: text.utf8)
            addText(
                from: textStart,
                Line(
                    start: start, content: .xml(0..<0, column: column(member.offset)),
                    members: members.kept(of: value), member: name))
        } catch {
            lines.append(problem(error.message, at: error.offset))
        }
    }

    /// Adds the text of a member, which ends the XML so far. A member that the user named may be a log's text.
    private mutating func addText(from start: Int, _ line: Line) {
        guard members.mayHaveText else { return lines.append(line.with(start..<xml.count)) }
        let text = Array(xml[start...])
        var scanner = LogScanner(limits: limits)
        let found = text.withUnsafeBytes { scanner.scan($0, from: 0, isEnd: true) }
        if found.isEmpty {
            // A mistake in a stanza is reported, other text is not.
            if text.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") {
                return lines.append(line.with(start..<xml.count))
            }
            return xml.removeLast(text.count)
        }
        xml.removeLast(text.count)
        for element in found {
            let place = xml.count
            xml += text[element.range]
            lines.append(line.with(place..<xml.count))
            xml.append(UInt8(ascii: "\n"))
        }
    }

    /// Reads texts that should hold one element each. Returns whether they do; if not, discard the items.
    ///
    /// If a text holds anything but one element, and what may follow it, the parser fails, or an element does not begin
    /// where a text begins.
    private mutating func readTogether() -> Bool {
        defer { parser.reset() }
        feed(0..<xml.count, isText: isAllText)
        parser.finish()
        for line in lines {
            switch line.content {
            case .problem(let problem):
                items.append(.problem(problem))
            case .xml(let range, _):
                guard case .element(let element, let position)? = try? parser.next(),
                    position.offset == range.lowerBound
                else { return false }
                items.append(.stanza(element, at: line.start, members: line.members))
            }
        }
        // Nothing remains, not even an error.
        do throws(XMLParseError) { return try parser.next() == nil } catch { return false }
    }

    private mutating func readApart() {
        for line in lines {
            switch line.content {
            case .problem(let problem):
                items.append(.problem(problem))
            case .xml(let range, let column):
                do throws(XMLParseError) {
                    let element = try element(in: range, isText: column != nil)
                    items.append(.stanza(element, at: line.start, members: line.members))
                } catch {
                    items.append(.problem(line.problem(error, column: column)))
                }
            }
        }
    }

    /// As `Element(parsing:)`, with this parser.
    private mutating func element(in range: Range<Int>, isText: Bool) throws(XMLParseError) -> Element {
        defer { parser.reset() }
        feed(range, isText: isText)
        return try parser.finishOneElement()
    }

    private mutating func feed(_ range: Range<Int>, isText: Bool) {
        xml.withUnsafeBytes { bytes in
            let part = UnsafeRawBufferPointer(rebasing: bytes[range])
            if isText { parser.feed(text: part) } else { parser.feed(part) }
        }
    }
}

extension Line {
    /// The line with the place of its XML in the batch.
    fileprivate func with(_ xml: Range<Int>) -> Line {
        guard case .xml(_, let column) = content else { return self }
        var line = self
        line.content = .xml(xml, column: column)
        return line
    }

    /// A mistake in the XML.
    fileprivate func problem(_ error: XMLParseError, column: Int?) -> InputProblem {
        guard let column else {
            let moved = error.moved { SourcePosition(line: start.line, column: $0.column, offset: $0.offset) }
            let isBeyondLimit = if case .limit = error.kind { true } else { false }
            return InputProblem(
                line: start.line, column: error.position.column, message: moved.advice, isBeyondLimit: isBeyondLimit)
        }
        let place = "line \(error.position.line), column \(error.position.column)"
        return InputProblem(line: start.line, column: column, message: "in '\(member)', \(place): \(error.advice)")
    }
}
