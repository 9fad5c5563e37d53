// The parts of an answer about the stanza: its mistakes, the elements that the query examined, and the results, with
// UTF-16 offsets.

import QueryTools
import StanzaCLI
import StanzaQuery

/// A stanza with the places of its elements.
struct EvaluatedStanza {
    let root: Element
    private let offsets: TextOffsets
    private let places: ElementPlaces?

    /// Reads one stanza with the namespaces of a client's stream.
    init(_ text: String) throws(XMLParseError) {
        root = try Element(parsing: text, in: .clientStream)
        offsets = TextOffsets(text)
        places = ElementPlaces(of: root, in: text)
    }

    /// The reasons why a text is not a stanza.
    static func problems(of text: String) -> [StanzaProblem] {
        do throws(XMLParseError) {
            _ = try Element(parsing: text, in: .clientStream)
            return []
        } catch {
            return [StanzaProblem(error, in: text)]
        }
    }

    /// The query's marks on the elements, in document order, at most `PlaygroundLimits.marks`; and whether there are
    /// more.
    func marks(_ inspection: QueryInspection) -> (marks: [ElementMark], isCut: Bool) {
        var marks: [ElementMark] = []
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
        return (marks, isCut)
    }

    /// The results as texts, and whether some or parts of them are left out.
    func results(_ inspection: QueryInspection) -> (results: [ResultText], isCut: Bool) {
        var paths = IndexPaths<Element>()
        var results: [ResultText] = []
        var rest = PlaygroundLimits.resultBytes
        for result in inspection.results {
            if rest <= 0 { return (results, true) }
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
            if isTooLong { return (results, true) }
        }
        return (results, inspection.isCut)
    }
}

extension StanzaProblem {
    /// The character where the problem begins; empty at the end of the text.
    init(_ error: XMLParseError, in text: String) {
        let offsets = TextOffsets(text)
        let scalars = text.unicodeScalars
        let start = text.utf8.index(text.startIndex, offsetBy: error.position.offset, limitedBy: text.endIndex)
        let length = start.map { scalars[$0...].first.map { UTF8.width($0) } ?? 0 } ?? 0
        self.init(
            message: error.messageWithoutSettings, start: offsets[error.position.offset],
            end: offsets[error.position.offset + length])
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
