// This package's parser, asked the same question at any cuts.

import XMLTree

/// The answer of our parser.
struct Answer {
    let verdict: Verdict
    /// Why it refuses.
    fileprivate(set) var error: XMLParseError?
    /// Where the root element begins, if there is one.
    fileprivate(set) var root: Int?
}

/// Asks our parser, in pieces of the lengths that `cut` gives.
func ourAnswer(_ input: [UInt8], cut: () -> Int) -> Answer {
    var parser = XMLStreamParser(mode: .document, limits: .generous)
    var writer = CanonicalWriter()
    var root: Int?
    do throws(XMLParseError) {
        var start = 0
        while start < input.count {
            let end = min(start + max(cut(), 1), input.count)
            parser.feed(input[start..<end])
            start = end
            try take(&parser, &writer, &root)
        }
        parser.finish()
        try take(&parser, &writer, &root)
        return Answer(verdict: .content(writer.bytes), root: root)
    } catch {
        return Answer(verdict: .refused(error.description, at: error.position.offset), error: error, root: root)
    }
}

private func take(
    _ parser: inout XMLStreamParser, _ writer: inout CanonicalWriter, _ root: inout Int?
) throws(XMLParseError) {
    while let event = try parser.next() {
        switch event {
        case .element(let element, let position):
            root = position.offset
            writer.write(element)
        case .rejected(let stanza): throw stanza.error
        case .streamStart(let header): writer.start(header.element)
        case .streamEnd: writer.end()
        }
    }
}

extension CanonicalWriter {
    fileprivate mutating func start(_ element: Element) {
        start(
            Self.expanded((element.namespace ?? "").utf8, element.name.utf8),
            attributes: element.attributes.map { attribute in

                // The name is as written, with its prefix.
                let name = attribute.name.utf8.split(separator: UInt8(ascii: ":")).last ?? attribute.name.utf8[...]
                return (Self.expanded((attribute.namespace ?? "").utf8, name), Array(attribute.value.utf8))
            })
    }

    fileprivate mutating func write(_ element: Element) {
        start(element)
        for node in element.content {
            switch node {
            case .element(let child): write(child)
            case .text(let text): self.text(text.utf8)
            }
        }
        end()
    }
}

extension ParserLimits {
    /// Limits that fuzzed inputs do not reach.
    static let generous = ParserLimits(
        bytes: 1 << 26, depth: 1 << 12, elements: 1 << 22, attributes: 1 << 16, nameLength: 1 << 20, names: 1 << 20,
        declarations: 1 << 16)
}
