// The list of 8.1: the intended differences between the language and Prosody's, with a test that recognizes each.
//
// KnownDifferenceTests.swift shows each of them; Comparison.swift keeps them out of the comparison.

/// An entry of the list in rule 8.1.
enum KnownDifference: String, CaseIterable {
    case childWithoutNamespace = "a segment without namespace never matches a child without one under a parent with one"
    case emptyQuery = "the empty query is the context, not its first child"
    case leadingSlash = "a leading '/' is rooted"
    case emptySegment = "empty segments are errors"
    case trailingSlash = "a trailing '/' is an error"
    case textBehindHash = "text after '#' is an error"
    case allBranches = "all matching branches are followed, not only the first child at each step"
    case textBesideChildren = "'#' of an element with child elements gives its own text"
    case emptyText = "'#' of an empty element gives nothing"

    /// Whether this entry covers a query, or an event of Prosody's evaluation of it.
    func concerns(_ text: String, _ query: ProsodyQuery, _ answer: ProsodyAnswer) -> Bool {
        let (segments, last) = (query.segments, query.segments.last)
        return switch self {
        case .childWithoutNamespace: answer.hasTakenChildWithoutNamespace
        case .emptyQuery: text.isEmpty
        case .leadingSlash: text.utf8.first == UInt8(ascii: "/")
        case .emptySegment: segments.dropFirst().contains { $0.isBare && $0.separator == .slash }
        case .trailingSlash: last?.separator == .slash && query.attribute == nil && !query.isBroken
        case .textBehindHash:
            segments.dropLast().contains { $0.separator == .hash }
                || last?.separator == .hash && (query.attribute != nil || query.isBroken)
        case .allBranches: answer.hasPassedOtherChildren
        case .textBesideChildren: answer.hasAskedTextBesideChildren
        case .emptyText: answer.hasGivenEmptyText
        }
    }

    /// Whether this entry only gives results where Prosody gives none. Prosody's own results stay the same then: its
    /// way is the first in document order.
    var onlyAddsResults: Bool { [.allBranches, .textBesideChildren].contains(self) }
}
