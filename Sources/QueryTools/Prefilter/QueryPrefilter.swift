// The prefilter of a query: literals that the bytes of every stanza with a result contain.
//
// A query is a conjunction: a result needs every step to pass once. So each step can add literals, and none removes
// one. PrefilterCollector.swift decides which step adds which literal.

import QuerySyntax
import StanzaQuery

/// What a stanza must contain for a query to have a result, or to fail at a limit, with the stanza as its context.
///
/// A stanza that lacks one of the literals needs no parser. A stanza that has them all may still have no result.
package struct QueryPrefilter: Hashable, Sendable {
    /// A text that the bytes of the stanza contain.
    package enum Literal: Hashable, Sendable {
        /// The name of an element or an attribute. XML has one spelling for it. In JSON, `\u` escapes can replace its
        /// characters.
        case name(String)
        /// A part of an attribute's value. XML has other spellings, and each has a `&` inside a tag. In JSON, escapes
        /// can replace its characters and the `&`.
        case value(String)

        /// The text without the kind.
        var text: String {
            switch self {
            case .name(let text), .value(let text): text
            }
        }
    }

    /// In the order of the program, without literals that others imply. Empty if any stanza may have a result.
    package let literals: [Literal]

    init(_ found: [Literal]) {
        // A name always has its one spelling. So it implies each of its parts.
        literals = found.enumerated().filter { place, literal in
            !found.enumerated().contains { otherPlace, other in
                if place == otherPlace { return false }
                if literal == other { return otherPlace < place }
                guard case .name(let name) = other, name.utf8.contains(literal.text.utf8) else { return false }
                return literal.text.utf8.count < name.utf8.count || !literal.isName
            }
        }.map(\.element)
    }
}

extension QueryPrefilter.Literal {
    var isName: Bool { if case .name = self { true } else { false } }
}

extension QueryPrefilter: CustomStringConvertible {
    /// A literal in each line, as `stanza explain` prints it.
    package var description: String {
        if literals.isEmpty { return "none: any stanza may have a result" }
        return literals.map { literal in
            switch literal {
            case .name(let name): "name \(quotedText(name))"
            case .value(let value): "value \(quotedText(value)), or '&' in a tag"
            }
        }.joined(separator: "\n")
    }
}

extension Query {
    /// What a stanza must contain for this query to have a result.
    ///
    /// Complexity: quadratic in the number of names and values of the query.
    package var prefilter: QueryPrefilter {
        var collector = PrefilterCollector(program)
        return QueryPrefilter(collector.literals())
    }
}

extension Collection<UInt8> {
    fileprivate func contains(_ part: some Collection<UInt8>) -> Bool {
        var rest = self[...]
        while rest.count >= part.count {
            if rest.starts(with: part) { return true }
            if rest.popFirst() == nil { break }
        }
        return false
    }
}
