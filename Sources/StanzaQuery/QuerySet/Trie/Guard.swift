// Tests of elements that no hash decides: equal ones of several queries are made once.

import QuerySyntax
import XMLTree

/// The test of a check; equal contents are the same edge.
enum CheckContent: Hashable {
    case hasText
    case isInInherited
    case isNotNamed(NameKey)
    case filter(Guard)
}

/// A filter that loads a value and tests it, independent of its program.
struct Guard: Hashable {
    private enum Source: Hashable {
        case namespace
        case attribute(NameKey)
        case resolved(ResolvedAttribute)
    }

    private let source: Source
    /// The test's name, which distinguishes tests with the same operands.
    private let test: String
    private let operands: [[UInt8]]
    private let isCaseless: Bool

    /// The filter at an address; `nil` if the instructions there are not a filter.
    init?(_ query: CompiledQuery, at address: Int) {
        let program = query.program
        let definition = program.listing[address + 1].definition
        guard definition.effect == .testValue else { return nil }
        switch program.listing[address] {
        case .loadNamespace: source = .namespace
        case .loadAttribute(let name): source = .attribute(name)
        case .loadResolvedAttribute(let index): source = .resolved(program.attributes[Int(index.rawValue)])
        default: return nil
        }
        test = definition.mnemonic
        operands = definition.operands.flatMap { query.bytes(of: $0) }
        isCaseless = query.options.contains(.caseInsensitiveFilters)
    }
}

extension CompiledQuery {
    /// The texts that an operand of a value's test refers to.
    fileprivate func bytes(of operand: Operand) -> [[UInt8]] {
        switch operand {
        case .string(let index): [Array(program.string(index))]
        case .strings(let index): program.stringLists[Int(index.rawValue)].map { Array(program.string($0)) }
        case .regex(let index), .literal(let index):
            [Array(source.utf8.dropFirst(program.range(of: index).lowerBound).prefix(program.range(of: index).count))]
        case .name, .argument, .attribute, .form, .formField, .conversion, .outer: []
        }
    }
}
