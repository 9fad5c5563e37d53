// The parts of an answer about the stanzas: their mistakes, the elements that the query examined, and the results, with
// UTF-16 offsets.

import QueryTools
import StanzaCLI
import StanzaQuery

/// The stanzas of a text, as `stanza find` reads it.
struct EvaluatedText {
    let stanzas: [EvaluatedStanza]
    let problems: [StanzaProblem]
    /// Whether there are more stanzas.
    let isCut: Bool

    /// Reads one stanza with the namespaces of a client's stream, or else all that a log or a session has.
    init(_ text: String) {
        let offsets = TextOffsets(text)
        let end = text.utf8.count
        do throws(XMLParseError) {
            let root = try Element(stanza: text)
            (problems, isCut) = ([], false)
            stanzas = [EvaluatedStanza(root, in: text, at: 0..<end, offsets)]
        } catch {
            let read = TextStanzas(text, maximum: PlaygroundLimits.stanzas)
            isCut = read.isCut
            let ends = read.stanzas.dropFirst().map(\.offset) + [end]
            stanzas = zip(read.stanzas, ends).map { stanza, end in
                EvaluatedStanza(stanza.element, in: text, at: stanza.offset..<max(end, stanza.offset), offsets)
            }
            let problem =
                stanzas.isEmpty ? (message: error.messageWithoutSettings, offset: error.position.offset) : read.problem
            problems = problem.map { [StanzaProblem($0.message, at: $0.offset, in: text, offsets)] } ?? []
        }
    }
}

/// A stanza with the places of its elements.
struct EvaluatedStanza {
    let root: Element
    private let offsets: TextOffsets
    private let places: ElementPlaces?

    fileprivate init(_ root: Element, in text: String, at range: Range<Int>, _ offsets: TextOffsets) {
        self.root = root
        self.offsets = offsets
        places = ElementPlaces(of: root, in: text, at: range)
    }

    /// Adds the query's marks on the elements, in document order, up to `PlaygroundLimits.marks`. Returns whether there
    /// are more.
    func addMarks(_ inspection: QueryInspection, to marks: inout [ElementMark]) -> Bool {
        var isCut = false
        places?.forEach { element, place, path in
            guard let mark = inspection.mark(of: element) else { return true }
            isCut = marks.count == PlaygroundLimits.marks
            if isCut { return false }
            marks.append(
                ElementMark(
                    start: offsets[place.startTag.lowerBound], end: offsets[place.startTag.upperBound],
                    mark: mark.name, path: path))
            return true
        }
        return isCut
    }

    /// Adds the results as texts. Returns whether some or parts of them are left out.
    ///
    /// - Parameter rest: The bytes left for their texts.
    func addResults(_ inspection: QueryInspection, to results: inout [ResultText], _ rest: inout Int) -> Bool {
        var paths = IndexPaths<Element>()
        for result in inspection.results {
            if rest <= 0 { return true }
            var text = result.value.text
            let isTooLong = text.utf8.count > rest
            if isTooLong { text = text.cut(toBytes: rest) }
            rest -= text.utf8.count
            let path = paths.path(of: result.element)
            let place = places?.place(at: path)?.whole
            results.append(
                ResultText(
                    kind: result.value.kind.rawValue, text: text, path: path,
                    start: place.map { offsets[$0.lowerBound] }, end: place.map { offsets[$0.upperBound] }))
            if isTooLong { return true }
        }
        return inspection.isCut
    }
}

extension StanzaProblem {
    /// The character where the problem begins; empty at the end of the text.
    fileprivate init(_ message: String, at offset: Int, in text: String, _ offsets: TextOffsets) {
        let scalars = text.unicodeScalars
        let start = text.utf8.index(text.startIndex, offsetBy: offset, limitedBy: text.endIndex)
        let length = start.map { scalars[$0...].first.map { UTF8.width($0) } ?? 0 } ?? 0
        self.init(message: message, start: offsets[offset], end: offsets[offset + length])
    }
}

extension QueryInspection.Mark {
    fileprivate var name: String {
        switch self {
        case .matched: "matched"
        case .visited: "visited"
        case .rejected: "rejected"
        }
    }
}

extension String {
    /// The longest beginning of whole characters with at most `count` bytes.
    fileprivate func cut(toBytes count: Int) -> String {
        var end = utf8.index(startIndex, offsetBy: count, limitedBy: endIndex) ?? endIndex
        while end > startIndex, end < endIndex, UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
