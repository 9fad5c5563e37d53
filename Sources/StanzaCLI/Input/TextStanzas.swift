// The stanzas of a text in memory, for programs that take pasted input.

import XMLTree

/// The stanzas that `stanza find` reads in a text: fragments, a session, JSON lines, or those of a log.
package struct TextStanzas {
    /// The stanzas, with the UTF-8 offsets at which they, or their lines, begin.
    package private(set) var stanzas: [(element: Element, offset: Int)] = []
    /// The first mistake, with its UTF-8 offset.
    package private(set) var problem: (message: String, offset: Int)?
    /// Whether there are more stanzas.
    package private(set) var isCut = false

    package init(_ text: String, maximum: Int) {
        var text = text
        let reader = StanzaReader(ReadingSettings())
        text.withUTF8 { reader.feed(UnsafeRawBufferPointer($0)) }
        take(reader, maximum, text)
        reader.finish()
        take(reader, maximum, text)
    }

    private mutating func take(_ reader: StanzaReader, _ maximum: Int, _ text: String) {
        while !isCut, let item = reader.next() {
            switch item {
            case .stanza(let element, let position, _):
                isCut = stanzas.count == maximum
                if !isCut { stanzas.append((element, position.offset)) }
            case .problem(let problem):
                if self.problem == nil { self.problem = (problem.message, problem.offset(in: text)) }
            case .results: break
            }
        }
    }
}

extension InputProblem {
    /// The place in UTF-8 code units.
    fileprivate func offset(in text: String) -> Int {
        let lines = text.unicodeScalars.split(separator: "\n", maxSplits: line - 1, omittingEmptySubsequences: false)
        guard let rest = lines.last, lines.count == line else { return text.utf8.count }
        let place = rest.index(rest.startIndex, offsetBy: column - 1, limitedBy: rest.endIndex) ?? rest.endIndex
        return text.utf8.distance(from: text.startIndex, to: place)
    }
}
