// Compares the results of an element with those of the naive evaluator, for the fuzzers of queries. FuzzInterpolation
// and StanzaQueryTests have this file, too.

import QuerySyntax

@testable import StanzaQuery

/// Requires that an element finds the expected results.
///
/// - Parameters:
///   - expected: The results; `nil` when a match ran past its limits.
///   - place: The number of an element in its tree.
func compare<Node: QueryableElement>(
    _ query: Query, _ arguments: [any QueryArgument] = [], on element: Node, with expected: [NaiveValue]?,
    _ place: (Node) -> Int?
) {
    do throws(QueryError) {
        let found = try element.find(query, arguments: arguments).map { NaiveValue($0, place) }
        guard let expected else { return require(false, "expected a match that runs past its limits") }
        require(found.count == expected.count, "\(found.count) results, expected \(expected.count)")
        for (one, other) in zip(found, expected) { require(one.isAsGood(as: other), "\(one), expected \(other)") }
        let first = try element.findFirst(query, arguments: arguments).map { NaiveValue($0, place) }
        require(first == found.first, "findFirst gives \(String(describing: first))")
        let isThere = try element.check(query, arguments: arguments)
        require(isThere == !found.isEmpty, "check gives \(isThere)")
    } catch {
        require(error.kind == .regexLimit && expected == nil, "unexpected \(error)")
    }
}

extension NaiveValue {
    /// Equality, but for the last digit of a fraction of a second: milliseconds are rounded in two ways.
    fileprivate func isAsGood(as other: NaiveValue) -> Bool {
        if case (.date(let one), .date(let other)) = (self, other) { return abs(one - other) <= 1 }
        return self == other
    }
}

extension NaiveTree {
    /// Whether all values of attributes are.
    var isASCII: Bool {
        nodes.allSatisfy { $0.attributes.allSatisfy { $0.value.utf8.allSatisfy { $0 < 0x80 } } }
    }
}
