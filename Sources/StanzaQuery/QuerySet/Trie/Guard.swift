// Tests of elements that no hash decides: equal ones of several queries are made once.

import QuerySyntax
import XMLTree

/// The test of a check; equal contents are the same edge.
package enum CheckContent: Hashable {
    case hasText
    case isInInherited
    case isNotNamed(NameKey)
    case filter(Guard)
}

/// A filter that loads a value and tests it, independent of its program.
package struct Guard: Hashable {
    private enum Source: Hashable {
        case namespace
        case attribute(NameKey)
        case resolved(ResolvedAttribute)
    }

    private let source: Source
    /// The test's name, which distinguishes tests with the same operands.
    private let test: String
    private let operands: [[UInt8]]

    init(_ test: Instruction, of source: AttributeSource, in program: Program) {
        self.source =
            switch source {
            case .namespace: .namespace
            case .plain(let name): .attribute(name)
            case .resolved(let index): .resolved(program.attributes[Int(index.rawValue)])
            }
        let definition = test.definition
        assert(definition.effect == .testValue, "a filter tests a value")
        self.test = definition.mnemonic
        operands = definition.operands.flatMap { program.bytes(of: $0) }
    }
}

extension Program {
    /// The texts that an operand of a value's test refers to.
    fileprivate func bytes(of operand: Operand) -> [[UInt8]] {
        switch operand {
        case .string(let index): [Array(string(index))]
        case .strings(let index): stringLists[Int(index.rawValue)].map { Array(string($0)) }
        case .regex(let index), .literal(let index): patterns[Int(index.rawValue)].identity
        case .name, .argument, .attribute, .form, .formField, .conversion, .outer: []
        }
    }
}

extension PatternConstant {
    /// The text of the pattern, and whether case counts.
    fileprivate var identity: [[UInt8]] {
        if case .regex(let regex) = work, regex.isCaseless { [Array(text.utf8), [1]] } else { [Array(text.utf8)] }
    }
}
