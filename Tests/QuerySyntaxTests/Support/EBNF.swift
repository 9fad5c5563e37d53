// A reader for Grammar/stanza-query.ebnf: the notation of XML 1.0, section 6, as rules that can be run.
// EBNF+Matching.swift recognizes texts by them, EBNF+Sentences.swift makes sentences, EBNF+Coverage.swift counts the
// rules that a sentence uses.

import Foundation
import TestSupport

/// A grammar, read from its text.
struct EBNF: Sendable {
    indirect enum Expression: Sendable {
        case text([Unicode.Scalar])
        case set(CharacterRanges)
        case difference(Expression, Expression)
        case rule(String)
        case sequence([Expression])
        case choice([Expression])
        case repeated(Expression, from: Int, isEndless: Bool)
    }

    struct CharacterRanges: Sendable {
        var ranges: [ClosedRange<UInt32>]
        var isNegated: Bool

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            ranges.contains { $0.contains(scalar.value) } != isNegated
        }
    }

    struct Malformed: Error {
        let message: String
    }

    private(set) var start: String
    private(set) var rules: [String: Expression]

    /// The project's grammar.
    static func project() throws -> EBNF {
        let file = packageFolder.appending(path: "Grammar/stanza-query.ebnf")
        return try EBNF(String(contentsOf: file, encoding: .utf8))
    }

    init(_ text: String) throws {
        var reader = EBNFReader(text)
        var rules: [String: Expression] = [:]
        var start: String?
        while let (name, expression) = try reader.readRule() {
            guard rules.updateValue(expression, forKey: name) == nil else {
                throw Malformed(message: "two rules \(name)")
            }
            start = start ?? name
        }
        guard let start else { throw Malformed(message: "no rules") }
        self.start = start
        self.rules = rules
        for (name, expression) in rules {
            for reference in expression.references where rules[reference] == nil {
                throw Malformed(message: "\(name) refers to \(reference), which does not exist")
            }
        }
    }

    /// The language of one of the rules.
    func starting(at rule: String) -> EBNF {
        var copy = self
        copy.start = rule
        return copy
    }

    /// The grammar with some rules replaced and added.
    func overridden(by text: String) throws -> EBNF {
        var copy = self
        copy.rules.merge(try EBNF(text + "\n" + stub(for: text)).rules.filter { $0.value.isReal }) { $1 }
        return copy
    }

    /// Empty rules for the names that an overriding text uses but does not define.
    private func stub(for text: String) -> String {
        rules.keys.filter { !text.contains("\($0) ::=") }.map { "\($0) ::= 'stub'\n" }.joined()
    }
}

extension EBNF.Expression {
    fileprivate var isReal: Bool {
        if case .text(let scalars) = self { return scalars != Array("stub".unicodeScalars) }
        return true
    }

    var references: [String] {
        switch self {
        case .text, .set: []
        case .rule(let name): [name]
        case .difference(let left, let right): left.references + right.references
        case .sequence(let parts), .choice(let parts): parts.flatMap(\.references)
        case .repeated(let part, _, _): part.references
        }
    }
}

/// The text of a grammar, read from left to right.
private struct EBNFReader {
    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func readRule() throws -> (String, EBNF.Expression)? {
        skipSpace()
        guard position < scalars.count else { return nil }
        let name = readName()
        guard !name.isEmpty, take("::=") else { throw failure("a rule") }
        return (name, try readChoice())
    }

    private mutating func readChoice() throws -> EBNF.Expression {
        var alternatives = [try readSequence()]
        while take("|") { alternatives.append(try readSequence()) }
        return alternatives.count == 1 ? alternatives[0] : .choice(alternatives)
    }

    private mutating func readSequence() throws -> EBNF.Expression {
        var items: [EBNF.Expression] = []
        while !isAtEndOfSequence { items.append(try readItem()) }
        guard !items.isEmpty else { throw failure("an expression") }
        return items.count == 1 ? items[0] : .sequence(items)
    }

    /// A sequence ends before '|', ')', the end of the text, and a name that begins the next rule.
    private var isAtEndOfSequence: Bool {
        mutating get {
            skipSpace()
            guard let next else { return true }
            if next == "|" || next == ")" { return true }
            var ahead = self
            return !ahead.readName().isEmpty && ahead.take("::=")
        }
    }

    private mutating func readItem() throws -> EBNF.Expression {
        var item = try readPrimary()
        switch next {
        case "?": item = .repeated(item, from: 0, isEndless: false)
        case "*": item = .repeated(item, from: 0, isEndless: true)
        case "+": item = .repeated(item, from: 1, isEndless: true)
        default: return take("-") ? .difference(item, try readPrimary()) : item
        }
        position += 1
        return item
    }

    private mutating func readPrimary() throws -> EBNF.Expression {
        skipSpace()
        guard let next else { throw failure("an expression") }
        switch next {
        case "(":
            position += 1
            let inner = try readChoice()
            guard take(")") else { throw failure(")") }
            return inner
        case "'", "\"":
            guard let end = scalars[(position + 1)...].firstIndex(of: next) else { throw failure("a quote") }
            defer { position = end + 1 }
            return .text(Array(scalars[(position + 1)..<end]))
        case "[":
            position += 1
            return .set(try readSet())
        case "#":
            let scalar = try readCharacter()
            return .text([scalar])
        default:
            let name = readName()
            guard !name.isEmpty else { throw failure("an expression") }
            return .rule(name)
        }
    }

    private mutating func readSet() throws -> EBNF.CharacterRanges {
        var set = EBNF.CharacterRanges(ranges: [], isNegated: next == "^")
        if set.isNegated { position += 1 }
        while let scalar = next, scalar != "]" {
            let low = try readCharacter()
            var high = low
            if next == "-" {
                position += 1
                high = try readCharacter()
            }
            guard low <= high else { throw failure("a range") }
            set.ranges.append(low.value...high.value)
        }
        guard next == "]", !set.ranges.isEmpty else { throw failure("]") }
        position += 1
        return set
    }

    /// #xN, or a literal character.
    private mutating func readCharacter() throws -> Unicode.Scalar {
        guard let scalar = next else { throw failure("a character") }
        position += 1
        guard scalar == "#", next == "x" else { return scalar }
        position += 1
        var value: UInt32 = 0
        while let digit = next.flatMap({ Character($0).hexDigitValue }) {
            value = value * 16 + UInt32(digit)
            position += 1
        }
        guard let result = Unicode.Scalar(value) else { throw failure("a character's number") }
        return result
    }

    private mutating func readName() -> String {
        var name = ""
        while let scalar = next, scalar.properties.isAlphabetic {
            name.unicodeScalars.append(scalar)
            position += 1
        }
        return name
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    /// Consumes a text after white space and comments.
    private mutating func take(_ text: String) -> Bool {
        skipSpace()
        let wanted = Array(text.unicodeScalars)
        guard scalars[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    private mutating func skipSpace() {
        while let scalar = next {
            if scalars[position...].starts(with: "/*".unicodeScalars) {
                position += 2
                while position < scalars.count, !scalars[position...].starts(with: "*/".unicodeScalars) {
                    position += 1
                }
                position = min(position + 2, scalars.count)
            } else if scalar.properties.isWhitespace {
                position += 1
            } else {
                return
            }
        }
    }

    private func failure(_ expected: String) -> EBNF.Malformed {
        let line = scalars[..<min(position, scalars.count)].count { $0 == "\n" } + 1
        return EBNF.Malformed(message: "line \(line): expected \(expected)")
    }
}
